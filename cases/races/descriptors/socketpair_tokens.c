/* Two workers wait for the same word on a socket; main makes the job before it sends the second one
 * only, and whoever gets the first one takes the job.
 *
 * race: job make take */
#include <sys/socket.h>

#include "../race.h"

static int ends[2];
static int job;

static void *work(void *unused)
{
    char word[4];
    MUST(recv(ends[0], word, sizeof word, MSG_WAITALL) == (ssize_t)sizeof word);
    const int own = job; /* take */
    MUST(own == 0 || own == 5);
    return unused;
}

int main(void)
{
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    const pthread_t a = thread_start(work, NULL);
    MUST(write(ends[1], "work", 4) == 4);
    MUST(usleep(2000) == 0);
    const pthread_t b = thread_start(work, NULL);
    job = 5; /* make */
    MUST(write(ends[1], "work", 4) == 4);
    thread_join(a);
    thread_join(b);
    return 0;
}
