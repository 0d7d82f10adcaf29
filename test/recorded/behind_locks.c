/* Races that the order of critical sections hides in the run: before one and after the other, and
 * inside one and after the other.
 * race: before after
 * race: inside beyond */
#include <unistd.h>

#include "program.h"

static volatile long outer, inner; /* kept by the compiler */
static long counted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int turn;

/* An order that the recorder does not see, so that the sections come in this one. */
__attribute__((no_sanitize("thread"))) static void hand_on(void)
{
    turn = 1;
}
__attribute__((no_sanitize("thread"))) static void wait_for_turn(void)
{
    while (turn == 0) {
        usleep(100);
    }
}

static void *first(void *unused)
{
    outer = 1; /* before */
    pthread_mutex_lock(&lock);
    inner = 1; /* inside */
    pthread_mutex_unlock(&lock);
    hand_on();
    return unused;
}

static void *second(void *unused)
{
    wait_for_turn();
    pthread_mutex_lock(&lock);
    counted++;
    pthread_mutex_unlock(&lock);
    outer = 2; /* after */
    inner = 2; /* beyond */
    return unused;
}

int main(void)
{
    run_both(first, second);
    CLAIM(counted == 1);
    return 0;
}
