/* A one-time initialization is guarded by a plain flag.
 *
 * race: is_made look set
 * may race: is_made set set
 * may race: table fill use
 * may race: table fill fill */
#include <stdbool.h>

#include "../race.h"

static bool is_made;
static int table[4];

static int entry(int index)
{
    if (!is_made) { /* look */
        for (int i = 0; i < 4; i++) {
            table[i] = i + 1; /* fill */
        }
        is_made = true; /* set */
    }
    return table[index]; /* use */
}

static void *user(void *unused)
{
    MUST(entry(2) == 3 || !is_made); /* look */
    return unused;
}

int main(void)
{
    threads_run(user, user);
    return 0;
}
