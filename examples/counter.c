/* Two threads count, and only one of them takes the lock: the program of the tutorial about
 * recording. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *careful(void *argument)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return argument;
}

static void *careless(void *argument)
{
    count++;
    return argument;
}

int main(void)
{
    pthread_t one;
    pthread_t two;
    pthread_create(&one, NULL, careful, NULL);
    pthread_create(&two, NULL, careless, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("%d\n", count);
    return 0;
}
