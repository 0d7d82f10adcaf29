/* Two threads open a file and count it without a lock; the second may get the number that the first
 * has closed.
 *
 * race: opened count count */
#include <fcntl.h>

#include "../race.h"

static int opened;

static void *look(void *unused)
{
    const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    MUST(fd >= 0);
    opened++; /* count */
    MUST(close(fd) == 0);
    return unused;
}

int main(void)
{
    threads_run(look, look);
    MUST(opened > 0);
    return 0;
}
