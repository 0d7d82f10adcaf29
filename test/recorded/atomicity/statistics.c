/* nothing: counters beside a locked queue. */
#include "two.h"
#include <stdatomic.h>
static atomic_long hits, bytes;
static pthread_mutex_t m = MUTEX;
static int q[8], n;
static void put(int v)
{
    LOCK(m);
    q[n++ % 8] = v;
    UNLOCK(m);
    atomic_fetch_add(&hits, 1);
    atomic_fetch_add(&bytes, v);
}
static void *a(void *u)
{
    for (int i = 0; i < 3; i++)
        put(i);
    return u;
}
static void *b(void *u)
{
    late();
    for (int i = 0; i < 3; i++)
        put(i);
    return u;
}
int main()
{
    run2(a, b);
    printf("%ld %ld\n", atomic_load(&hits), atomic_load(&bytes));
    return 0;
}
