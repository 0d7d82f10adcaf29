/* Two threads count under a lock, in a function of its own; a third thread waits until the counter
 * says that both are done, and takes what they have left.
 *
 * no race */
#include "../race.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int done;
    int parts[2];
} shared;

static void count(void)
{
    pthread_mutex_lock(&lock);
    shared.done++;
    pthread_mutex_unlock(&lock);
}

static int get(void)
{
    pthread_mutex_lock(&lock);
    const int done = shared.done;
    pthread_mutex_unlock(&lock);
    return done;
}

static void *first(void *unused)
{
    shared.parts[0] = 1;
    count();
    return unused;
}

static void *second(void *unused)
{
    shared.parts[1] = 2;
    count();
    return unused;
}

static void *taker(void *unused)
{
    while (get() < 2) {
        MUST(usleep(1000) == 0);
    }
    MUST(shared.parts[0] + shared.parts[1] == 3);
    return unused;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, NULL, taker, NULL);
    threads_run(first, second);
    pthread_join(a, NULL);
    return 0;
}
