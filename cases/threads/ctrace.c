/* A tracing library with a table of the threads it knows, after the ctrace program of the Inspect
 * suite. A thread that traces looks without the lock whether tracing is on; the table may be freed
 * before it has the lock. */
#include <stdatomic.h>
#include <stdbool.h>

#include "threads.h"

enum { BUCKETS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_on;
static int *hits;

static void trace_begin(void)
{
    hits = calloc(BUCKETS, sizeof *hits);
    assert(hits != NULL);
    atomic_store(&is_on, true);
}

static void trace(int thread)
{
    if (atomic_load(&is_on)) {
        pthread_mutex_lock(&lock);
#ifdef FIXED
        const bool is_still_on = atomic_load(&is_on);
#else
        const bool is_still_on = true;
#endif
        if (is_still_on) {
            hits[thread % BUCKETS]++;
        }
        pthread_mutex_unlock(&lock);
    }
}

static void *traced(void *which)
{
    const int thread = (int)(intptr_t)which;
    for (int i = 0; i < 3; i++) {
        trace(thread);
    }
    return NULL;
}

static void *trace_end(void *unused)
{
    pthread_mutex_lock(&lock);
    atomic_store(&is_on, false);
    free(hits);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    trace_begin();
    RUN(traced, traced, trace_end);
    return 0;
}
