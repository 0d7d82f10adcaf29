/* Unix datagrams, between sockets with and without a name.
 *
 * expect: 2 send
 * expect: 2 recv */
#include <sys/un.h>

#include "program.h"

int main(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "clew-test-%d",
                   (int)getpid());
    const int server = socket(AF_UNIX, SOCK_DGRAM, 0);
    const int client = socket(AF_UNIX, SOCK_DGRAM, 0);
    char bytes[16];
    CLAIM(bind(server, (struct sockaddr *)&address, sizeof address) == 0);
    CLAIM(sendto(client, "one", 3, 0, (struct sockaddr *)&address, sizeof address) == 3);
    CLAIM(recv(server, bytes, sizeof bytes, 0) == 3);
    CLAIM(connect(client, (struct sockaddr *)&address, sizeof address) == 0);
    CLAIM(send(client, "four", 4, 0) == 4);
    CLAIM(recv(server, bytes, sizeof bytes, 0) == 4);
    return 0;
}
