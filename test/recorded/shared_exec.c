/* A program that is executed maps the memory whose descriptor it inherits.
 *
 * race: caller_writes program_writes */
#define _GNU_SOURCE
#include "shared.h"

struct shared {
    long both, answer;
};

static int program(int fd)
{
    struct shared *s = map_shared(fd, sizeof *s);
    s->both = 2; /* program_writes */
    s->answer = 42;
    return 0;
}

int main(int count, char **words)
{
    if (count > 1) {
        return program((int)strtol(words[1], NULL, 10));
    }
    const int fd = memfd_create("clew-test", 0);
    CLAIM(fd >= 0 && ftruncate(fd, sizeof(struct shared)) == 0);
    struct shared *s = map_shared(fd, sizeof *s);
    char number[16];
    (void)snprintf(number, sizeof number, "%d", fd);
    const pid_t pid = fork();
    CLAIM(pid >= 0);
    if (pid == 0) {
        (void)execl(words[0], words[0], number, (char *)NULL);
        _exit(1);
    }
    s->both = 1; /* caller_writes */
    wait_for(pid);
    return s->answer == 42 ? 0 : 1;
}
