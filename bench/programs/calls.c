/* One thread that makes a call, which the first argument names, as often as the second says: what a
 * call costs is told by runs of two lengths. */
#define _GNU_SOURCE
#include <clew/clew.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void lock_and_unlock(long i)
{
    (void)i;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

static void look_at_the_clock(long i)
{
    struct timespec now;
    (void)i;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
}

static void draw(long i)
{
    (void)getrandom(&i, sizeof i, 0);
}

static void ask_who(long i)
{
    (void)i;
    (void)getpid();
}

static void allocate(long i)
{
    void *volatile block = malloc((size_t)(16 + i % 64));
    free(block);
}

static void yield(long i)
{
    (void)i;
    (void)sched_yield();
}

static void report(long i)
{
    clew_var("x", i);
}

static long cell;

static void access_cell(long i)
{
    __atomic_store_n(&cell, i, __ATOMIC_SEQ_CST);
}

static const struct {
    const char *name;
    void (*make)(long i);
} calls[] = {
    {"mutex", lock_and_unlock},
    {"clock", look_at_the_clock},
    {"random", draw},
    {"pid", ask_who},
    {"malloc", allocate},
    {"yield", yield},
    {"var", report},
    {"atomic", access_cell},
};

int main(int argc, char **argv)
{
    const long count = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    for (size_t k = 0; argc > 1 && k < sizeof calls / sizeof calls[0]; k++) {
        if (strcmp(argv[1], calls[k].name) == 0) {
            for (long i = 0; i < count; i++) {
                calls[k].make(i);
            }
            return 0;
        }
    }
    (void)fprintf(stderr, "calls: no such call\n");
    return 2;
}
