/* found: the head of a queue is looked at, and then removed. */
#include "two.h"
static pthread_mutex_t m = MUTEX;
static int q[16], head, tail = 8, sum;
static int peek(int *v)
{
    LOCK(m);
    int ok = head < tail;
    if (ok)
        *v = q[head];
    UNLOCK(m);
    return ok;
}
static void skip(void)
{
    LOCK(m);
    head++;
    UNLOCK(m);
}
static void next_one(void)
{
    int v;
    if (peek(&v)) {
        sum += v;
        skip();
    }
}
static void *a(void *u)
{
    for (int i = 0; i < 3; i++)
        next_one();
    return u;
}
static void *b(void *u)
{
    late();
    for (int i = 0; i < 3; i++)
        next_one();
    return u;
}
int main()
{
    return run2(a, b);
}
