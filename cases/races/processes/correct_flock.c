/* Parent and child lock a file by flock, each by a descriptor of its own, before they add.
 *
 * no race */
#include <fcntl.h>
#include <sys/file.h>

#include "../race.h"

static char path[64];
static int *counter;

static void add(void)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    MUST(fd >= 0);
    MUST(flock(fd, LOCK_EX) == 0);
    ++*counter;
    MUST(flock(fd, LOCK_UN) == 0);
    MUST(close(fd) == 0);
}

int main(void)
{
    counter = shared_memory(sizeof *counter);
    (void)snprintf(path, sizeof path, "/tmp/clew-lock-%d", (int)getpid());
    const pid_t child = process_start(add);
    add();
    process_join(child);
    MUST(unlink(path) == 0);
    return 0;
}
