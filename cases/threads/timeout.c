/* A wait that ends when the answer is there, or after a while: which of the two it was is not
 * asked.
 */
#include <errno.h>
#include <stdbool.h>
#include <time.h>

#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool has_answer;

static void *ask(void *unused)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    int result = 0;
    pthread_mutex_lock(&lock);
    while (!has_answer && result != ETIMEDOUT) {
        result = pthread_cond_timedwait(&changed, &lock, &until);
    }
#ifdef FIXED
    if (!has_answer) {
        pthread_mutex_unlock(&lock);
        return unused;
    }
#endif
    assert(has_answer);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *answer(void *unused)
{
    pthread_mutex_lock(&lock);
    has_answer = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(ask, answer);
    return 0;
}
