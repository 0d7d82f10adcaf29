/* Two C11 threads add to one total; only one of them takes the mutex.
 *
 * race: total locked unlocked */
#include <threads.h>

#include "../race.h"

static mtx_t lock;
static int total;

static int careful(void *unused)
{
    (void)unused;
    MUST(mtx_lock(&lock) == thrd_success);
    total += 1; /* locked */
    MUST(mtx_unlock(&lock) == thrd_success);
    return 0;
}

static int careless(void *unused)
{
    (void)unused;
    total += 10; /* unlocked */
    return 0;
}

int main(void)
{
    thrd_t threads[2];
    MUST(mtx_init(&lock, mtx_plain) == thrd_success);
    MUST(thrd_create(&threads[0], careful, NULL) == thrd_success);
    MUST(thrd_create(&threads[1], careless, NULL) == thrd_success);
    MUST(thrd_join(threads[0], NULL) == thrd_success);
    MUST(thrd_join(threads[1], NULL) == thrd_success);
    mtx_destroy(&lock);
    MUST(total > 0);
    return 0;
}
