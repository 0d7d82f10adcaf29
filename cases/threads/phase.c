/* Two phases with a lock each, after the phase program of the SCTBench suite. A thread that was the
 * first in the first phase and is the first in the second too leaves without the unlock. */
#include <stdbool.h>

#include "threads.h"

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
static int first_count, second_count;

static void *work(void *unused)
{
    pthread_mutex_lock(&first);
    const bool is_first = first_count++ == 0;
    pthread_mutex_unlock(&first);
    pthread_mutex_lock(&second);
    const bool is_first_again = is_first && second_count == 0;
    second_count++;
#ifdef FIXED
    (void)is_first_again;
    pthread_mutex_unlock(&second);
#else
    if (!is_first_again) {
        pthread_mutex_unlock(&second);
    }
#endif
    return unused;
}

int main(void)
{
    RUN(work, work);
    return 0;
}
