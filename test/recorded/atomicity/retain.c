/* found: `d.`, a check of `live` and then a count that the other thread looks at. */
#include "two.h"
static struct {
    pthread_mutex_t m;
    int count, live;
} d = {MUTEX, 1, 1};
static int retain(void)
{
    LOCK(d.m);
    int is_live = d.live;
    UNLOCK(d.m);
    if (!is_live)
        return 0;
    LOCK(d.m);
    d.count++;
    UNLOCK(d.m);
    return 1;
}
static void release(void)
{
    LOCK(d.m);
    if (--d.count == 0)
        d.live = 0;
    UNLOCK(d.m);
}
static void *a(void *u)
{
    if (retain())
        release();
    return u;
}
static void *b(void *u)
{
    late();
    release();
    return u;
}
int main()
{
    return run2(a, b);
}
