/* found: `data`, whose version is compared again, but one writer leaves the version alone. */
#include "two.h"
static pthread_mutex_t m = MUTEX;
static int version, data = 1;
static void add(int value)
{
    LOCK(m);
    const int seen = version;
    const int old = data;
    UNLOCK(m);
    LOCK(m);
    if (version == seen) {
        data = old + value;
        version++;
    }
    UNLOCK(m);
}
static void reset(void)
{
    LOCK(m);
    data = 0;
    UNLOCK(m);
}
static void *a(void *u)
{
    add(1);
    return u;
}
static void *b(void *u)
{
    late();
    reset();
    return u;
}
int main()
{
    return run2(a, b);
}
