/* A ticket lock whose tickets wrap too soon: with two numbers and three customers, two draw the
 * same one and are served together. */
#include <sched.h>
#include <stdatomic.h>

#include "threads.h"

#ifdef FIXED
enum { NUMBERS = 1 << 16 };
#else
enum { NUMBERS = 2 };
#endif

static atomic_uint next_ticket, now_serving;
static int count;

static void *add(void *unused)
{
    const unsigned mine = atomic_fetch_add(&next_ticket, 1) % NUMBERS;
    while (atomic_load(&now_serving) % NUMBERS != mine) {
        sched_yield();
    }
    count = count + 1;
    atomic_fetch_add(&now_serving, 1);
    return unused;
}

int main(void)
{
    RUN(add, add, add);
    assert(count == 3);
    return 0;
}
