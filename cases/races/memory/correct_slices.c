/* Threads sort and sum their own slices of one array; bounds are computed before they are created.
 *
 * no race */
#include <string.h>

#include "../race.h"

enum { THREADS = 4, SLICE = 5 };

static int cells[THREADS * SLICE];
static int copy[THREADS * SLICE];

static void *work(void *argument)
{
    int *slice = argument;
    for (int i = 0; i < SLICE; i++) {
        slice[i] = i * i;
    }
    memcpy(copy + (slice - cells), slice, SLICE * sizeof *slice);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        threads[i] = thread_start(work, &cells[SLICE * i]);
    }
    for (int i = 0; i < THREADS; i++) {
        thread_join(threads[i]);
    }
    MUST(memcmp(cells, copy, sizeof cells) == 0);
    return 0;
}
