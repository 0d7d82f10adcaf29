/* Code that is reached, or not, by the program's first argument. There is no race: no race. */
#include <signal.h>
#include <unistd.h>

#include "program.h"

static volatile long main_count, end_count, become_count, child_count, die_count;

int main(int count, char **words)
{
    const char *how = count > 1 ? words[1] : "end";
    main_count = 1; /* main */
    switch (how[0]) {
    case 'b':
        become_count = 1; /* become */
        (void)execl(words[0], words[0], "end", NULL);
        return 1;
    case 'c': {
        const pid_t pid = fork();
        if (pid == 0) {
            child_count = 1; /* child */
            return 0;
        }
        CLAIM(pid > 0);
        CLAIM(waitpid(pid, NULL, 0) == pid);
        break;
    }
    case 'd':
        die_count = 1; /* die */
        CLAIM(kill(getpid(), SIGKILL) == 0);
        break;
    default: break;
    }
    end_count = 1; /* end */
    return 0;
}
