/* A reader copies a whole struct while a writer changes one of its members.
 *
 * race: position write copy */
#include "../race.h"

struct position {
    long x;
    long y;
    long z;
    long time;
};

static struct position position;

static void *mover(void *unused)
{
    position.y = 5; /* write */
    return unused;
}

static void *reader(void *unused)
{
    struct position seen;
    seen = position; /* copy */
    MUST(seen.x + seen.y + seen.z + seen.time <= 5);
    return unused;
}

int main(void)
{
    threads_run(mover, reader);
    return 0;
}
