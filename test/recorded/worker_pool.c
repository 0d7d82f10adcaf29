/* Two workers receive from one socket. A request that sets and one that reads are handled under a
 * lock, so that no accesses meet; but either may be handled first, although no worker gets both.
 *
 * no race
 * Handlers: handle_set, handle_get (details_test.py). */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "program.h"

static int server;
static struct sockaddr_in address = {.sin_family = AF_INET};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long state;

__attribute__((noinline)) void handle_set(void)
{
    CLAIM(pthread_mutex_lock(&lock) == 0);
    state++; /* set */
    CLAIM(pthread_mutex_unlock(&lock) == 0);
}

__attribute__((noinline)) void handle_get(void)
{
    CLAIM(pthread_mutex_lock(&lock) == 0);
    CLAIM(state >= 0); /* get */
    CLAIM(pthread_mutex_unlock(&lock) == 0);
}

static void *work(void *unused)
{
    char request = 0;
    CLAIM(recv(server, &request, 1, 0) == 1);
    if (request == 's') {
        handle_set();
    } else {
        handle_get();
    }
    return unused;
}

static void *ask(void *request)
{
    const int client = socket(AF_INET, SOCK_DGRAM, 0);
    CLAIM(client >= 0);
    CLAIM(sendto(client, request, 1, 0, (const struct sockaddr *)&address, sizeof address) == 1);
    CLAIM(close(client) == 0);
    return NULL;
}

int main(void)
{
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server = socket(AF_INET, SOCK_DGRAM, 0);
    CLAIM(server >= 0);
    CLAIM(bind(server, (const struct sockaddr *)&address, sizeof address) == 0);
    CLAIM(getsockname(server, (struct sockaddr *)&address, &size) == 0);
    pthread_t tasks[4];
    CLAIM(pthread_create(&tasks[0], NULL, work, NULL) == 0);
    CLAIM(pthread_create(&tasks[1], NULL, work, NULL) == 0);
    CLAIM(pthread_create(&tasks[2], NULL, ask, "s") == 0);
    CLAIM(pthread_create(&tasks[3], NULL, ask, "g") == 0);
    for (int i = 0; i < 4; i++) {
        CLAIM(pthread_join(tasks[i], NULL) == 0);
    }
    return 0;
}
