/* nothing: elements of an array that a free list hands over. */
#include "two.h"
struct block {
    struct block *next;
    char data[24];
};
static pthread_mutex_t m = MUTEX;
static struct block pool[4];
static struct block *list;
static struct block *take(void)
{
    LOCK(m);
    struct block *b = list;
    if (b)
        list = b->next;
    UNLOCK(m);
    return b;
}
static void give(struct block *b)
{
    LOCK(m);
    b->next = list;
    list = b;
    UNLOCK(m);
}
static void job(int i)
{
    struct block *x = take(), *y = take();
    if (x)
        memset(x->data, i, sizeof x->data);
    if (y)
        memset(y->data, i, sizeof y->data);
    if (x)
        give(x);
    if (y)
        give(y);
}
static void *a(void *u)
{
    for (int i = 0; i < 10; i++)
        job(i);
    return u;
}
static void *b(void *u)
{
    late();
    for (int i = 0; i < 10; i++)
        job(i);
    return u;
}
int main()
{
    for (int i = 0; i < 4; i++)
        give(&pool[i]);
    return run2(a, b);
}
