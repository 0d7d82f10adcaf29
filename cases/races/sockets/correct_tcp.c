/* A child process announces a result in shared memory over TCP after it has written it.
 *
 * no race */
#include "loopback.h"

static struct sockaddr_in address;
static int *result;

static void client(void)
{
    const int fd = loopback_connected(SOCK_STREAM, &address);
    *result = 42;
    MUST(send(fd, "done", 4, 0) == 4);
    MUST(close(fd) == 0);
}

int main(void)
{
    char notice[4];
    result = shared_memory(sizeof *result);
    const int listening = loopback_listening(&address);
    const pid_t child = process_start(client);
    const int fd = accept(listening, NULL, NULL);
    MUST(fd >= 0);
    MUST(recv(fd, notice, sizeof notice, MSG_WAITALL) == 4);
    MUST(*result == 42);
    process_join(child);
    MUST(close(fd) == 0 && close(listening) == 0);
    return 0;
}
