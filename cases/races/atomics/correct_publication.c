/* Versions are published by an atomic pointer with release; the old one is freed after all readers
 * have ended.
 *
 * no race */
#include <stdatomic.h>

#include "../race.h"

static int *version_new(int value)
{
    int *version = malloc(sizeof *version);
    MUST(version != NULL);
    *version = value;
    return version;
}

static _Atomic(int *) current;

static void *reader(void *unused)
{
    for (int i = 0; i < 5; i++) {
        const int *seen = atomic_load_explicit(&current, memory_order_acquire);
        MUST(*seen == 10 || *seen == 20);
    }
    return unused;
}

int main(void)
{
    atomic_init(&current, version_new(10));
    const pthread_t a = thread_start(reader, NULL);
    const pthread_t b = thread_start(reader, NULL);
    int *old = atomic_exchange_explicit(&current, version_new(20), memory_order_acq_rel);
    thread_join(a);
    thread_join(b);
    free(old);
    free(atomic_load(&current));
    return 0;
}
