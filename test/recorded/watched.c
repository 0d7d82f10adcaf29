/* Races and then goes on until somebody who was told of it makes the file WATCHED_FILE. What the
 * first thread writes comes to light late, long after it was written.
 * race: write read */
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

static long balance, ordered;
static atomic_int stage;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000 * 1000}, NULL);
}

static void *first(void *unused)
{
    balance = 1; /* write */
    pthread_mutex_lock(&lock);
    ordered = 1;
    pthread_mutex_unlock(&lock);
    atomic_store_explicit(&stage, 1, memory_order_relaxed);
    return unused;
}

static void *second(void *unused)
{
    while (atomic_load_explicit(&stage, memory_order_relaxed) == 0) {
        pause_ms(1);
    }
    pause_ms(getenv("WATCHED_FILE") == NULL ? 0 : 300);
    CLAIM(balance == 1); /* read */
    pthread_mutex_lock(&lock);
    CLAIM(ordered == 1);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run_both(first, second);
    const char *path = getenv("WATCHED_FILE");
    for (int tries = 0; path != NULL && access(path, F_OK) != 0; tries++) {
        CLAIM(tries < 30 * 1000);
        pause_ms(1);
    }
    return 0;
}
