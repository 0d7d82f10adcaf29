#include "cli/input/build_command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "base/mem.h"
#include "cli/input/program_command.h"

/* The path of this program, as a word of a shell; freed with mem_free. */
static char *own_word(struct err *e)
{
    char path[4000];
    const ssize_t size =
        seam_fails() ? seam_failure(EACCES) : readlink("/proc/self/exe", path, sizeof path - 1);
    if (size < 0) {
        (void)err_set(e, "/proc/self/exe: cannot be read: %s", strerror(errno));
        return NULL;
    }
    path[size] = '\0';
    return command_print_one(path);
}

/* In the child: never returns. */
_Noreturn static void build(const char *command, const char *own)
{
    char cc[4200];
    char cxx[4200];
    (void)snprintf(cc, sizeof cc, "%s cc", own);
    (void)snprintf(cxx, sizeof cxx, "%s c++", own);
    const bool is_set = setenv("CC", cc, 1) == 0 && setenv("CXX", cxx, 1) == 0 &&
                        dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
    if (is_set) {
        (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    }
    _exit(127);
}

int build_command_run(const char *command, struct err *e)
{
    char *own = own_word(e);
    if (own == NULL) {
        return -1;
    }
    const pid_t pid = seam_fails() ? seam_failure(EAGAIN) : fork();
    if (pid == 0) {
        build(command, own);
    }
    mem_free(own);
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        return err_set(e, "--build: %s: cannot be run: %s", command, strerror(errno));
    }
    if (WIFSIGNALED(status)) {
        return err_set(e, "--build: %s: ended by signal %d", command, WTERMSIG(status));
    }
    return WEXITSTATUS(status) == 0
               ? 0
               : err_set(e, "--build: %s: ends with status %d", command, WEXITSTATUS(status));
}
