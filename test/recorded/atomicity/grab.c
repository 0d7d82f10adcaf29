/* found: an object of a pool is looked at, and then taken. */
#include "two.h"
struct o {
    pthread_mutex_t m;
    int busy;
    int owner;
};
static struct o pool[4];
static int is_free(struct o *x)
{
    LOCK(x->m);
    int f = !x->busy;
    UNLOCK(x->m);
    return f;
}
static void grab(struct o *x, int w)
{
    LOCK(x->m);
    x->busy = 1;
    x->owner = w;
    UNLOCK(x->m);
}
static void drop(struct o *x)
{
    LOCK(x->m);
    x->busy = 0;
    UNLOCK(x->m);
}
static struct o *alloc_(int w)
{
    for (int i = 0; i < 4; i++)
        if (is_free(&pool[i])) {
            grab(&pool[i], w);
            return &pool[i];
        }
    return NULL;
}
static void work(int w)
{
    for (int i = 0; i < 3; i++) {
        struct o *x = alloc_(w);
        if (x)
            drop(x);
    }
}
static void *a(void *u)
{
    work(1);
    return u;
}
static void *b(void *u)
{
    late();
    work(2);
    return u;
}
int main()
{
    for (int i = 0; i < 4; i++)
        pthread_mutex_init(&pool[i].m, 0);
    return run2(a, b);
}
