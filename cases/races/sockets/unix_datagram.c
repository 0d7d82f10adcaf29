/* A process announces its result by a Unix datagram before it writes the result to shared memory.
 *
 * race: shm: write read */
#include "loopback.h"

static struct sockaddr_un address;
static socklen_t address_size;
static int *result;

static void sender(void)
{
    const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    MUST(fd >= 0);
    MUST(sendto(fd, "done", 4, 0, (struct sockaddr *)&address, address_size) == 4);
    *result = 42; /* write */
    MUST(close(fd) == 0);
}

int main(void)
{
    char notice[8];
    result = shared_memory(sizeof *result);
    address_size = unix_address(&address, "datagram", getpid());
    const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    MUST(fd >= 0 && bind(fd, (struct sockaddr *)&address, address_size) == 0);
    const pid_t child = process_start(sender);
    MUST(recv(fd, notice, sizeof notice, 0) == 4);
    const int seen = *result; /* read */
    process_join(child);
    MUST(seen == 0 || seen == 42);
    MUST(close(fd) == 0);
    return 0;
}
