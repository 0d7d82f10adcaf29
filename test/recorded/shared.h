/* Processes that share memory: what the programs here need to make them. */
#ifndef CLEW_TEST_RECORDED_SHARED_H
#define CLEW_TEST_RECORDED_SHARED_H

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

enum { PAGE = 4096 };

static inline void *map_shared(int fd, size_t size)
{
    const int flags = fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);
    CLAIM(at != MAP_FAILED);
    return at;
}

/* Runs the function in a child process. */
static inline pid_t start(void (*run)(void))
{
    const pid_t pid = fork();
    CLAIM(pid >= 0);
    if (pid == 0) {
        run();
        _exit(0);
    }
    return pid;
}

static inline void wait_for(pid_t pid)
{
    int status = -1;
    CLAIM(waitpid(pid, &status, 0) == pid);
    CLAIM(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#endif
