/* A file is written, synced, renamed, read and removed; its name is its path from where the
 * recording began.
 *
 * expect: 2 file-open
 * expect: 3 file-read
 * order: main@n file-open new.txt
 * order: main@n file-write new.txt value=0 size=5
 * order: main@n file-write new.txt value=5 size=2
 * order: main@n file-write new.txt value=100 size=1
 * order: main@n file-write new.txt value=200 size=2
 * order: main@n file-fsync new.txt
 * order: main@n file-rename new.txt text=old.txt
 * order: main@n file-open old.txt
 * order: main@n file-read old.txt value=0 size=7
 * order: main@n file-read old.txt value=100 size=1
 * order: main@n file-read old.txt value=200 size=2
 * order: main@n file-unlink old.txt */
#include <fcntl.h>
#include <sys/uio.h>

#include "program.h"

int main(void)
{
    char bytes[16];
    char text[] = "ab";
    struct iovec parts[] = {{text, 1}, {text + 1, 1}};
    int fd = open("new.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CLAIM(fd >= 0);
    write_all(fd, "hello");
    CLAIM(writev(fd, parts, 2) == 2);
    CLAIM(pwrite(fd, "x", 1, 100) == 1);
    CLAIM(pwritev(fd, parts, 2, 200) == 2);
    CLAIM(read(fd, bytes, 1) < 0);
    CLAIM(readv(fd, parts, 2) < 0);
    CLAIM(fsync(fd) == 0);
    CLAIM(close(fd) == 0);
    CLAIM(rename("new.txt", "old.txt") == 0);
    CLAIM(unlink("none.txt") < 0);
    fd = open("old.txt", O_RDONLY);
    CLAIM(read(fd, bytes, 7) == 7);
    CLAIM(pread(fd, bytes, 1, 100) == 1);
    CLAIM(preadv(fd, parts, 2, 200) == 2);
    CLAIM(close(fd) == 0);
    CLAIM(unlink("old.txt") == 0);
    return 0;
}
