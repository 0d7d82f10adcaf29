/* nothing: a keeps a lock that no other thread uses over all that it does. */
#include "two.h"
static pthread_mutex_t life = MUTEX, m = MUTEX;
static int jobs, seen;
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
    for (int i = 0; i < 5; i++) {
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
    return u;
}
int main()
{
    return run2(a, b);
}
