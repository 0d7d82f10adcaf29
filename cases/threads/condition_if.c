/* A condition that is looked at once: between the signal and the waking of the one who waited
 * another took what there was. */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t added = PTHREAD_COND_INITIALIZER;
static int count;

static void *take(void *unused)
{
    pthread_mutex_lock(&lock);
#ifdef FIXED
    while (count == 0) {
        pthread_cond_wait(&added, &lock);
    }
#else
    if (count == 0) {
        pthread_cond_wait(&added, &lock);
    }
#endif
    assert(count > 0);
    count--;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *put_two(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        count++;
        pthread_cond_signal(&added);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    RUN(take, take, put_two);
    return 0;
}
