/* Lamport's bakery without the door: a ticket is drawn in two steps, and who looks between them
 * sees none. Two with the same number both go in. */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "threads.h"

static atomic_bool is_drawing[2];
static atomic_int tickets[2];
static int count;

static void draw(int self, int other)
{
#ifdef FIXED
    atomic_store(&is_drawing[self], true);
#endif
    atomic_store(&tickets[self], atomic_load(&tickets[other]) + 1);
    atomic_store(&is_drawing[self], false);
}

static bool is_first(int self, int other)
{
    const int theirs = atomic_load(&tickets[other]);
    const int mine = atomic_load(&tickets[self]);
    return theirs == 0 || mine < theirs || (mine == theirs && self < other);
}

static void *add(void *which)
{
    const int self = (int)(intptr_t)which;
    const int other = 1 - self;
    draw(self, other);
    while (atomic_load(&is_drawing[other]) || !is_first(self, other)) {
        sched_yield();
    }
    count = count + 1;
    atomic_store(&tickets[self], 0);
    return NULL;
}

int main(void)
{
    RUN(add, add);
    assert(count == 2);
    return 0;
}
