/* Two threads count while they hold a record lock on a file, which belongs to their process and
 * excludes neither of them.
 *
 * race: total counts counts */
#include <fcntl.h>

#include "../race.h"

static int file;
static int total;

static void set(short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
    MUST(fcntl(file, F_SETLKW, &lock) == 0);
}

static void *worker(void *unused)
{
    set(F_WRLCK);
    total++; /* counts */
    set(F_UNLCK);
    return unused;
}

int main(void)
{
    char name[] = "/tmp/record_lock.XXXXXX";
    file = mkstemp(name);
    MUST(file >= 0 && unlink(name) == 0);
    threads_run(worker, worker);
    return 0;
}
