/* nothing: double-checked locking with an atomic pointer. */
#include "two.h"
#include <stdatomic.h>
static _Atomic(int *) inst;
static pthread_mutex_t m = MUTEX;
static int sum[2];
static int *get(void)
{
    int *p = atomic_load(&inst);
    if (!p) {
        LOCK(m);
        p = atomic_load(&inst);
        if (!p) {
            p = malloc(sizeof *p);
            *p = 5;
            atomic_store(&inst, p);
        }
        UNLOCK(m);
    }
    return p;
}
static void *a(void *u)
{
    for (int i = 0; i < 3; i++)
        sum[0] += *get();
    return u;
}
static void *b(void *u)
{
    late();
    for (int i = 0; i < 3; i++)
        sum[1] += *get();
    return u;
}
int main()
{
    return run2(a, b);
}
