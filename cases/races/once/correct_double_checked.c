/* Double-checked locking with an atomic pointer, stored with release and loaded with acquire.
 *
 * no race */
#include <stdatomic.h>

#include "../race.h"

struct table {
    long size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct table *) table;

static struct table *table_get(void)
{
    struct table *seen = atomic_load_explicit(&table, memory_order_acquire);
    if (seen != NULL) {
        return seen;
    }
    MUST(pthread_mutex_lock(&lock) == 0);
    seen = atomic_load_explicit(&table, memory_order_relaxed);
    if (seen == NULL) {
        seen = malloc(sizeof *seen);
        MUST(seen != NULL);
        seen->size = 7;
        atomic_store_explicit(&table, seen, memory_order_release);
    }
    MUST(pthread_mutex_unlock(&lock) == 0);
    return seen;
}

static void *user(void *unused)
{
    MUST(table_get()->size == 7);
    return unused;
}

int main(void)
{
    threads_run(user, user);
    free(atomic_load(&table));
    return 0;
}
