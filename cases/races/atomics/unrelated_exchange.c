/* Two threads leave their number in one atomic variable by an exchange whose result nobody uses.
 *
 * race: state before after */
#include <stdatomic.h>

#include "../race.h"

static atomic_int last;
static int state;

static void *changes_before(void *unused)
{
    state = 1; /* before */
    (void)atomic_exchange(&last, 1);
    return unused;
}

static void *changes_after(void *unused)
{
    MUST(usleep(1000) == 0);
    (void)atomic_exchange(&last, 2);
    state = 2; /* after */
    return unused;
}

int main(void)
{
    threads_run(changes_before, changes_after);
    MUST(state == 1 || state == 2);
    MUST(atomic_load(&last) != 0);
    return 0;
}
