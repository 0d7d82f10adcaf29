/* A bank whose every access holds the lock. Blocks are freed and their memory used again.
 * no race */
#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long *balance;

static void *deposit(void *unused)
{
    for (int i = 0; i < 50; i++) {
        long *receipt = malloc(sizeof *receipt);
        CLAIM(receipt != NULL);
        *receipt = i;
        pthread_mutex_lock(&lock);
        *balance += *receipt;
        pthread_mutex_unlock(&lock);
        free(receipt);
    }
    return unused;
}

int main(void)
{
    balance = calloc(1, sizeof *balance);
    CLAIM(balance != NULL);
    run_both(deposit, deposit);
    CLAIM(*balance == 49 * 50);
    free(balance);
    return 0;
}
