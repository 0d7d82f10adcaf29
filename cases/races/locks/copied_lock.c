/* Each thread gets its own copy of a struct with the lock in it, so that the lock excludes nobody.
 *
 * race: total add add */
#include "../race.h"

struct account {
    pthread_mutex_t lock;
    int *total;
};

static int total;

static void *add(void *argument)
{
    struct account *account = argument;
    MUST(pthread_mutex_lock(&account->lock) == 0);
    *account->total += 5; /* add */
    MUST(pthread_mutex_unlock(&account->lock) == 0);
    return NULL;
}

int main(void)
{
    struct account account = {.lock = PTHREAD_MUTEX_INITIALIZER, .total = &total};
    struct account copy = account;
    const pthread_t a = thread_start(add, &account);
    const pthread_t b = thread_start(add, &copy);
    thread_join(a);
    thread_join(b);
    return 0;
}
