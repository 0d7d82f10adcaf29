/* Locks on files exclude processes; what is released without being held is not told, and what is
 * closed is released. What goes with a larger range is released, too.
 *
 * expect: 20 lock lock mode=flock-write
 * expect: 20 unlock lock mode=flock-write
 * expect: 22 lock lock[10+5]
 * expect: 22 unlock lock[10+5]
 * expect: 4 lock lock[20+5]
 * expect: 4 unlock lock[20+5]
 * expect: 2 lock lock mode=fcntl-read
 * expect: 2 unlock lock mode=fcntl-read */
#include <fcntl.h>
#include <sys/file.h>

#include "program.h"

static int set(int fd, short type, off_t start, off_t size)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = size};
    return fcntl(fd, F_SETLKW, &lock);
}

static void use(void)
{
    const int fd = open("lock", O_RDWR | O_CREAT, 0600);
    CLAIM(fd >= 0);
    CLAIM(set(fd, F_UNLCK, 0, 0) == 0);
    for (int i = 0; i < 10; i++) {
        CLAIM(flock(fd, LOCK_EX) == 0);
        CLAIM(flock(fd, LOCK_UN) == 0);
        CLAIM(set(fd, F_WRLCK, 10, 5) == 0);
        CLAIM(set(fd, F_UNLCK, 10, 5) == 0);
    }
    CLAIM(lseek(fd, 15, SEEK_SET) == 15);
    CLAIM(lockf(fd, F_LOCK, -5) == 0);
    CLAIM(lockf(fd, F_ULOCK, -5) == 0);
    CLAIM(set(fd, F_WRLCK, 20, 5) == 0);
    CLAIM(set(fd, F_UNLCK, 0, 0) == 0);
    CLAIM(set(fd, F_WRLCK, 20, 5) == 0);
    CLAIM(set(fd, F_UNLCK, 10, 15) == 0);
    CLAIM(set(fd, F_UNLCK, 0, 24) == 0);
    CLAIM(set(fd, F_RDLCK, 0, 0) == 0);
    CLAIM(close(fd) == 0);
}

int main(void)
{
    const pid_t pid = fork();
    use();
    if (pid != 0) {
        child_wait(pid);
    }
    return 0;
}
