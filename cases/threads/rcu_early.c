/* Read-copy-update (McKenney and Slingwine, 1998) without a grace period: the writer publishes a
 * new configuration and frees the old one, which a reader may still use. The twin waits for the
 * readers. */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "threads.h"

enum { READERS = 2 };

struct configuration {
    int low, high;
};

static struct configuration *_Atomic current;
static atomic_bool is_reading[READERS];

static struct configuration *configuration_new(int low)
{
    struct configuration *result = malloc(sizeof *result);
    assert(result != NULL);
    *result = (struct configuration){low, low + 1};
    return result;
}

static void *read_one(void *which)
{
    const intptr_t own = (intptr_t)which;
    atomic_store(&is_reading[own], true);
    const struct configuration *seen = atomic_load(&current);
    assert(seen->high == seen->low + 1);
    atomic_store(&is_reading[own], false);
    return NULL;
}

static void *replace(void *unused)
{
    struct configuration *old = atomic_exchange(&current, configuration_new(10));
#ifdef FIXED
    for (int i = 0; i < READERS; i++) {
        while (atomic_load(&is_reading[i])) {
            sched_yield();
        }
    }
#endif
    free(old);
    return unused;
}

int main(void)
{
    atomic_store(&current, configuration_new(1));
    RUN(read_one, read_one, replace);
    return 0;
}
