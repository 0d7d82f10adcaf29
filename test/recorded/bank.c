/* A bank: deposits hold the lock, the transfer forgot it.
 * race: deposit transfer */
#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long balance = 100;

static void *deposit(void *unused)
{
    pthread_mutex_lock(&lock);
    balance += 10; /* deposit */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *transfer(void *unused)
{
    balance -= 5; /* transfer */
    return unused;
}

int main(void)
{
    run_both(deposit, transfer);
    return 0;
}
