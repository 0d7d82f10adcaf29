/* Two-phase commit. The coordinator aborts as soon as one participant has said no. Its abort goes
 * over a connection of its own and may overtake the request to prepare: a participant that knows
 * nothing of an aborted transaction then prepares it, and holds its locks for ever. */
#include "lines.h"

static const char *vote;
static char state[LINE] = "idle";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *answer(void *argument)
{
    const int fd = (int)(intptr_t)argument;
    char line[LINE];
    char said[LINE];
    if (read_line(fd, line)) {
        pthread_mutex_lock(&lock);
        if (strcmp(line, "prepare") == 0) {
#ifdef FIXED
            if (strcmp(state, "aborted") == 0) {
                set(said, "no");
            } else
#endif
            {
                set(said, vote);
                set(state, strcmp(vote, "yes") == 0 ? "prepared" : "aborted");
            }
        } else if (strcmp(line, "abort") == 0) {
            set(said, "ok");
            set(state, "aborted");
        } else {
            set(said, state);
        }
        pthread_mutex_unlock(&lock);
        send_line(fd, said);
    }
    close(fd);
    return NULL;
}

int main(int count, char **words)
{
    char line[LINE];
    if (count > 1 && strcmp(words[1], "coordinator") != 0) {
        vote = words[1];
        serve(answer);
    }
    const int first = connect_to("first");
    const int second = connect_to("second");
    send_line(first, "prepare");
    send_line(second, "prepare");
    if (read_line(second, line) && strcmp(line, "no") == 0) {
        ask("first", "abort", line);
        (void)read_line(first, line);
        ask("first", "state", line);
    }
    if (strcmp(line, "aborted") != 0) {
        printf("the transaction was aborted, and first is %s\n", line);
        return 1;
    }
    return 0;
}
