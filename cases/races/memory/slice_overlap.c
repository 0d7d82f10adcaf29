/* Two threads fill halves of an array; the first one goes one element too far.
 *
 * race: cells lower upper */
#include "../race.h"

enum { CELLS = 8 };

static int cells[CELLS];

static void *fill_lower(void *unused)
{
    for (int i = 0; i <= CELLS / 2; i++) {
        cells[i] = 1; /* lower */
    }
    return unused;
}

static void *fill_upper(void *unused)
{
    for (int i = CELLS / 2; i < CELLS; i++) {
        cells[i] = 2; /* upper */
    }
    return unused;
}

int main(void)
{
    threads_run(fill_lower, fill_upper);
    MUST(cells[0] == 1 && cells[CELLS - 1] == 2);
    return 0;
}
