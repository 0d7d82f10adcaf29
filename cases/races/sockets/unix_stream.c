/* A client changes what it has handed to the server through a Unix stream socket.
 *
 * race: request.size change read */
#include "loopback.h"

struct request {
    int size;
};

static int listening;
static struct request request;

static void *server(void *unused)
{
    const struct request *taken;
    const int fd = accept(listening, NULL, NULL);
    MUST(fd >= 0);
    MUST(recv(fd, &taken, sizeof taken, MSG_WAITALL) == sizeof taken);
    MUST(taken->size >= 0); /* read */
    MUST(close(fd) == 0);
    return unused;
}

int main(void)
{
    struct sockaddr_un address;
    const struct request *handed = &request;
    const socklen_t size = unix_address(&address, "stream", getpid());
    listening = socket(AF_UNIX, SOCK_STREAM, 0);
    MUST(listening >= 0 && bind(listening, (struct sockaddr *)&address, size) == 0 &&
         listen(listening, 4) == 0);
    const pthread_t thread = thread_start(server, NULL);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    MUST(fd >= 0 && connect(fd, (struct sockaddr *)&address, size) == 0);
    MUST(send(fd, &handed, sizeof handed, 0) == sizeof handed);
    request.size = 9; /* change */
    thread_join(thread);
    MUST(close(fd) == 0 && close(listening) == 0);
    return 0;
}
