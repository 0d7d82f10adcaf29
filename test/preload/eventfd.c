/* What is written into an eventfd orders what is read from it, by another process too.
 *
 * expect: 3 happens-before eventfd#1
 * expect: 2 happens-after eventfd#1
 * expect: 1 happens-before eventfd#2
 * order: main@n/1 happens-before eventfd#1
 * order: main@n happens-after eventfd#1 */
#include <sys/eventfd.h>

#include "program.h"

int main(void)
{
    const int fd = eventfd(0, 0);
    const int never = eventfd(0, EFD_NONBLOCK);
    uint64_t value = 1;
    CLAIM(write(fd, &value, sizeof value) == sizeof value);
    CLAIM(read(fd, &value, sizeof value) == sizeof value && value == 1);
    CLAIM(read(never, &value, sizeof value) < 0);
    value = 3;
    const pid_t pid = fork();
    if (pid == 0) {
        CLAIM(eventfd_write(fd, value) == 0);
        CLAIM(eventfd_write(fd, value) == 0);
        _exit(0);
    }
    child_wait(pid);
    CLAIM(eventfd_read(fd, &value) == 0 && value == 6);
    CLAIM(write(never, &value, sizeof value) == sizeof value);
    return 0;
}
