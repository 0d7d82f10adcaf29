/* A thread that is started before all it needs is there: what its parent sets after creating it
 * may come too late. */
#include <stdatomic.h>

#include "threads.h"

static const char name[] = "worker";
static const char *_Atomic own_name;

static void *work(void *unused)
{
    assert(*atomic_load(&own_name) == 'w');
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef FIXED
    atomic_store(&own_name, name);
#endif
    (void)pthread_create(&thread, NULL, work, NULL);
#ifndef FIXED
    atomic_store(&own_name, name);
#endif
    (void)pthread_join(thread, NULL);
    return 0;
}
