/* A handler that counts in two steps what its thread counts too. With -DBROKEN the thread does not
 * keep the signal off meanwhile, and a count may be lost. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static volatile int counter;
static atomic_int is_sent;

static void count(int signal)
{
    (void)signal;
    counter = counter + 1;
}

static void *work(void *unused)
{
    sigset_t one;
    (void)sigemptyset(&one);
    (void)sigaddset(&one, SIGUSR1);
#ifndef BROKEN
    (void)pthread_sigmask(SIG_BLOCK, &one, NULL);
#endif
    counter = counter + 1;
    (void)pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    while (atomic_load(&is_sent) == 0) {
        (void)sched_yield();
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    (void)signal(SIGUSR1, count);
    (void)pthread_create(&thread, NULL, work, NULL);
    (void)pthread_kill(thread, SIGUSR1);
    atomic_store(&is_sent, 1);
    (void)pthread_join(thread, NULL);
    return counter == 2 ? 0 : 3;
}
