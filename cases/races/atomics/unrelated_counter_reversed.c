/* Two threads count events atomically and meet at that counter only. The one that changes the state
 * after it counts begins a moment later, so that its count nearly always comes last.
 *
 * race: state before after */
#include <stdatomic.h>

#include "../race.h"

static atomic_int events;
static int state;

static void *changes_before(void *unused)
{
    state = 1; /* before */
    events++;
    return unused;
}

static void *changes_after(void *unused)
{
    MUST(usleep(1000) == 0);
    events++;
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
