/* The queue of Michael and Scott (PODC 1996) without its modification counters. A dequeue reads the
 * head and its successor; meanwhile another thread takes both, puts the first node in again and
 * takes until it is the head once more. The compare-and-swap succeeds (ABA), and a node that is in
 * use becomes the head: a value comes out twice. */
#include <stdatomic.h>
#include <stdbool.h>

#include "threads.h"

enum { NODES = 5, VALUES = 8, NONE = 0xff };

/* A link is a node's number; in the twin its upper bits count the changes. */
typedef unsigned link;

struct node {
    _Atomic link next;
    atomic_int value;
};

static struct node nodes[NODES] = {{1, 0}, {2, 1}, {3, 2}, {NONE, 3}, {NONE, 0}};
static _Atomic link head, tail = 3;
static atomic_int taken[VALUES];

static int node_of(link at)
{
    return (int)(at & NONE);
}

static link changed(link before, int node)
{
#ifdef FIXED
    return ((before & ~(link)NONE) + NONE + 1) | (link)node;
#else
    (void)before;
    return (link)node;
#endif
}

static void enqueue(int node, int value)
{
    atomic_store(&nodes[node].value, value);
    atomic_store(&nodes[node].next, changed(atomic_load(&nodes[node].next), NONE));
    for (;;) {
        link last = atomic_load(&tail);
        link next = atomic_load(&nodes[node_of(last)].next);
        if (last != atomic_load(&tail)) {
            continue;
        }
        if (node_of(next) != NONE) { /* help */
            atomic_compare_exchange_strong(&tail, &last, changed(last, node_of(next)));
        } else if (atomic_compare_exchange_strong(&nodes[node_of(last)].next, &next,
                                                  changed(next, node))) {
            atomic_compare_exchange_strong(&tail, &last, changed(last, node));
            return;
        }
    }
}

/* The node that is free now; NONE where the queue was empty. */
static int dequeue(void)
{
    for (;;) {
        link first = atomic_load(&head);
        link last = atomic_load(&tail);
        const link next = atomic_load(&nodes[node_of(first)].next);
        if (first != atomic_load(&head)) {
            continue;
        }
        if (node_of(next) == NONE) {
            return NONE;
        }
        if (node_of(first) == node_of(last)) { /* help */
            atomic_compare_exchange_strong(&tail, &last, changed(last, node_of(next)));
            continue;
        }
        const int value = atomic_load(&nodes[node_of(next)].value);
        if (atomic_compare_exchange_strong(&head, &first, changed(first, node_of(next)))) {
            assert(atomic_fetch_add(&taken[value], 1) == 0);
            return node_of(first);
        }
    }
}

static void *take_one(void *unused)
{
    (void)dequeue();
    (void)dequeue();
    return unused;
}

static void *take_and_put(void *unused)
{
    const int node = dequeue();
    (void)dequeue();
    if (node != NONE) {
        enqueue(node, 4);
    }
    (void)dequeue();
    return unused;
}

int main(void)
{
    RUN(take_one, take_and_put);
    return 0;
}
