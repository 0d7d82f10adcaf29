/* Workers count themselves when their results are there; the counts are not looked at, but whoever
 * reads the results first waits until the counter says that all are done.
 *
 * no race */
#include <stdatomic.h>

#include "../race.h"

enum { WORKERS = 3 };

static atomic_int finished;
static int results[WORKERS];

static void *work(void *number)
{
    const int own = *(const int *)number;
    results[own] = own + 1;
    atomic_fetch_add_explicit(&finished, 1, memory_order_release);
    return NULL;
}

int main(void)
{
    pthread_t workers[WORKERS];
    int numbers[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        numbers[i] = i;
        workers[i] = thread_start(work, &numbers[i]);
    }
    while (atomic_load_explicit(&finished, memory_order_acquire) < WORKERS) {
    }
    MUST(results[0] + results[1] + results[2] == 6);
    for (int i = 0; i < WORKERS; i++) {
        thread_join(workers[i]);
    }
    return 0;
}
