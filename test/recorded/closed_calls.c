/* Calls on a descriptor that another thread closes.
 * race: stat close
 * race: seek close
 * race: flags close
 * race: resize close
 * race: map close
 * race: option close
 * race: listen close
 * race: control close
 * race: print close
 * race: lock close
 * race: held held */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

enum { CALLS = 10 };
static int fds[CALLS], locked, held;

static int use(int i)
{
    struct stat status;
    int value = 1;
    switch (i) {
    case 0: return fstat(fds[i], &status);                                             /* stat */
    case 1: return (int)lseek(fds[i], 0, SEEK_SET);                                    /* seek */
    case 2: return fcntl(fds[i], F_GETFL);                                             /* flags */
    case 3: return ftruncate(fds[i], 1);                                               /* resize */
    case 4: return mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fds[i], 0) == NULL;           /* map */
    case 5: return setsockopt(fds[i], SOL_SOCKET, SO_REUSEADDR, &value, sizeof value); /* option */
    case 6: return listen(fds[i], 1);                                                  /* listen */
    case 7: return ioctl(fds[i], FIONREAD, &value);                                    /* control */
    case 8: return dprintf(fds[i], "x");                                               /* print */
    default: return flock(fds[i], LOCK_UN);                                            /* lock */
    }
}

static void *call(void *unused)
{
    for (int i = 0; i < CALLS; i++) {
        (void)use(i);
    }
    /* Both threads hold one lock: it belongs to what was opened. */
    CLAIM(flock(locked, LOCK_EX) == 0);
    held++; /* held */
    CLAIM(flock(locked, LOCK_UN) == 0);
    return unused;
}

static void *close_all(void *unused)
{
    (void)usleep(20000);
    for (int i = 0; i < CALLS; i++) {
        (void)close(fds[i]); /* close */
    }
    CLAIM(flock(locked, LOCK_EX) == 0);
    held++; /* held */
    CLAIM(flock(locked, LOCK_UN) == 0);
    return unused;
}

int main(void)
{
    char name[] = "/tmp/closed_calls.XXXXXX";
    locked = mkstemp(name);
    CLAIM(locked >= 0);
    for (int i = 0; i < CALLS; i++) {
        fds[i] = i == 5 || i == 6 ? socket(AF_INET, SOCK_STREAM, 0) : open(name, O_RDWR);
        CLAIM(fds[i] >= 0);
    }
    CLAIM(unlink(name) == 0);
    run_both(call, close_all);
    return 0;
}
