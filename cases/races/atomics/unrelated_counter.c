/* Two threads count events atomically and meet at that counter only; one changes the state before
 * it counts, the other after.
 *
 * race: state before after */
#include <stdatomic.h>

#include "../race.h"

static atomic_int events;
static int state;

static void *changes_before(void *unused)
{
    state = 1; /* before */
    atomic_fetch_add(&events, 1);
    return unused;
}

static void *changes_after(void *unused)
{
    atomic_fetch_add(&events, 1);
    state = 2; /* after */
    return unused;
}

int main(void)
{
    threads_run(changes_before, changes_after);
    MUST(state == 1 || state == 2);
    MUST(atomic_load(&events) == 2);
    return 0;
}
