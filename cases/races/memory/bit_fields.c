/* Two threads set different bit-fields, which lie in one word.
 *
 * race: flags left right */
#include "../race.h"

static struct {
    unsigned is_open : 1;
    unsigned is_dirty : 1;
} flags;

static void *opener(void *unused)
{
    flags.is_open = 1; /* left */
    return unused;
}

static void *writer(void *unused)
{
    flags.is_dirty = 1; /* right */
    return unused;
}

int main(void)
{
    threads_run(opener, writer);
    MUST(flags.is_open == 1 || flags.is_dirty == 1);
    return 0;
}
