/* A sorted list without locks, after Harris (DISC 2001). A node is removed by one compare-and-swap
 * of its predecessor's pointer; without the mark on its own pointer, an insertion behind it at the
 * same time is lost. The twin marks first. */
#include <stdatomic.h>
#include <stdbool.h>

#include "threads.h"

struct node {
    _Atomic uintptr_t next; /* the lowest bit is the mark */
    int key;
};

static struct node tail = {.key = 9};
static struct node second = {.key = 4};
static struct node middle = {.key = 3};
static struct node head = {.key = 0};

static bool swing(struct node *node, uintptr_t from, uintptr_t to)
{
    return atomic_compare_exchange_strong(&node->next, &from, to);
}

/* Inserts behind the last node with a smaller key. */
static void *insert(void *unused)
{
    bool is_done = false;
    while (!is_done) {
        struct node *before = &head;
        uintptr_t next = atomic_load(&before->next);
        while ((next & 1) == 0 && ((struct node *)next)->key < second.key) {
            before = (struct node *)next;
            next = atomic_load(&before->next);
        }
        if ((next & 1) == 0) {
            atomic_store(&second.next, next);
            is_done = swing(before, next, (uintptr_t)&second);
        }
    }
    return unused;
}

static void *remove_middle(void *unused)
{
    bool is_done = false;
    while (!is_done) {
        const uintptr_t next = atomic_load(&middle.next);
#ifdef FIXED
        is_done = swing(&middle, next, next | 1) && swing(&head, (uintptr_t)&middle, next);
#else
        is_done = swing(&head, (uintptr_t)&middle, next);
#endif
    }
    return unused;
}

static int count_keys(void)
{
    int count = 0;
    for (struct node *node = &head; node != &tail; count++) {
        node = (struct node *)(atomic_load(&node->next) & ~(uintptr_t)1);
    }
    return count;
}

int main(void)
{
    atomic_init(&middle.next, (uintptr_t)&tail);
    atomic_init(&head.next, (uintptr_t)&middle);
    RUN(insert, remove_middle);
    assert(count_keys() == 2);
    return 0;
}
