/* A function that holds a recursive mutex calls one that takes it again.
 *
 * no race */
#include "../race.h"

static pthread_mutex_t lock;
static int entries;
static int sum;

static void add(int value)
{
    MUST(pthread_mutex_lock(&lock) == 0);
    sum += value;
    MUST(pthread_mutex_unlock(&lock) == 0);
    entries++;
}

static void *add_two(void *unused)
{
    MUST(pthread_mutex_lock(&lock) == 0);
    add(3);
    add(4);
    MUST(pthread_mutex_unlock(&lock) == 0);
    return unused;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    MUST(pthread_mutexattr_init(&attributes) == 0);
    MUST(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE) == 0);
    MUST(pthread_mutex_init(&lock, &attributes) == 0);
    threads_run(add_two, add_two);
    MUST(entries == 4 && sum == 14);
    return 0;
}
