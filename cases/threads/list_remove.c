/* A list whose nodes have a lock each, taken hand over hand. Whoever removes a node has locked only
 * the one before it: when the one behind it is removed at the same time, that comes back. */
#include "threads.h"

enum { NODES = 4 };

static struct node {
    pthread_mutex_t lock;
    struct node *next;
} nodes[NODES];

static void *remove_one(void *which)
{
    struct node *gone = &nodes[(intptr_t)which + 1];
    struct node *before = &nodes[0];
    pthread_mutex_lock(&before->lock);
    while (before->next != gone) {
        struct node *next = before->next;
        pthread_mutex_lock(&next->lock);
        pthread_mutex_unlock(&before->lock);
        before = next;
    }
#ifdef FIXED
    pthread_mutex_lock(&gone->lock);
#endif
    before->next = gone->next;
#ifdef FIXED
    pthread_mutex_unlock(&gone->lock);
#endif
    pthread_mutex_unlock(&before->lock);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < NODES; i++) {
        (void)pthread_mutex_init(&nodes[i].lock, NULL);
        nodes[i].next = i + 1 < NODES ? &nodes[i + 1] : NULL;
    }
    RUN(remove_one, remove_one);
    assert(nodes[0].next == &nodes[3]);
    return 0;
}
