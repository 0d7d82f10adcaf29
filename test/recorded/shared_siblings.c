/* Two children map one shared memory object, each for itself and at another address. A semaphore,
 * an atomic flag or a barrier in the memory orders what they do.
 *
 * race: first_writes second_writes */
#include <semaphore.h>
#include <stdatomic.h>

#include "shared.h"

struct shared {
    sem_t ready;
    pthread_barrier_t both;
    long unguarded, handed_over, published, before_barrier;
    _Atomic int is_published;
};

static char name[64];

static struct shared *map_object(void)
{
    const int fd = shm_open(name, O_RDWR, 0600);
    CLAIM(fd >= 0);
    struct shared *s = map_shared(fd, sizeof *s);
    CLAIM(close(fd) == 0);
    return s;
}

static void first(void)
{
    struct shared *s = map_object();
    s->unguarded = 1; /* first_writes */
    s->handed_over = 1;
    CLAIM(sem_post(&s->ready) == 0);
    s->published = 1;
    atomic_store_explicit(&s->is_published, 1, memory_order_release);
    s->before_barrier = 1;
    CLAIM(pthread_barrier_wait(&s->both) <= 0);
}

static void second(void)
{
    (void)map_shared(-1, PAGE); /* so that the addresses differ */
    struct shared *s = map_object();
    s->unguarded = 2; /* second_writes */
    CLAIM(sem_wait(&s->ready) == 0);
    CLAIM(s->handed_over == 1);
    while (atomic_load_explicit(&s->is_published, memory_order_acquire) == 0) {
        (void)usleep(100);
    }
    CLAIM(s->published == 1);
    CLAIM(pthread_barrier_wait(&s->both) <= 0);
    CLAIM(s->before_barrier == 1);
}

int main(void)
{
    (void)snprintf(name, sizeof name, "/clew-test-siblings-%d", (int)getpid());
    const int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    CLAIM(fd >= 0 && ftruncate(fd, sizeof(struct shared)) == 0);
    struct shared *s = map_shared(fd, sizeof *s);
    pthread_barrierattr_t attributes;
    CLAIM(sem_init(&s->ready, 1, 0) == 0);
    CLAIM(pthread_barrierattr_init(&attributes) == 0);
    CLAIM(pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0);
    CLAIM(pthread_barrier_init(&s->both, &attributes, 2) == 0);
    const pid_t a = start(first);
    const pid_t b = start(second);
    wait_for(a);
    wait_for(b);
    CLAIM(shm_unlink(name) == 0);
    return 0;
}
