/* nothing: a version is compared again before the write. */
#include "two.h"
static pthread_mutex_t m = MUTEX;
static int version, data = 1;
static void add(int value)
{
    for (;;) {
        LOCK(m);
        const int seen = version;
        const int old = data;
        UNLOCK(m);
        const int changed = old + value;
        LOCK(m);
        if (version == seen) {
            data = changed;
            version++;
            UNLOCK(m);
            return;
        }
        UNLOCK(m);
    }
}
static void *a(void *u)
{
    add(1);
    return u;
}
static void *b(void *u)
{
    late();
    add(2);
    return u;
}
int main()
{
    return run2(a, b);
}
