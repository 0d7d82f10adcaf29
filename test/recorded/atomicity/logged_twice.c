/* found: two variables with a lock each, and a reader of both. */
#include "two.h"
static pthread_mutex_t m = MUTEX, l = MUTEX;
static long bal = 100, logged = 100;
static int bad;
static void change(long n)
{
    LOCK(m);
    bal += n;
    UNLOCK(m);
    LOCK(l);
    logged += n;
    UNLOCK(l);
}
static void audit(void)
{
    LOCK(m);
    long x = bal;
    UNLOCK(m);
    LOCK(l);
    long y = logged;
    UNLOCK(l);
    bad += x != y;
}
static void *a(void *u)
{
    for (int i = 0; i < 3; i++)
        change(i);
    return u;
}
static void *b(void *u)
{
    late();
    audit();
    return u;
}
int main()
{
    return run2(a, b);
}
