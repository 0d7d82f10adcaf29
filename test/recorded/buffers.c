/* The kernel reads and writes buffers for the program.
 * race: fill look
 * race: send change */
#include <sys/socket.h>
#include <unistd.h>

#include "program.h"

static int ends[2];
static char input[16];
static char output[16] = "output";

static void *by_kernel(void *unused)
{
    CLAIM(read(ends[0], input, sizeof input) > 0);                   /* fill */
    CLAIM(send(ends[0], output, sizeof output, 0) == sizeof output); /* send */
    return unused;
}

static void *by_itself(void *unused)
{
    char line[16];
    CLAIM(write(ends[1], "hello", 6) == 6);
    CLAIM(input[1] == 0 || input[1] == 'e'); /* look */
    output[1] = 'U';                         /* change */
    CLAIM(recv(ends[1], line, sizeof line, MSG_WAITALL) == sizeof line);
    return unused;
}

int main(void)
{
    CLAIM(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    run_both(by_kernel, by_itself);
    return 0;
}
