/* After bug 45605 of Apache's worker MPM: the number of idle workers is an atomic counter. A worker
 * reads it, increments it, and wakes the listener if it was zero; the listener looks whether it is
 * zero and decrements it. If the listener takes the last idler between the worker's read and its
 * increment, nobody wakes it, or the counter passes below zero.
 *
 * couple: idlers previous, idlers increment
 * couple: idlers check, idlers decrement */
#include "kernel.h"

#include <stdatomic.h>

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t idler;
    atomic_int idlers; /* in the fixed twin, below zero: the listener waits */
    int wakeups;
} queue_info = {.mutex = PTHREAD_MUTEX_INITIALIZER, .idler = PTHREAD_COND_INITIALIZER, .idlers = 1};

static int accepted;

#ifdef FIXED
static void set_idle(void)
{
    if (atomic_fetch_add(&queue_info.idlers, 1) < 0) {
        pthread_mutex_lock(&queue_info.mutex);
        queue_info.wakeups++;
        pthread_cond_signal(&queue_info.idler);
        pthread_mutex_unlock(&queue_info.mutex);
    }
}

static void wait_for_idler(void)
{
    if (atomic_fetch_sub(&queue_info.idlers, 1) <= 0) {
        pthread_mutex_lock(&queue_info.mutex);
        while (queue_info.wakeups == 0) {
            pthread_cond_wait(&queue_info.idler, &queue_info.mutex);
        }
        queue_info.wakeups--;
        pthread_mutex_unlock(&queue_info.mutex);
    }
}
#else
static void set_idle(void)
{
    const int previous = atomic_load(&queue_info.idlers); /* previous */
    atomic_fetch_add(&queue_info.idlers, 1);              /* increment */
    if (previous == 0) {
        pthread_mutex_lock(&queue_info.mutex);
        pthread_cond_signal(&queue_info.idler);
        pthread_mutex_unlock(&queue_info.mutex);
    }
}

static void wait_for_idler(void)
{
    if (atomic_load(&queue_info.idlers) == 0) { /* check */
        pthread_mutex_lock(&queue_info.mutex);
        while (atomic_load(&queue_info.idlers) == 0) { /* check */
            pthread_cond_wait(&queue_info.idler, &queue_info.mutex);
        }
        pthread_mutex_unlock(&queue_info.mutex);
    }
    atomic_fetch_sub(&queue_info.idlers, 1); /* decrement */
}
#endif

static void *worker(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        set_idle();
    }
    return unused;
}

static void *listener(void *unused)
{
    kernel_late();
    for (int i = 0; i < ROUNDS; i++) {
        wait_for_idler();
        accepted++;
    }
    return unused;
}

static int is_wrong(void)
{
    return accepted != ROUNDS || queue_info.idlers != 1;
}

int main(void)
{
    return kernel_run(worker, listener, is_wrong);
}
