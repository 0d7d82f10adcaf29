/* Hazard pointers (Michael, TPDS 2004) that are published too late: a reader does not look again
 * whether the node is still the current one after it has published it. The twin does. */
#include <stdatomic.h>

#include "threads.h"

struct node {
    int value;
};

static struct node *_Atomic current;
static struct node *_Atomic hazard;

static struct node *make(int value)
{
    struct node *node = malloc(sizeof *node);
    assert(node != NULL);
    node->value = value;
    return node;
}

static void *read_current(void *unused)
{
    struct node *node = atomic_load(&current);
    atomic_store(&hazard, node);
#ifdef FIXED
    while (node != atomic_load(&current)) {
        node = atomic_load(&current);
        atomic_store(&hazard, node);
    }
#endif
    assert(node->value > 0);
    atomic_store(&hazard, NULL);
    return unused;
}

/* Replaces the node; the old one is freed unless a reader says that it uses it. */
static void *replace(void *unused)
{
    struct node *old = atomic_exchange(&current, make(2));
    if (atomic_load(&hazard) != old) {
        free(old);
    }
    return unused;
}

int main(void)
{
    atomic_store(&current, make(1));
    RUN(read_current, replace);
    return 0;
}
