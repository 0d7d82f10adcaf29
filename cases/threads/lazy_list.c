/* The lazy list of Heller and others (OPODIS 2005): an update finds its place without locks, locks
 * two nodes, and validates that both are still in the list. Here the validation does not ask
 * whether the first of them was removed meanwhile: what is added behind it is lost. */
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "threads.h"

struct node {
    int key;
    atomic_bool is_removed;
    struct node *_Atomic next;
    pthread_mutex_t lock;
};

static struct node last = {.key = INT_MAX, .lock = PTHREAD_MUTEX_INITIALIZER};
static struct node ten = {.key = 10, .next = &last, .lock = PTHREAD_MUTEX_INITIALIZER};
static struct node first = {.key = INT_MIN, .next = &ten, .lock = PTHREAD_MUTEX_INITIALIZER};
static struct node twenty = {.key = 20, .lock = PTHREAD_MUTEX_INITIALIZER};

/* Locks the node with the least key that is not below `key`, and the one before it. */
static void locate(int key, struct node **before, struct node **at)
{
    for (;;) {
        *before = &first;
        *at = atomic_load(&first.next);
        while ((*at)->key < key) {
            *before = *at;
            *at = atomic_load(&(*at)->next);
        }
        pthread_mutex_lock(&(*before)->lock);
        pthread_mutex_lock(&(*at)->lock);
        bool is_valid = !atomic_load(&(*at)->is_removed) && atomic_load(&(*before)->next) == *at;
#ifdef FIXED
        is_valid = is_valid && !atomic_load(&(*before)->is_removed);
#endif
        if (is_valid) {
            return;
        }
        pthread_mutex_unlock(&(*at)->lock);
        pthread_mutex_unlock(&(*before)->lock);
    }
}

static void *add(void *unused)
{
    struct node *before, *at;
    locate(twenty.key, &before, &at);
    atomic_store(&twenty.next, at);
    atomic_store(&before->next, &twenty);
    pthread_mutex_unlock(&at->lock);
    pthread_mutex_unlock(&before->lock);
    return unused;
}

static void *take_out(void *unused)
{
    struct node *before, *at;
    locate(ten.key, &before, &at);
    assert(at == &ten);
    atomic_store(&at->is_removed, true);
    atomic_store(&before->next, atomic_load(&at->next));
    pthread_mutex_unlock(&at->lock);
    pthread_mutex_unlock(&before->lock);
    return unused;
}

int main(void)
{
    RUN(add, take_out);
    assert(atomic_load(&first.next) == &twenty);
    return 0;
}
