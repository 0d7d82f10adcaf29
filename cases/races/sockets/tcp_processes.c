/* A child process sends its notice over TCP before it has written the result to shared memory.
 *
 * race: shm: write read */
#include "loopback.h"

static struct sockaddr_in address;
static int *result;

static void client(void)
{
    const int fd = loopback_connected(SOCK_STREAM, &address);
    MUST(send(fd, "done", 4, 0) == 4);
    *result = 42; /* write */
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
    const int seen = *result; /* read */
    process_join(child);
    MUST(seen == 0 || seen == 42);
    MUST(close(fd) == 0 && close(listening) == 0);
    return 0;
}
