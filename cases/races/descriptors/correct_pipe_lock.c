/* One token in a pipe is a lock: who has taken it may count, and puts it back.
 *
 * no race */
#include "../race.h"

static int ends[2];
static int count;

static void *add(void *unused)
{
    char token = 0;
    for (int i = 0; i < 3; i++) {
        MUST(read(ends[0], &token, 1) == 1);
        count++;
        MUST(write(ends[1], "t", 1) == 1);
    }
    return unused;
}

int main(void)
{
    MUST(pipe(ends) == 0);
    MUST(write(ends[1], "t", 1) == 1);
    threads_run(add, add);
    MUST(count == 6);
    return 0;
}
