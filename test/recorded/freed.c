/* One thread frees what another still writes.
 * race: write free */
#include <stdatomic.h>

#include "program.h"

static long *shared;
static atomic_int turn;

static void *use(void *unused)
{
    shared[3] = 1; /* write */
    atomic_store_explicit(&turn, 1, memory_order_relaxed);
    return unused;
}

static void *drop(void *unused)
{
    while (atomic_load_explicit(&turn, memory_order_relaxed) == 0) {
    }
    free(shared); /* free */
    return unused;
}

int main(void)
{
    shared = calloc(8, sizeof *shared);
    CLAIM(shared != NULL);
    run_both(use, drop);
    return 0;
}
