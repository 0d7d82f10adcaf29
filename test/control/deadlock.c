/* Two locks, taken in either order. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;

static void *forth(void *unused)
{
    (void)pthread_mutex_lock(&first);
    (void)pthread_mutex_lock(&second);
    (void)pthread_mutex_unlock(&second);
    (void)pthread_mutex_unlock(&first);
    return unused;
}

static void *back(void *unused)
{
    (void)pthread_mutex_lock(&second);
    (void)pthread_mutex_lock(&first);
    (void)pthread_mutex_unlock(&first);
    (void)pthread_mutex_unlock(&second);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    (void)pthread_create(&threads[0], NULL, forth, NULL);
    (void)pthread_create(&threads[1], NULL, back, NULL);
    (void)pthread_join(threads[0], NULL);
    (void)pthread_join(threads[1], NULL);
    return 0;
}
