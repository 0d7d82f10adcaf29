/* Two threads that take turns at a lock, as many rounds as the argument says: what a step costs is
 * told by runs of two lengths. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long count;

static void *work(void *rounds)
{
    for (long i = 0; i < (long)rounds; i++) {
        pthread_mutex_lock(&lock);
        count++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        (void)pthread_create(&threads[i], NULL, work, (void *)rounds);
    }
    for (int i = 0; i < 2; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    return count == 2 * rounds ? 0 : 1;
}
