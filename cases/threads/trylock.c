/* A lock that is tried for, and what comes of it not looked at: who did not get it goes in as well,
 * and opens it for others on leaving. */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *add(void *unused)
{
#ifdef FIXED
    if (pthread_mutex_trylock(&lock) != 0) {
        pthread_mutex_lock(&lock);
    }
#else
    (void)pthread_mutex_trylock(&lock);
#endif
    count = count + 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(add, add);
    assert(count == 2);
    return 0;
}
