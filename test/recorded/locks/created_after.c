/* Both orders, but the second thread begins when the first has ended.
 *
 * no deadlock */
#include "threads.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *argument)
{
    NEED(pthread_mutex_lock(&a) == 0); /* one */
    NEED(pthread_mutex_lock(&b) == 0); /* two */
    NEED(pthread_mutex_unlock(&b) == 0);
    NEED(pthread_mutex_unlock(&a) == 0);
    return argument;
}

static void *second(void *argument)
{
    await_turn(1);
    NEED(pthread_mutex_lock(&b) == 0); /* three */
    NEED(pthread_mutex_lock(&a) == 0); /* four */
    NEED(pthread_mutex_unlock(&a) == 0);
    NEED(pthread_mutex_unlock(&b) == 0);
    return argument;
}

int main(void)
{
    finish(begin(first, NULL));
    finish(begin(second, NULL));
    return 0;
}
