/* A new version is published by an atomic pointer; the old one is reused at once, while a reader
 * may still read it.
 *
 * race: versions read reuse */
#include <stdatomic.h>

#include "../race.h"

static int versions[2] = {10, 20};
static _Atomic(int *) current = &versions[0];
static atomic_int readers;

static void *reader(void *unused)
{
    const int *seen = atomic_load_explicit(&current, memory_order_acquire);
    atomic_fetch_add_explicit(&readers, 1, memory_order_relaxed);
    MUST(*seen >= 0); /* read */
    return unused;
}

static void *updater(void *unused)
{
    while (atomic_load_explicit(&readers, memory_order_relaxed) == 0) {
    }
    int *old = atomic_exchange_explicit(&current, &versions[1], memory_order_acq_rel);
    *old = 30; /* reuse */
    return unused;
}

int main(void)
{
    threads_run(reader, updater);
    return 0;
}
