/* Two processes take locks in shared memory in both orders.
 *
 * deadlock: one>two three>four */
#include <sys/mman.h>
#include <sys/wait.h>

#include "threads.h"

struct shared {
    pthread_mutex_t a, b;
};

static void prepare(struct shared *s)
{
    pthread_mutexattr_t attributes;
    NEED(pthread_mutexattr_init(&attributes) == 0);
    NEED(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0);
    NEED(pthread_mutex_init(&s->a, &attributes) == 0);
    NEED(pthread_mutex_init(&s->b, &attributes) == 0);
}

int main(void)
{
    struct shared *s =
        mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    NEED(s != MAP_FAILED);
    prepare(s);
    const pid_t child = fork();
    NEED(child >= 0);
    if (child == 0) {
        await_turn(1);
        NEED(pthread_mutex_lock(&s->b) == 0); /* three */
        NEED(pthread_mutex_lock(&s->a) == 0); /* four */
        NEED(pthread_mutex_unlock(&s->a) == 0);
        NEED(pthread_mutex_unlock(&s->b) == 0);
        return 0;
    }
    NEED(pthread_mutex_lock(&s->a) == 0); /* one */
    NEED(pthread_mutex_lock(&s->b) == 0); /* two */
    NEED(pthread_mutex_unlock(&s->b) == 0);
    NEED(pthread_mutex_unlock(&s->a) == 0);
    NEED(waitpid(child, NULL, 0) == child);
    return 0;
}
