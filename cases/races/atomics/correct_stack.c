/* Nodes are pushed onto a lock-free stack with release and taken with an acquire exchange.
 *
 * no race */
#include <sched.h>
#include <stdatomic.h>

#include "../race.h"

enum { NODES = 4 };

struct node {
    struct node *next;
    int value;
};

static struct node nodes[NODES];
static _Atomic(struct node *) top;

static void *pusher(void *unused)
{
    for (int i = 0; i < NODES; i++) {
        struct node *node = &nodes[i];
        node->value = i + 1;
        struct node *seen = atomic_load_explicit(&top, memory_order_relaxed);
        do {
            node->next = seen;
        } while (!atomic_compare_exchange_weak_explicit(&top, &seen, node, memory_order_release,
                                                        memory_order_relaxed));
    }
    return unused;
}

static void *popper(void *unused)
{
    int sum = 0;
    while (sum < NODES * (NODES + 1) / 2) {
        (void)sched_yield();
        struct node *node = atomic_exchange_explicit(&top, NULL, memory_order_acquire);
        while (node != NULL) {
            sum += node->value;
            node->value = 0;
            node = node->next;
        }
    }
    return unused;
}

int main(void)
{
    threads_run(pusher, popper);
    return 0;
}
