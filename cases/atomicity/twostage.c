/* After IBM's benchmark TwoStage: a value is set in two stages, each under a lock of its own. Who
 * looks between the stages finds the first table ahead of the second.
 *
 * couple: first set_first, second set_second
 * couple: first read_first, second read_second */
#include "kernel.h"

static struct {
    pthread_mutex_t first_lock;
    pthread_mutex_t second_lock;
    long first;
    long second;
} data = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, 0, 0};

static int mismatches;

static void set(long value)
{
    pthread_mutex_lock(&data.first_lock);
    data.first = value; /* set_first */
#ifndef FIXED
    pthread_mutex_unlock(&data.first_lock);
#endif
    pthread_mutex_lock(&data.second_lock);
    data.second = value + 1; /* set_second */
    pthread_mutex_unlock(&data.second_lock);
#ifdef FIXED
    pthread_mutex_unlock(&data.first_lock);
#endif
}

static void check(void)
{
    pthread_mutex_lock(&data.first_lock);
    const long first = data.first; /* read_first */
#ifndef FIXED
    pthread_mutex_unlock(&data.first_lock);
#endif
    if (first != 0) {
        pthread_mutex_lock(&data.second_lock);
        const long second = data.second; /* read_second */
        pthread_mutex_unlock(&data.second_lock);
        mismatches += second != first + 1;
    }
#ifdef FIXED
    pthread_mutex_unlock(&data.first_lock);
#endif
}

static void *writer(void *unused)
{
    for (long value = 40; value < 40 + ROUNDS; value++) {
        set(value);
    }
    return unused;
}

static void *reader(void *unused)
{
    kernel_late();
    check();
    return unused;
}

static int is_wrong(void)
{
    return mismatches != 0;
}

int main(void)
{
    return kernel_run(writer, reader, is_wrong);
}
