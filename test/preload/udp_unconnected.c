/* Datagrams between sockets that name each other each time; the sender gets its port when it sends,
 * the receiver listens on every address.
 *
 * expect: 3 send
 * expect: 3 recv */
#include "program.h"

int main(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    struct sockaddr_in from;
    socklen_t size = sizeof address;
    const int server = socket(AF_INET, SOCK_DGRAM, 0);
    const int client = socket(AF_INET, SOCK_DGRAM, 0);
    char bytes[16];
    CLAIM(bind(server, (struct sockaddr *)&address, size) == 0);
    CLAIM(getsockname(server, (struct sockaddr *)&address, &size) == 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CLAIM(sendto(client, "same", 4, 0, (struct sockaddr *)&address, size) == 4);
    CLAIM(sendto(client, "same", 4, 0, (struct sockaddr *)&address, size) == 4);
    CLAIM(recvfrom(server, bytes, sizeof bytes, 0, (struct sockaddr *)&from, &size) == 4);
    CLAIM(recvfrom(server, bytes, sizeof bytes, 0, NULL, NULL) == 4);
    CLAIM(sendto(server, "back", 4, 0, (struct sockaddr *)&from, sizeof from) == 4);
    CLAIM(recv(client, bytes, sizeof bytes, 0) == 4);
    return 0;
}
