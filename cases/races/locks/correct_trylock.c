/* A thread that does not get the lock at once counts in a variable of its own.
 *
 * no race */
#include "../race.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *count(void *argument)
{
    int *missed = argument;
    for (int i = 0; i < 20; i++) {
        if (pthread_mutex_trylock(&lock) == 0) {
            total++;
            MUST(pthread_mutex_unlock(&lock) == 0);
        } else {
            ++*missed;
        }
    }
    return NULL;
}

int main(void)
{
    int missed[2] = {0, 0};
    const pthread_t a = thread_start(count, &missed[0]);
    const pthread_t b = thread_start(count, &missed[1]);
    thread_join(a);
    thread_join(b);
    MUST(total + missed[0] + missed[1] == 40);
    return 0;
}
