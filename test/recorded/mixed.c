/* A counter that all change atomically but one, who reads it as it is; and a flag that is set with
 * a plain store before the other thread is there, which is right.
 * race: change look */
#include <stdatomic.h>

#include "program.h"

static long count;
static long ready;

static void *change(void *unused)
{
    CLAIM(__atomic_load_n(&ready, __ATOMIC_RELAXED) == 1);
    for (int i = 0; i < 10; i++) {
        __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED); /* change */
    }
    return unused;
}

static void *look(void *unused)
{
    static long seen;
    seen = count; /* look */
    CLAIM(seen >= 0);
    return unused;
}

int main(void)
{
    ready = 1;
    run_both(change, look);
    return 0;
}
