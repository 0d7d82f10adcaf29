/* A Unix stream between two processes.
 *
 * expect: 1 connect
 * expect: 1 accept
 * expect: 2 send
 * expect: 2+ recv */
#include <sys/un.h>

#include "program.h"

int main(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "clew-test-%d",
                   (int)getpid());
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    CLAIM(bind(listener, (struct sockaddr *)&address, sizeof address) == 0);
    CLAIM(listen(listener, 1) == 0);
    const pid_t pid = fork();
    if (pid == 0) {
        const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        CLAIM(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
        write_all(fd, "hello");
        read_all(fd, 5);
        return 0;
    }
    const int fd = accept(listener, NULL, NULL);
    read_all(fd, 5);
    write_all(fd, "hello");
    child_wait(pid);
    return 0;
}
