/* A lock made of a futex, by system calls alone. With -DBROKEN the one who leaves wakes nobody: who
 * waits, waits for ever. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FREE, TAKEN, AWAITED, BAD = 3 };

static _Atomic uint32_t lock;
static int counter;

static long futex(int operation, uint32_t value, const struct timespec *time)
{
    return syscall(SYS_futex, &lock, operation, value, time, NULL, 0);
}

static void take(void)
{
    uint32_t expected = FREE;
    if (atomic_compare_exchange_strong(&lock, &expected, TAKEN)) {
        return;
    }
    while (atomic_exchange(&lock, AWAITED) != FREE) {
        (void)futex(FUTEX_WAIT_PRIVATE, AWAITED, NULL);
    }
}

static void give(void)
{
    if (atomic_exchange(&lock, FREE) == AWAITED) {
#ifndef BROKEN
        (void)futex(FUTEX_WAKE_PRIVATE, 1, NULL);
#endif
    }
}

static void *add(void *unused)
{
    take();
    const int before = counter;
    counter = before + 1;
    give();
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    const struct timespec second = {.tv_sec = 1};
    if (futex(FUTEX_WAIT_PRIVATE, FREE, &second) != -1 || futex(FUTEX_WAKE_PRIVATE, 1, NULL) != 0) {
        return BAD;
    }
    for (int i = 0; i < 3; i++) {
        (void)pthread_create(&threads[i], NULL, add, NULL);
    }
    for (int i = 0; i < 3; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    return counter == 3 ? 0 : BAD;
}
