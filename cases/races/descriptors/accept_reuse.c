/* Two workers accept a connection each and count it without a lock; a number that one has closed
 * may be given to the other.
 *
 * race: served count count */
#include <stdint.h>

#include "../sockets/loopback.h"

static struct sockaddr_in address;
static int served;

static void *client(void *unused)
{
    const int fd = loopback_connected(SOCK_STREAM, &address);
    char end;
    MUST(read(fd, &end, 1) == 0);
    MUST(close(fd) == 0);
    return unused;
}

static void *worker(void *argument)
{
    const int fd = accept((int)(intptr_t)argument, NULL, NULL);
    MUST(fd >= 0);
    served++; /* count */
    MUST(close(fd) == 0);
    return NULL;
}

int main(void)
{
    const int listening = loopback_listening(&address);
    const pthread_t a = thread_start(worker, (void *)(intptr_t)listening);
    const pthread_t b = thread_start(worker, (void *)(intptr_t)listening);
    threads_run(client, client);
    thread_join(a);
    thread_join(b);
    MUST(served > 0);
    MUST(close(listening) == 0);
    return 0;
}
