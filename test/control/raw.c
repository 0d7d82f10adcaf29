/* System calls without a name of libc's, and those that libc makes for itself: a lock made of a
 * futex, clocks, sleeps, chance, and streams over pipes. A run ends with status 0 whoever goes
 * when. With -DBROKEN the one who leaves the lock wakes nobody: who waits, waits for ever. */
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "need.h"

enum { FREE, TAKEN, AWAITED };

static _Atomic uint32_t lock;
static int counter;

static long raw(long number, long a, long b, long c, long d)
{
    long result = number;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = 0;
    register long r9 __asm__("r9") = 0;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static void take(void)
{
    uint32_t expected = FREE;
    if (atomic_compare_exchange_strong(&lock, &expected, TAKEN)) {
        return;
    }
    while (atomic_exchange(&lock, AWAITED) != FREE) {
        (void)raw(SYS_futex, (long)&lock, FUTEX_WAIT_PRIVATE, AWAITED, 0);
    }
}

static void give(void)
{
    if (atomic_exchange(&lock, FREE) == AWAITED) {
#ifndef BROKEN
        (void)raw(SYS_futex, (long)&lock, FUTEX_WAKE_PRIVATE, 1, 0);
#endif
    }
}

static void *add(void *unused)
{
    take();
    const int before = counter;
    (void)raw(SYS_sched_yield, 0, 0, 0, 0);
    counter = before + 1;
    give();
    return unused;
}

static void use_lock(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        NEED(pthread_create(&threads[i], NULL, add, NULL) == 0);
    }
    for (int i = 0; i < 3; i++) {
        NEED(pthread_join(threads[i], NULL) == 0);
    }
    NEED(counter == 3);
}

static void use_time(void)
{
    struct timespec before;
    struct timespec after;
    const struct timespec hour = {.tv_sec = 3600};
    NEED(raw(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&before, 0, 0) == 0);
    NEED(raw(SYS_nanosleep, (long)&hour, 0, 0, 0) == 0);
    NEED(raw(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&after, 0, 0) == 0);
    NEED(after.tv_sec >= before.tv_sec + 3600);
    NEED(raw(SYS_getpid, 0, 0, 0, 0) == getpid() && raw(SYS_gettid, 0, 0, 0, 0) == gettid());
    NEED(raw(SYS_close, -1, 0, 0, 0) < 0);
}

static void *print_line(void *stream)
{
    NEED(fputs("hello\n", stream) >= 0 && fclose(stream) == 0);
    return NULL;
}

static void use_streams(void)
{
    int fds[2];
    char line[20] = "";
    pthread_t thread;
    NEED(pipe(fds) == 0);
    FILE *in = fdopen(fds[0], "r");
    FILE *out = fdopen(fds[1], "w");
    NEED(in != NULL && out != NULL && pthread_create(&thread, NULL, print_line, out) == 0);
    NEED(fgets(line, sizeof line, in) == line && strcmp(line, "hello\n") == 0);
    NEED(fgets(line, sizeof line, in) == NULL && feof(in));
    NEED(fclose(in) == 0 && pthread_join(thread, NULL) == 0);
}

static pthread_mutex_t locks[8] = {PTHREAD_MUTEX_INITIALIZER};

/* What is drawn decides what is done, so that a run that draws otherwise is another one. */
static void use_drawn(unsigned drawn)
{
    NEED(pthread_mutex_lock(&locks[drawn % 8]) == 0);
    NEED(pthread_mutex_unlock(&locks[drawn % 8]) == 0);
}

static void use_chance(void)
{
    unsigned char drawn[4] = {0};
    NEED(raw(SYS_getrandom, (long)&drawn[0], 1, 0, 0) == 1);
    const int fd = open("/dev/urandom", O_RDONLY);
    NEED(fd >= 0 && read(fd, &drawn[1], 1) == 1 && close(fd) == 0);
    FILE *stream = fopen("/dev/random", "r");
    NEED(stream != NULL && fread(&drawn[2], 1, 1, stream) == 1 && fclose(stream) == 0);
    NEED(getentropy(&drawn[3], 1) == 0);
    for (int i = 0; i < 4; i++) {
        use_drawn(drawn[i]);
    }
    srand((unsigned)time(NULL));
    use_drawn((unsigned)rand() / 7);
    use_drawn((unsigned)getpid());
    use_drawn((unsigned)((uintptr_t)pthread_self() >> 12));
    char name[] = "/tmp/clew-raw-XXXXXX";
    const int made = mkstemp(name);
    NEED(made >= 0 && close(made) == 0 && unlink(name) == 0);
    use_drawn((unsigned)name[sizeof name - 2]);
}

int main(void)
{
    use_lock();
    use_time();
    use_streams();
    use_chance();
    return 0;
}
