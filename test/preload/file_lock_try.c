/* Locks on files that are taken without waiting say so; those that were waited for do not.
 *
 * expect: 1 lock lock mode=try-flock-write
 * expect: 1 lock lock mode=flock-read
 * expect: 1 lock lock[10+5] mode=try-fcntl-read
 * expect: 1 lock lock[10+5] mode=fcntl-write
 * expect: 1 lock lock[20+5] mode=try-fcntl-write
 * expect: 2 unlock lock[10+5]
 * expect: 1 unlock lock mode=flock-write */
#include <fcntl.h>
#include <sys/file.h>

#include "program.h"

static int set(int fd, int command, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = 10, .l_len = 5};
    return fcntl(fd, command, &lock);
}

int main(void)
{
    const int fd = open("lock", O_RDWR | O_CREAT, 0600);
    CLAIM(fd >= 0);
    CLAIM(flock(fd, LOCK_EX | LOCK_NB) == 0);
    CLAIM(flock(fd, LOCK_UN) == 0);
    CLAIM(flock(fd, LOCK_SH) == 0);
    CLAIM(set(fd, F_SETLK, F_RDLCK) == 0);
    CLAIM(set(fd, F_SETLKW, F_UNLCK) == 0);
    CLAIM(set(fd, F_SETLKW, F_WRLCK) == 0);
    CLAIM(set(fd, F_SETLK, F_UNLCK) == 0);
    CLAIM(lseek(fd, 20, SEEK_SET) == 20);
    CLAIM(lockf(fd, F_TLOCK, 5) == 0);
    CLAIM(close(fd) == 0);
    return 0;
}
