/* Parent and child hold a file lock in shared mode while both write.
 *
 * race: shm: add add */
#include <fcntl.h>
#include <sys/file.h>

#include "../race.h"

static char path[64];
static int *counter;

static void add(void)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    MUST(fd >= 0);
    MUST(flock(fd, LOCK_SH) == 0);
    ++*counter; /* add */
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
