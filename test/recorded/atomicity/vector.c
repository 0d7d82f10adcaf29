/* nothing: two members side by side, which clang -O2 reads and writes as one vector. */
#include "two.h"

static struct {
    pthread_mutex_t m;
    long sum, changes;
} total = {.m = MUTEX};

static void add(long n)
{
    LOCK(total.m);
    total.sum += n;
    total.changes++;
    UNLOCK(total.m);
}

static void *a(void *u)
{
    for (int i = 0; i < 3; i++) {
        add(1);
        add(-1);
    }
    return u;
}

static void *b(void *u)
{
    late();
    return a(u);
}

int main(void)
{
    return run2(a, b);
}
