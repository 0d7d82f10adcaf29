/* Ten accounts, each with a lock of its own, and three threads that each work on all of them. Every
 * operation locks what it uses from its first access to its last.
 *
 * correct */
#include "kernel.h"

enum { ACCOUNTS = 10, THREADS = 3, PASSES = 4, BALANCE = 100 };

struct account {
    pthread_mutex_t lock;
    long balance;
    long changes;
};

static struct account accounts[ACCOUNTS];

static void account_deposit(struct account *a, long amount)
{
    pthread_mutex_lock(&a->lock);
    a->balance += amount;
    a->changes++;
    pthread_mutex_unlock(&a->lock);
}

static int account_withdraw(struct account *a, long amount)
{
    pthread_mutex_lock(&a->lock);
    const int is_enough = a->balance >= amount;
    if (is_enough) {
        a->balance -= amount;
        a->changes++;
    }
    pthread_mutex_unlock(&a->lock);
    return is_enough;
}

/* Both locks, the first account's first. */
static void account_transfer(int from, int to, long amount)
{
    struct account *first = &accounts[from < to ? from : to];
    struct account *second = &accounts[from < to ? to : from];
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    if (accounts[from].balance >= amount) {
        accounts[from].balance -= amount;
        accounts[to].balance += amount;
        accounts[from].changes++;
        accounts[to].changes++;
    }
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}

static void *clerk(void *unused)
{
    for (int pass = 0; pass < PASSES; pass++) {
        for (int i = 0; i < ACCOUNTS; i++) {
            account_deposit(&accounts[i], 5);
            if (!account_withdraw(&accounts[i], 5)) {
                abort();
            }
            account_transfer(i, (i + 1) % ACCOUNTS, 1);
        }
    }
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < ACCOUNTS; i++) {
        pthread_mutex_init(&accounts[i].lock, NULL);
        accounts[i].balance = BALANCE;
    }
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, clerk, NULL) != 0) {
            return 2;
        }
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    long total = 0;
    for (int i = 0; i < ACCOUNTS; i++) {
        total += accounts[i].balance;
    }
    return total == ACCOUNTS * (long)BALANCE ? 0 : 1;
}
