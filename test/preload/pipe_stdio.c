/* A pipe that a child writes into by write and by stdio, where no hook sees it: what nobody saw
 * being sent has an unseen sender, and nothing in the trace is impossible.
 *
 * allow: outside
 * expect: 1 send
 * expect: 1 recv unseen>pipe#1
 * order: main@n/1 send pipe#1>pipe#1
 * order: main@n recv pipe#1>pipe#1
 * order: main@n recv unseen>pipe#1 */
#include "program.h"

int main(void)
{
    int ends[2];
    CLAIM(pipe(ends) == 0);
    const pid_t pid = fork();
    if (pid == 0) {
        CLAIM(close(ends[0]) == 0);
        write_all(ends[1], "hello");
        FILE *stream = fdopen(ends[1], "w");
        CLAIM(stream != NULL && fputs("again", stream) >= 0);
        CLAIM(fclose(stream) == 0);
        _exit(0);
    }
    CLAIM(close(ends[1]) == 0);
    read_all(ends[0], 5);
    read_all(ends[0], 5);
    CLAIM(close(ends[0]) == 0);
    child_wait(pid);
    return 0;
}
