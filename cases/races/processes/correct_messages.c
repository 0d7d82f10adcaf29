/* A child process announces a result in shared memory by a System V message, after it has written
 * it.
 *
 * no race */
#include <sys/ipc.h>
#include <sys/msg.h>

#include "../race.h"

struct news {
    long type;
    char letter;
};

static int id;
static int *result;

static void child(void)
{
    const struct news news = {.type = 1, .letter = 'r'};
    *result = 5;
    MUST(msgsnd(id, &news, sizeof news.letter, 0) == 0);
}

int main(void)
{
    struct news news;
    result = shared_memory(sizeof *result);
    id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
    MUST(id >= 0);
    const pid_t process = process_start(child);
    MUST(msgrcv(id, &news, sizeof news.letter, 0, 0) == sizeof news.letter);
    MUST(*result == 5);
    process_join(process);
    MUST(msgctl(id, IPC_RMID, NULL) == 0);
    return 0;
}
