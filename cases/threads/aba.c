/* A stack of free nodes without locks. A pop reads the top and what is below it; meanwhile others
 * take both and give the top back. The top is the one that was read, the exchange succeeds, and
 * what becomes the top is in use. The twin counts every change beside the top. */
#include <stdatomic.h>
#include <stdbool.h>

#include "threads.h"

enum { NODES = 3, NONE = -1 };

/* The number of the top node, and in the upper half how often it was changed. */
static _Atomic uint64_t top;
static _Atomic int below[NODES] = {1, 2, NONE};
static atomic_int users[NODES];

static uint64_t top_after(uint64_t before, int node)
{
#ifdef FIXED
    const uint64_t changes = (before >> 32) + 1;
#else
    const uint64_t changes = before >> 32;
#endif
    return changes << 32 | (uint32_t)node;
}

static int pop(void)
{
    uint64_t seen = atomic_load(&top);
    int node = NONE;
    do {
        node = (int)(uint32_t)seen;
        if (node == NONE) {
            return NONE;
        }
    } while (
        !atomic_compare_exchange_strong(&top, &seen, top_after(seen, atomic_load(&below[node]))));
    assert(atomic_fetch_add(&users[node], 1) == 0);
    return node;
}

static void push(int node)
{
    atomic_fetch_sub(&users[node], 1);
    uint64_t seen = atomic_load(&top);
    do {
        atomic_store(&below[node], (int)(uint32_t)seen);
    } while (!atomic_compare_exchange_strong(&top, &seen, top_after(seen, node)));
}

static void *take_one(void *unused)
{
    (void)pop();
    (void)pop();
    return unused;
}

static void *take_two(void *unused)
{
    const int first = pop();
    (void)pop();
    if (first != NONE) {
        push(first);
    }
    return unused;
}

int main(void)
{
    RUN(take_one, take_two);
    return 0;
}
