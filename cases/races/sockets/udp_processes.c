/* Two child processes announce their results by datagrams; the parent waits for one and reads both
 * from shared memory.
 *
 * race: shm: set_first use
 * race: shm: set_second use */
#include "loopback.h"

static struct sockaddr_in address;
static int *results;

static void announce(void)
{
    const int fd = loopback_connected(SOCK_DGRAM, &address);
    MUST(send(fd, "done", 4, 0) == 4);
    MUST(close(fd) == 0);
}

static void first(void)
{
    results[0] = 1; /* set_first */
    announce();
}

static void second(void)
{
    results[1] = 2; /* set_second */
    announce();
}

int main(void)
{
    char notice[8];
    results = shared_memory(2 * sizeof *results);
    const int fd = loopback_bound(SOCK_DGRAM, &address);
    const pid_t a = process_start(first);
    const pid_t b = process_start(second);
    MUST(recv(fd, notice, sizeof notice, 0) == 4);
    const int sum = results[0] + results[1]; /* use */
    process_join(a);
    process_join(b);
    MUST(sum >= 0);
    MUST(close(fd) == 0);
    return 0;
}
