/* nothing: each thread uses 64 words 10,000 times alone, then adds them up under the lock. */
#include "two.h"
static int total;
static pthread_mutex_t m = MUTEX;
__attribute__((noinline)) static void add(int *n, int i)
{
    *n += i;
}
static void *work(void *u)
{
    int *part = calloc(64, sizeof *part);
    for (int i = 0; i < 10000; i++) {
        add(&part[i % 64], i);
        add(&part[i * 7 % 64], part[i % 64] & 1);
    }
    LOCK(m);
    for (int i = 0; i < 64; i++)
        total += part[i];
    UNLOCK(m);
    free(part);
    return u;
}
static void *late_work(void *u)
{
    late();
    return work(u);
}
int main()
{
    run2(work, late_work);
    return 0;
}
