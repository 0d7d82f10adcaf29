/* found: a reference count is looked at, and then decremented. */
#include "two.h"
struct obj {
    pthread_mutex_t m;
    int refs;
};
static struct obj o = {MUTEX, 3};
static int freed;
static int refs(void)
{
    LOCK(o.m);
    int r = o.refs;
    UNLOCK(o.m);
    return r;
}
static void drop(void)
{
    if (refs() == 1)
        freed++;
    LOCK(o.m);
    o.refs--;
    UNLOCK(o.m);
}
static void *a(void *u)
{
    drop();
    return u;
}
static void *b(void *u)
{
    late();
    drop();
    return u;
}
int main()
{
    return run2(a, b);
}
