/* After IBM's benchmark WrongLock: everyone locks before counting a request, but one handler takes
 * the lock of the configuration. Two of them count at once, and a request is lost.
 *
 * couple: requests count_slow, requests count_slow
 * couple: requests count_fast, requests count_fast */
#include "kernel.h"

static pthread_mutex_t statistics_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t configuration_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
    long requests;
    long bytes_max;
} server = {.bytes_max = 100};

enum { REQUESTS = 4 };

static long configured_bytes_max(void)
{
    pthread_mutex_lock(&configuration_lock);
    const long bytes_max = server.bytes_max;
    pthread_mutex_unlock(&configuration_lock);
    return bytes_max;
}

static void handle_slow(long size)
{
    if (size > configured_bytes_max()) {
        return;
    }
    pthread_mutex_lock(&statistics_lock);
    server.requests++; /* count_slow */
    pthread_mutex_unlock(&statistics_lock);
}

static void handle_fast(void)
{
#ifdef FIXED
    pthread_mutex_t *lock = &statistics_lock;
#else
    pthread_mutex_t *lock = &configuration_lock;
#endif
    pthread_mutex_lock(lock);
    server.requests++; /* count_fast */
    pthread_mutex_unlock(lock);
}

static void *slow(void *unused)
{
    for (int i = 0; i < REQUESTS; i++) {
        handle_slow(i);
    }
    return unused;
}

static void *fast(void *unused)
{
    kernel_late();
    for (int i = 0; i < REQUESTS; i++) {
        handle_fast();
    }
    return unused;
}

static int is_wrong(void)
{
    return server.requests != 2L * REQUESTS;
}

int main(void)
{
    return kernel_run(slow, fast, is_wrong);
}
