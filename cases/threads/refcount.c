/* A block with a count of its users: the last to leave frees it. The count goes down and is looked
 * at in two steps, in between of which it may be somebody else's to free. */
#include <stdatomic.h>

#include "threads.h"

struct block {
    atomic_int users;
};

static struct block *shared;

static void *leave(void *unused)
{
#ifdef FIXED
    const int before = atomic_fetch_sub(&shared->users, 1);
    if (before == 1) {
        free(shared);
    }
#else
    atomic_fetch_sub(&shared->users, 1);
    if (atomic_load(&shared->users) == 0) {
        free(shared);
    }
#endif
    return unused;
}

int main(void)
{
    shared = malloc(sizeof *shared);
    assert(shared != NULL);
    atomic_init(&shared->users, 2);
    RUN(leave, leave);
    return 0;
}
