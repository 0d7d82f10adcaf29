/* The result of a thread is read before the thread is joined.
 *
 * race: result write read */
#include "../race.h"

static int result;

static void *compute(void *unused)
{
    int sum = 0;
    for (int i = 1; i <= 100; i++) {
        sum += i;
    }
    result = sum; /* write */
    return unused;
}

int main(void)
{
    const pthread_t thread = thread_start(compute, NULL);
    const int seen = result; /* read */
    thread_join(thread);
    MUST(seen == 0 || seen == 5050);
    return 0;
}
