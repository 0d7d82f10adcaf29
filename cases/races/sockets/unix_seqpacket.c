/* Parent and child talk over a pair of sequenced-packet sockets; the child answers before it has
 * stored its count.
 *
 * race: shm: write read */
#include "loopback.h"

static int ends[2];
static int *count;

static void child_body(void)
{
    char packet[8];
    MUST(recv(ends[1], packet, sizeof packet, 0) == 3);
    MUST(send(ends[1], "pong", 4, 0) == 4);
    *count = 1; /* write */
}

int main(void)
{
    char packet[8];
    count = shared_memory(sizeof *count);
    MUST(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
    const pid_t child = process_start(child_body);
    MUST(send(ends[0], "run", 3, 0) == 3);
    MUST(recv(ends[0], packet, sizeof packet, 0) == 4);
    const int seen = *count; /* read */
    process_join(child);
    MUST(seen <= 1);
    return 0;
}
