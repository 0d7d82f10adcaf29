/* What a signal handler does is recorded, also when it interrupts the recorder itself: as many
 * posts as waits, and every lock released by its holder.
 *
 * expect: 2000 sem-post s
 * expect: 2000 sem-wait s
 * expect: 50000 lock m */
#include <semaphore.h>
#include <signal.h>

#include "program.h"

enum { SIGNALS = 2000, LOCKS = 50000 };

static sem_t s;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_done;

static void post(int number)
{
    (void)number;
    CLAIM(sem_post(&s) == 0);
}

static void *run(void *argument)
{
    for (int i = 0; i < LOCKS; i++) {
        CLAIM(pthread_mutex_lock(&m) == 0);
        CLAIM(pthread_mutex_unlock(&m) == 0);
    }
    while (!is_done) {
        (void)sched_yield();
    }
    return argument;
}

int main(void)
{
    const struct sigaction action = {.sa_handler = post, .sa_flags = SA_RESTART};
    CLAIM(sem_init(&s, 0, 0) == 0);
    CLAIM(sigaction(SIGUSR1, &action, NULL) == 0);
    const pthread_t thread = thread_begin(run, NULL);
    for (int i = 0; i < SIGNALS; i++) {
        CLAIM(pthread_kill(thread, SIGUSR1) == 0);
        CLAIM(sem_wait(&s) == 0);
    }
    is_done = 1;
    thread_wait(thread);
    return 0;
}
