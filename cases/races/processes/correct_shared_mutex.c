/* Parent and child lock a process-shared mutex in the memory that they share.
 *
 * no race */
#include "../race.h"

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account *account;

static void add(void)
{
    for (int i = 0; i < 3; i++) {
        MUST(pthread_mutex_lock(&account->lock) == 0);
        account->balance++;
        MUST(pthread_mutex_unlock(&account->lock) == 0);
    }
}

int main(void)
{
    pthread_mutexattr_t attributes;
    account = shared_memory(sizeof *account);
    MUST(pthread_mutexattr_init(&attributes) == 0);
    MUST(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0);
    MUST(pthread_mutex_init(&account->lock, &attributes) == 0);
    const pid_t child = process_start(add);
    add();
    process_join(child);
    MUST(account->balance == 6);
    return 0;
}
