/* Two threads that record as fast as they can, for killed_test.py: several times in a hundredth of
 * a second a segment is full, saved and emptied. Ends after a while. */
#include "../program.h"

enum { ROUNDS = 400000 };

static void *work(void *argument)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < ROUNDS; i++) {
        CLAIM(pthread_mutex_lock(&m) == 0);
        CLAIM(pthread_mutex_unlock(&m) == 0);
    }
    return argument;
}

int main(void)
{
    const pthread_t thread = thread_begin(work, NULL);
    (void)work(NULL);
    thread_wait(thread);
    return 0;
}
