/* A bank account with an auditor, after the account program of the SCTBench suite. Every access
 * holds the lock, but the withdrawal reads the balance in one critical section and writes it in
 * another: a deposit between the two is lost. The auditor looks only when both are done. */
#include <stdbool.h>

#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;
static bool is_deposited, is_withdrawn;

static void *deposit(void *unused)
{
    pthread_mutex_lock(&lock);
    balance += 50;
    is_deposited = true;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *withdraw(void *unused)
{
    pthread_mutex_lock(&lock);
    const int seen = balance;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    balance = seen - 30;
    is_withdrawn = true;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *audit(void *unused)
{
    pthread_mutex_lock(&lock);
    assert(!is_deposited || !is_withdrawn || balance == 120);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(deposit, withdraw, audit);
    return 0;
}
