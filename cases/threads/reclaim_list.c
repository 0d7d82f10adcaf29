/* A list that is read without locks, after Michael's hazard pointers (TPDS 2004), which it lacks: a
 * removed node is freed while a reader may still stand on it. The twin frees when nobody reads. */
#include <stdatomic.h>

#include "threads.h"

enum { NODES = 3 };

struct node {
    struct node *_Atomic next;
    int key;
};

static struct node *_Atomic first;
static struct node *removed;

static void add_first(int key)
{
    struct node *node = malloc(sizeof *node);
    assert(node != NULL);
    node->key = key;
    atomic_init(&node->next, atomic_load(&first));
    atomic_store(&first, node);
}

static void *read_all(void *unused)
{
    int sum = 0;
    for (struct node *node = atomic_load(&first); node != NULL; node = atomic_load(&node->next)) {
        sum += node->key;
    }
    assert(sum <= NODES * (NODES + 1) / 2);
    return unused;
}

static void *remove_second(void *unused)
{
    struct node *before = atomic_load(&first);
    removed = atomic_load(&before->next);
    atomic_store(&before->next, atomic_load(&removed->next));
#ifndef FIXED
    free(removed);
#endif
    return unused;
}

int main(void)
{
    for (int key = 1; key <= NODES; key++) {
        add_first(key);
    }
    RUN(read_all, remove_second, read_all);
#ifdef FIXED
    free(removed);
#endif
    return 0;
}
