/* A pipeline: the producer sends records and then saves how many it has sent. A consumer that has
 * seen enough ends early; the write that finds no reader then ends the producer before it has saved
 * anything. FIXED: SIGPIPE is ignored, and a write that fails ends the loop. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RECORDS = 3, ENOUGH = 2 };

static void produce(int to, int saved)
{
    char count = 0;
#ifdef FIXED
    signal(SIGPIPE, SIG_IGN);
#endif
    while (count < RECORDS && write(to, &count, 1) == 1) {
        count++;
    }
    _exit(write(saved, &count, 1) != 1);
}

static void consume(int from)
{
    char record = 0;
    for (int i = 0; i < ENOUGH; i++) {
        if (read(from, &record, 1) != 1) {
            _exit(1);
        }
    }
    _exit(0);
}

int main(void)
{
    int records[2];
    int saved[2];
    char count = 0;
    if (pipe(records) != 0 || pipe(saved) != 0) {
        return 2;
    }
    if (fork() == 0) {
        close(records[0]);
        produce(records[1], saved[1]);
    }
    if (fork() == 0) {
        close(records[1]);
        consume(records[0]);
    }
    close(records[0]);
    close(records[1]);
    close(saved[1]);
    const long got = read(saved[0], &count, 1);
    while (wait(NULL) > 0) {
    }
    return got == 1 ? 0 : 1; /* 1: what was sent is not known */
}
