/* The last owner clears the object, but the counts are dropped relaxed: the other's use is not
 * ordered before that.
 *
 * race: object.value use clear */
#include <stdatomic.h>

#include "../race.h"

static struct {
    atomic_int references;
    int value;
} object = {.references = 2, .value = 1};

static void *owner(void *unused)
{
    MUST(object.value == 1); /* use */
    if (atomic_fetch_sub_explicit(&object.references, 1, memory_order_relaxed) == 1) {
        object.value = 0; /* clear */
    }
    return unused;
}

int main(void)
{
    threads_run(owner, owner);
    return 0;
}
