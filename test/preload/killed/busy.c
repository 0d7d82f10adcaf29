/* Two processes that talk, each with two threads that share a lock: something to be killed by
 * killed_test.py at any instant. Ends by itself when its peer is gone, or after a while. */
#include "../program.h"

enum { ROUNDS = 2000 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_over;

static void *work(void *argument)
{
    while (!is_over) {
        CLAIM(pthread_mutex_lock(&m) == 0);
        CLAIM(pthread_mutex_unlock(&m) == 0);
        (void)usleep(20); /* the trace must stay small */
    }
    return argument;
}

static void *nothing(void *argument)
{
    return argument;
}

/* One ball goes to and fro. */
static void play(int fd, int is_first)
{
    char ball[16] = {0};
    for (int i = 0; i < ROUNDS; i++) {
        if ((is_first || i > 0) && send(fd, ball, sizeof ball, MSG_NOSIGNAL) < 0) {
            return;
        }
        if (recv(fd, ball, sizeof ball, MSG_WAITALL) <= 0) {
            return;
        }
        if (i % 16 == 0) {
            thread_wait(thread_begin(nothing, NULL));
        }
    }
}

int main(void)
{
    int pair[2];
    CLAIM(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    const pid_t pid = fork();
    CLAIM(close(pair[pid == 0]) == 0);
    const pthread_t thread = thread_begin(work, NULL);
    play(pair[pid != 0], pid == 0);
    CLAIM(close(pair[pid != 0]) == 0);
    is_over = 1;
    thread_wait(thread);
    if (pid != 0) {
        (void)waitpid(pid, NULL, 0);
    }
    return 0;
}
