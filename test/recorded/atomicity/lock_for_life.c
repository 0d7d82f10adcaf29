/* nothing: a keeps a lock of its own over all that it does. */
#include "two.h"
static pthread_mutex_t life = MUTEX, m = MUTEX;
static int is_on = 1, jobs, seen;
static void put(void)
{
    LOCK(m);
    jobs = seen + 1;
    UNLOCK(m);
}
static int look(void)
{
    LOCK(m);
    int n = jobs;
    UNLOCK(m);
    return n;
}
static void *a(void *u)
{
    LOCK(life);
    for (int i = 0; is_on && i < 5; i++) {
        put();
        usleep((useconds_t)look());
    }
    UNLOCK(life);
    return u;
}
static void *b(void *u)
{
    late();
    LOCK(m);
    jobs = 0;
    UNLOCK(m);
    LOCK(life);
    is_on = 0;
    UNLOCK(life);
    return u;
}
int main()
{
    return run2(a, b);
}
