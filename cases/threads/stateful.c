/* Two numbers whose sum must stay what it was, after the stateful programs of SV-COMP. A transfer
 * takes from one and gives to the other in a critical section each; who looks in between finds
 * less. */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first = 10, second = 10;

static void *transfer(void *which)
{
    const int amount = 1 + (int)(intptr_t)which;
    pthread_mutex_lock(&lock);
    first -= amount;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    second += amount;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *look(void *unused)
{
    pthread_mutex_lock(&lock);
    assert(first + second == 20);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(transfer, transfer, look);
    return 0;
}
