/* A way out of a function on which the lock is not given back: only when there is nothing to take.
 */
#include <stdbool.h>

#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static bool take(void)
{
    pthread_mutex_lock(&lock);
    if (count == 0) {
#ifdef FIXED
        pthread_mutex_unlock(&lock);
#endif
        return false;
    }
    count--;
    pthread_mutex_unlock(&lock);
    return true;
}

static void *put_one(void *unused)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *take_one(void *unused)
{
    (void)take();
    return unused;
}

int main(void)
{
    RUN(put_one, take_one);
    return 0;
}
