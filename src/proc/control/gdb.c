#include "proc/control/gdb.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

void gdb_print_commands(const char *commands, struct out *script)
{
    for (const char *at = commands; at != NULL && *at != '\0';) {
        const size_t size = strcspn(at, ";");
        const size_t blank = strspn(at, " ");
        if (blank < size) {
            out_bytes(script, at + blank, size - blank);
            out_char(script, '\n');
        }
        at += size + (at[size] == ';');
    }
}

int gdb_keep_script(const struct out *script)
{
    const int fd = memfd_create("clew-gdb", 0);
    const bool is_kept = fd >= 0 &&
                         write(fd, script->buffer, script->used) == (ssize_t)script->used &&
                         lseek(fd, 0, SEEK_SET) == 0;
    return is_kept ? fd : -1;
}

void gdb_become(int script_fd, bool is_batch, char *const *command)
{
    enum { OWN_WORDS = 8 };
    char path[40];
    size_t count = 0;
    while (command[count] != NULL) {
        count++;
    }
    char **words = mem_zero(count + OWN_WORDS, sizeof *words);
    size_t at = 0;
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", script_fd);
    words[at++] = (char *)(uintptr_t) "gdb";
    words[at++] = (char *)(uintptr_t) "-q";
    if (is_batch) {
        words[at++] = (char *)(uintptr_t) "-nx";
        words[at++] = (char *)(uintptr_t) "-batch";
    }
    words[at++] = (char *)(uintptr_t) "-x";
    words[at++] = path;
    words[at++] = (char *)(uintptr_t) "--args";
    memcpy(words + at, command, count * sizeof *words);
    if (script_fd >= 0 && setenv("SHELL", "/bin/sh", 1) == 0) {
        (void)execvp(words[0], words);
    }
    const int failure = errno;
    mem_free(words);
    errno = failure;
}

/* A shell's word for a command that was not found. */
enum { NOT_FOUND = 127 };

int gdb_run(const struct out *script, bool is_batch, char *const *command, struct err *e)
{
    struct sigaction before;
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    const int fd = gdb_keep_script(script);
    const pid_t child = fd < 0 ? -1 : fork();
    if (child == 0) {
        out_rejoin();
        gdb_become(fd, is_batch, command);
        _exit(NOT_FOUND);
    }
    if (child < 0) {
        return err_set(e, "cannot start gdb: %s", strerror(errno));
    }
    int status = 0;
    (void)sigaction(SIGINT, &ignored, &before);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    (void)sigaction(SIGINT, &before, NULL);
    (void)close(fd);
    return WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND
               ? err_set(e, "gdb: cannot be run; install it (apt install gdb)")
               : 0;
}
