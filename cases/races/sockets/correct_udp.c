/* Two threads hand a value to and fro by datagrams.
 *
 * no race */
#include "loopback.h"

static struct sockaddr_in address;
static int value;

static void *client(void *unused)
{
    char answer[8];
    const int fd = loopback_connected(SOCK_DGRAM, &address);
    value = 6;
    MUST(send(fd, "ask", 3, 0) == 3);
    MUST(recv(fd, answer, sizeof answer, 0) == 6);
    MUST(value == 36);
    MUST(close(fd) == 0);
    return unused;
}

int main(void)
{
    char question[8];
    struct sockaddr_in sender;
    socklen_t size = sizeof sender;
    const int fd = loopback_bound(SOCK_DGRAM, &address);
    const pthread_t thread = thread_start(client, NULL);
    MUST(recvfrom(fd, question, sizeof question, 0, (struct sockaddr *)&sender, &size) == 3);
    value *= value;
    MUST(sendto(fd, "answer", 6, 0, (struct sockaddr *)&sender, size) == 6);
    thread_join(thread);
    MUST(close(fd) == 0);
    return 0;
}
