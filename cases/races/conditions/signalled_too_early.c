/* The waiter is notified before the answer is written.
 *
 * race: answer write read */
#include <stdbool.h>

#include "../race.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_ready;
static int answer;

static void *waiter(void *unused)
{
    MUST(pthread_mutex_lock(&lock) == 0);
    while (!is_ready) {
        MUST(pthread_cond_wait(&changed, &lock) == 0);
    }
    MUST(pthread_mutex_unlock(&lock) == 0);
    MUST(answer == 0 || answer == 42); /* read */
    return unused;
}

static void *teller(void *unused)
{
    MUST(pthread_mutex_lock(&lock) == 0);
    is_ready = true;
    MUST(pthread_cond_signal(&changed) == 0);
    MUST(pthread_mutex_unlock(&lock) == 0);
    answer = 42; /* write */
    return unused;
}

int main(void)
{
    threads_run(waiter, teller);
    return 0;
}
