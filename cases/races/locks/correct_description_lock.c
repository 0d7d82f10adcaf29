/* Two threads open a file, each for itself, and count while they hold the lock of their open file
 * description, which excludes the other.
 *
 * no race */
#include <fcntl.h>

#include "../race.h"

static char name[] = "/tmp/description_lock.XXXXXX";
static int total;

static void set(int file, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
    MUST(fcntl(file, F_OFD_SETLKW, &lock) == 0);
}

static void *worker(void *unused)
{
    const int file = open(name, O_RDWR);
    MUST(file >= 0);
    set(file, F_WRLCK);
    total++;
    set(file, F_UNLCK);
    MUST(close(file) == 0);
    return unused;
}

int main(void)
{
    MUST(mkstemp(name) >= 0);
    threads_run(worker, worker);
    MUST(unlink(name) == 0);
    MUST(total == 2);
    return 0;
}
