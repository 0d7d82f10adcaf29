/* An account: deposits hold its lock, a withdrawal does not. Between its read and its write of the
 * balance a deposit is lost. */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void *deposit(void *unused)
{
    pthread_mutex_lock(&lock);
    balance = balance + 50;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *withdraw(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    balance = balance - 30;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

int main(void)
{
    RUN(deposit, withdraw);
    assert(balance == 120);
    return 0;
}
