/* found: a box on main's stack, which main reads by one getter twice after 10,000 rounds alone. */
#include "two.h"
struct box {
    int n;
    pthread_mutex_t m;
};
__attribute__((noinline)) static int get(struct box *b)
{
    LOCK(b->m);
    int n = b->n;
    UNLOCK(b->m);
    return n;
}
static int twice(struct box *b)
{
    return get(b) > 0 ? get(b) : 1;
}
static void *empty(void *u)
{
    struct box *b = u;
    usleep(200000);
    LOCK(b->m);
    b->n = 0;
    UNLOCK(b->m);
    return u;
}
int main()
{
    struct box b = {1, MUTEX};
    pthread_t t;
    pthread_create(&t, 0, empty, &b);
    for (int i = 0; i < 10000; i++)
        get(&b);
    int n = twice(&b);
    pthread_join(t, 0);
    return n != 1;
}
