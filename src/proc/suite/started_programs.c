#include "proc/suite/started_programs.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "base/mem.h"

/* Bytes of a command line or an environment that are read, and segments of a file. */
enum { TEXT_MAX = 1 << 18, SEGMENTS_MAX = 64 };

void started_release(struct started *s)
{
    vec_release(&s->programs);
    map_release(&s->known);
    arena_release(&s->arena);
}

/* Files */

enum file_kind { FILE_OTHER, FILE_STATIC, FILE_DYNAMIC };

/* Whether the file is a program of this machine, and names a loader. */
static enum file_kind kind_of_file(const char *path)
{
    Elf64_Ehdr head;
    Elf64_Phdr segment;
    enum file_kind kind = FILE_OTHER;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return FILE_OTHER;
    }
    if (pread(file, &head, sizeof head, 0) == sizeof head &&
        memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64) {
        kind = FILE_STATIC;
        for (int i = 0; i < head.e_phnum && i < SEGMENTS_MAX; i++) {
            const off_t at = (off_t)(head.e_phoff + (uint64_t)i * head.e_phentsize);
            if (pread(file, &segment, sizeof segment, at) == sizeof segment &&
                segment.p_type == PT_INTERP) {
                kind = FILE_DYNAMIC;
            }
        }
    }
    (void)close(file);
    return kind;
}

/* The target of /proc/PID/NAME; "" when it cannot be read. */
static void read_link(pid_t pid, const char *name, char target[static PATH_MAX])
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    const ssize_t size = readlink(path, target, PATH_MAX - 1);
    target[size < 0 ? 0 : size] = '\0';
}

/* The texts of /proc/PID/NAME, each ended by a 0 byte, as a list ended by NULL. */
static char *const *read_texts(struct started *s, pid_t pid, const char *name, size_t *size)
{
    char path[64];
    char *read_bytes = mem_zero(1, TEXT_MAX);
    VEC(char *) list = {0};
    *size = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? -1 : 0;
    do {
        *size += got > 0 ? (size_t)got : 0;
        got = file < 0 ? -1 : read(file, read_bytes + *size, TEXT_MAX - 1 - *size);
    } while (got > 0);
    if (file >= 0) {
        (void)close(file);
    }
    char *bytes = arena_array(&s->arena, char, *size + 1);
    memcpy(bytes, read_bytes, *size + 1); /* the rest is 0 */
    mem_free(read_bytes);
    for (size_t at = 0; at < *size; at += strlen(bytes + at) + 1) {
        vec_push(&list, bytes + at);
    }
    char **texts = arena_array(&s->arena, char *, list.count + 1);
    for (size_t i = 0; i < list.count; i++) {
        texts[i] = list.at[i];
    }
    texts[list.count] = NULL;
    vec_release(&list);
    return texts;
}

/* Processes */

static bool is_below(const char *path, const char *folder)
{
    const size_t size = strlen(folder);
    return strncmp(path, folder, size) == 0 && path[size] == '/';
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    }
    return hash * 31 + 1;
}

static void note_program(struct started *s, pid_t pid, const char *path, bool is_static)
{
    char folder[PATH_MAX];
    size_t size = 0;
    struct arena_mark mark = arena_mark(&s->arena);
    read_link(pid, "cwd", folder);
    char *const *words = read_texts(s, pid, "cmdline", &size);
    uint64_t hash = mix_text(mix_text(0xcbf29ce484222325u, path), folder);
    for (size_t i = 0; words[i] != NULL; i++) {
        hash = mix_text(hash, words[i]);
    }
    bool is_new = false;
    uint32_t *number = map_slot(&s->known, hash, (uint32_t)s->programs.count, &is_new);
    if (!is_new) {
        s->programs.at[*number].start_count++;
        arena_reset(&s->arena, mark);
        return;
    }
    must(*number == s->programs.count);
    struct started_program program = {.path = arena_text(&s->arena, path, strlen(path)),
                                      .folder = arena_text(&s->arena, folder, strlen(folder)),
                                      .words = words,
                                      .start_count = 1,
                                      .is_static = is_static};
    program.environment = read_texts(s, pid, "environ", &size);
    vec_push(&s->programs, program);
}

/* A process became another program; whether it is let go. */
static bool look_at(struct started *s, pid_t pid, const char *folder)
{
    char path[PATH_MAX];
    read_link(pid, "exe", path);
    if (!is_below(path, folder)) {
        return false;
    }
    const enum file_kind kind = kind_of_file(path);
    if (kind != FILE_OTHER) {
        note_program(s, pid, path, kind == FILE_STATIC);
    }
    return kind == FILE_DYNAMIC;
}

/* Lets a stopped process go on. */
static void resume(struct started *s, pid_t pid, int status, const char *folder)
{
    const int event = status >> 16;
    const int signal = WSTOPSIG(status);
    if (event == PTRACE_EVENT_EXEC && look_at(s, pid, folder)) {
        (void)ptrace(PTRACE_DETACH, pid, NULL, NULL);
    } else if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
        (void)ptrace(PTRACE_LISTEN, pid, NULL, NULL); /* it was stopped by job control */
    } else {
        (void)ptrace(PTRACE_CONT, pid, NULL, event == 0 ? (void *)(intptr_t)signal : NULL);
    }
}

/* In the child: waits until it is traced. */
_Noreturn static void become(char *const *command, const int *gate)
{
    char byte;
    (void)close(gate[1]);
    const bool is_ready = read(gate[0], &byte, 1) == 1 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
    if (is_ready) {
        (void)execvp(command[0], command);
    }
    _exit(127);
}

static void follow(struct started *s, pid_t first, const char *folder)
{
    int status = 0;
    bool has_ended = false;
    while (!has_ended) {
        const pid_t pid = waitpid(-1, &status, __WALL);
        if (pid < 0 && errno != EINTR) {
            return;
        }
        if (pid > 0 && WIFSTOPPED(status)) {
            resume(s, pid, status, folder);
        } else if (pid == first) {
            s->status = status;
            has_ended = true;
        }
    }
}

int started_run(struct started *s, char *const *command, const char *folder, struct err *e)
{
    int gate[2];
    must(command[0] != NULL);
    if ((seam_fails() ? seam_failure(EMFILE) : pipe2(gate, O_CLOEXEC)) < 0) {
        return err_set(e, "%s: cannot be started: pipe: %s", command[0], strerror(errno));
    }
    const pid_t pid = seam_fails() ? seam_failure(EAGAIN) : fork();
    if (pid == 0) {
        become(command, gate);
    }
    (void)close(gate[0]);
    const long options =
        PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    int result = 0;
    if (pid < 0) {
        result = err_set(e, "%s: cannot be started: fork: %s", command[0], strerror(errno));
    } else if ((seam_fails() ? seam_failure(EPERM)
                             : ptrace(PTRACE_SEIZE, pid, NULL, (void *)options)) < 0) {
        result = err_set(e, "%s: cannot be traced: %s; allow ptrace (clew doctor)", command[0],
                         strerror(errno));
    } else if (write(gate[1], "x", 1) != 1) {
        result = err_set(e, "%s: cannot be started: %s", command[0], strerror(errno));
    }
    (void)close(gate[1]);
    if (result == 0) {
        follow(s, pid, folder);
    } else if (pid > 0) {
        (void)waitpid(pid, &s->status, 0); /* its pipe was closed: it ends */
    }
    if (result == 0 && WIFEXITED(s->status) && WEXITSTATUS(s->status) == 127 &&
        s->programs.count == 0) {
        result = err_set(e, "%s: cannot be run: command not found", command[0]);
    }
    return result;
}
