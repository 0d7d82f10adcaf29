/* found: `cache.table`, also where the compiler has made a variable of each member. */
#include "two.h"

static pthread_mutex_t m = MUTEX;
static struct {
    long table;
    int is_empty;
} cache;
static int wrong;

static void fill(void)
{
    LOCK(m);
    cache.table = 7;
    UNLOCK(m);
    LOCK(m);
    cache.is_empty = 0;
    UNLOCK(m);
}

static void flush(void)
{
    LOCK(m);
    cache.table = 0;
    cache.is_empty = 1;
    UNLOCK(m);
}

static void look(void)
{
    LOCK(m);
    wrong += cache.is_empty && cache.table != 0;
    UNLOCK(m);
}

static void *a(void *u)
{
    for (int i = 0; i < 3; i++) {
        fill();
    }
    return u;
}

static void *b(void *u)
{
    late();
    flush();
    look();
    return u;
}

int main(void)
{
    return run2(a, b);
}
