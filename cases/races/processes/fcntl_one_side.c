/* The child locks the file before it adds, the parent does not.
 *
 * race: shm: child parent */
#include <fcntl.h>

#include "../race.h"

static char path[64];
static int *counter;

static void add_locked(void)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    MUST(fd >= 0);
    MUST(fcntl(fd, F_SETLKW, &whole) == 0);
    ++*counter; /* child */
    whole.l_type = F_UNLCK;
    MUST(fcntl(fd, F_SETLK, &whole) == 0);
    MUST(close(fd) == 0);
}

static void add_unlocked(void)
{
    ++*counter; /* parent */
}

int main(void)
{
    counter = shared_memory(sizeof *counter);
    (void)snprintf(path, sizeof path, "/tmp/clew-lock-%d", (int)getpid());
    const pid_t child = process_start(add_locked);
    add_unlocked();
    process_join(child);
    MUST(unlink(path) == 0);
    return 0;
}
