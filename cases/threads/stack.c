/* A stack without locks: a push reads the top, and writes it later without looking whether it is
 * still the one it has read. Another push in between is lost. */
#include <stdatomic.h>

#include "threads.h"

struct node {
    struct node *below;
};

static struct node nodes[2];
static struct node *_Atomic top;

static void *push(void *which)
{
    struct node *own = &nodes[(intptr_t)which];
    struct node *seen = atomic_load(&top);
#ifdef FIXED
    do {
        own->below = seen;
    } while (!atomic_compare_exchange_weak(&top, &seen, own));
#else
    own->below = seen;
    atomic_store(&top, own);
#endif
    return NULL;
}

int main(void)
{
    RUN(push, push);
    int count = 0;
    for (const struct node *n = atomic_load(&top); n != NULL; n = n->below) {
        count++;
    }
    assert(count == 2);
    return 0;
}
