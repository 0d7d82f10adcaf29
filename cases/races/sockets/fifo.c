/* A child process writes its notice into a FIFO before it has written the result to shared memory.
 *
 * race: shm: write read */
#include <fcntl.h>
#include <sys/stat.h>

#include "../race.h"

static char path[64];
static int *result;

static void writer(void)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    MUST(fd >= 0);
    MUST(write(fd, "x", 1) == 1);
    *result = 42; /* write */
    MUST(close(fd) == 0);
}

int main(void)
{
    char notice;
    result = shared_memory(sizeof *result);
    (void)snprintf(path, sizeof path, "/tmp/clew-fifo-%d", (int)getpid());
    MUST(mkfifo(path, 0600) == 0);
    const pid_t child = process_start(writer);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    MUST(fd >= 0);
    MUST(read(fd, &notice, 1) == 1);
    const int seen = *result; /* read */
    process_join(child);
    MUST(unlink(path) == 0);
    MUST(seen == 0 || seen == 42);
    return 0;
}
