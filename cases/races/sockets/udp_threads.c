/* A thread sends a datagram before it has written what the receiver reads then.
 *
 * race: result write read */
#include "loopback.h"

static struct sockaddr_in address;
static int result;

static void *sender(void *unused)
{
    const int fd = loopback_connected(SOCK_DGRAM, &address);
    MUST(send(fd, "done", 4, 0) == 4);
    result = 42; /* write */
    MUST(close(fd) == 0);
    return unused;
}

int main(void)
{
    char notice[8];
    const int fd = loopback_bound(SOCK_DGRAM, &address);
    const pthread_t thread = thread_start(sender, NULL);
    MUST(recv(fd, notice, sizeof notice, 0) == 4);
    const int seen = result; /* read */
    thread_join(thread);
    MUST(seen == 0 || seen == 42);
    MUST(close(fd) == 0);
    return 0;
}
