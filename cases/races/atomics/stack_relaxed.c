/* Nodes are pushed onto a lock-free stack with release, but the popper takes the list with a
 * relaxed exchange.
 *
 * race: nodes fill read
 * may race: nodes link follow */
#include <sched.h>
#include <stdatomic.h>

#include "../race.h"

enum { NODES = 3 };

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
        node->value = i + 1; /* fill */
        struct node *seen = atomic_load_explicit(&top, memory_order_relaxed);
        do {
            node->next = seen; /* link */
        } while (!atomic_compare_exchange_weak_explicit(&top, &seen, node, memory_order_release,
                                                        memory_order_relaxed));
    }
    return unused;
}

static void *popper(void *unused)
{
    int left = NODES;
    while (left > 0) {
        (void)sched_yield();
        const struct node *node = atomic_exchange_explicit(&top, NULL, memory_order_relaxed);
        while (node != NULL) {
            MUST(node->value <= NODES); /* read */
            node = node->next;          /* follow */
            left--;
        }
    }
    return unused;
}

int main(void)
{
    threads_run(pusher, popper);
    return 0;
}
