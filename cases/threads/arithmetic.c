/* A sum whose terms come from another thread, after the arithmetic_prog program of the SCTBench
 * suite. The consumer says that it has ended before it has added the last term. */
#include <stdbool.h>

#include "threads.h"

enum { TERMS = 3, TOTAL = TERMS * (TERMS + 1) / 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int term; /* 0 when it was taken */
static int total;
static bool is_ended;

static void *produce(void *unused)
{
    for (int i = 1; i <= TERMS; i++) {
        pthread_mutex_lock(&lock);
        while (term != 0) {
            pthread_cond_wait(&changed, &lock);
        }
        term = i;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void add(int taken)
{
    pthread_mutex_lock(&lock);
    total += taken;
    pthread_mutex_unlock(&lock);
}

static void end(void)
{
    pthread_mutex_lock(&lock);
    is_ended = true;
    pthread_mutex_unlock(&lock);
}

static void *consume(void *unused)
{
    for (int i = 1; i <= TERMS; i++) {
        pthread_mutex_lock(&lock);
        while (term == 0) {
            pthread_cond_wait(&changed, &lock);
        }
        const int taken = term;
        term = 0;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
#ifdef FIXED
        add(taken);
        if (i == TERMS) {
            end();
        }
#else
        if (i == TERMS) {
            end();
        }
        add(taken);
#endif
    }
    return unused;
}

static void *check(void *unused)
{
    pthread_mutex_lock(&lock);
    assert(!is_ended || total == TOTAL);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(produce, consume, check);
    return 0;
}
