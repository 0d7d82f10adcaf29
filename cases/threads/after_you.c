/* Two who are too polite: each says that it wants to go in and then waits as long as the other
 * wants to. When both have said so, both wait, and are busy with it. */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "threads.h"

static atomic_bool wants[2];
static int entries;

static void *enter(void *which)
{
    const intptr_t self = (intptr_t)which;
    atomic_store(&wants[self], true);
    while (atomic_load(&wants[1 - self])) {
#ifdef FIXED
        if (self == 1) { /* one of them steps back */
            atomic_store(&wants[self], false);
            while (atomic_load(&wants[1 - self])) {
                sched_yield();
            }
            atomic_store(&wants[self], true);
        }
#endif
        sched_yield();
    }
    entries++;
    atomic_store(&wants[self], false);
    return NULL;
}

int main(void)
{
    RUN(enter, enter);
    assert(entries == 2);
    return 0;
}
