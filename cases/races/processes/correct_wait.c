/* The parent reads what its children have written to shared memory after it has waited for them.
 *
 * no race */
#include "../race.h"

static int *cells;

static void first(void)
{
    cells[0] = 1;
}

static void second(void)
{
    cells[1] = 2;
}

int main(void)
{
    cells = shared_memory(2 * sizeof *cells);
    const pid_t a = process_start(first);
    const pid_t b = process_start(second);
    process_join(a);
    process_join(b);
    MUST(cells[0] + cells[1] == 3);
    cells[0] = 0;
    return 0;
}
