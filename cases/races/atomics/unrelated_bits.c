/* Two threads set their bits in one word and do not look at the bits that were there. That orders
 * nothing: each may be the first.
 *
 * race: state before after */
#include <stdatomic.h>

#include "../race.h"

static atomic_uint done;
static int state;

static void *changes_before(void *unused)
{
    state = 1; /* before */
    atomic_fetch_or_explicit(&done, 1, memory_order_acq_rel);
    return unused;
}

static void *changes_after(void *unused)
{
    MUST(usleep(1000) == 0);
    atomic_fetch_or_explicit(&done, 2, memory_order_acq_rel);
    state = 2; /* after */
    return unused;
}

int main(void)
{
    threads_run(changes_before, changes_after);
    MUST(state == 1 || state == 2);
    MUST(atomic_load(&done) == 3);
    return 0;
}
