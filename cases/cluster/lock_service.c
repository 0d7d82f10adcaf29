/* A lock service. A client that has waited too long gives up: it sends an unlock over another
 * connection. If that overtakes its lock, the service knows of nothing to unlock, then grants the
 * lock to a client that is gone, and the next one never gets it. */
#include "lines.h"

static char holder[LINE];
static char gone[LINE]; /* the client whose unlock came first */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static void *answer(void *argument)
{
    const int fd = (int)(intptr_t)argument;
    char line[LINE];
    char *client = line + strlen("unlock ");
    while (read_line(fd, line)) {
        const char *said = "ok";
        pthread_mutex_lock(&guard);
        if (strncmp(line, "unlock ", strlen("unlock ")) != 0) {
            client = line + strlen("lock ");
            if (holder[0] != 0) {
                said = "busy";
            } else if (strcmp(gone, client) != 0) {
                set(holder, client);
            }
        } else if (strcmp(holder, client) == 0) {
            holder[0] = 0;
        } else {
#ifdef FIXED
            set(gone, client);
#endif
        }
        pthread_mutex_unlock(&guard);
        send_line(fd, said);
    }
    close(fd);
    return NULL;
}

int main(int count, char **words)
{
    char line[LINE];
    if (count == 1) {
        serve(answer);
    }
    const int fd = connect_to("locks");
    send_line(fd, "lock hasty");
    ask("locks", "unlock hasty", line);
    (void)read_line(fd, line); /* what it asked for first is done by now */
    ask("locks", "lock patient", line);
    if (strcmp(line, "ok") != 0) {
        printf("the lock is held by a client that has given it back\n");
        return 1;
    }
    return 0;
}
