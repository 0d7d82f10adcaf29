/* A pipe from a child to its parent, and its end.
 *
 * expect: 2 send
 * expect: 2+ recv
 * order: main@n/1 send
 * order: main@n recv */
#include "program.h"

int main(void)
{
    int ends[2];
    char bytes[8];
    CLAIM(pipe(ends) == 0);
    const pid_t pid = fork();
    if (pid == 0) {
        CLAIM(close(ends[0]) == 0);
        write_all(ends[1], "hello");
        write_all(ends[1], "again");
        _exit(0);
    }
    CLAIM(close(ends[1]) == 0);
    read_all(ends[0], 10);
    CLAIM(read(ends[0], bytes, sizeof bytes) == 0);
    child_wait(pid);
    return 0;
}
