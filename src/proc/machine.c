#include "proc/machine.h"

#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "proc/build/install_paths.h"
#include "proc/record/run_recorded.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

/* Records the program `true` in a folder of its own. */
static bool can_preload(void)
{
    char folder[] = "/tmp/clew-doctor-XXXXXX";
    char output[64];
    if (seam_fails() || mkdtemp(folder) == NULL) {
        return false;
    }
    (void)snprintf(output, sizeof output, "%s/true.clew", folder);
    char command[] = "true";
    char *const words[] = {command, NULL};
    const struct recorder_options options = {
        .command = words, .output = output, .size_pending_max = UINT64_MAX};
    struct recorder_result result;
    struct notes notes = {0};
    struct err e;
    const bool is_recorded =
        recorder_run(&options, &result, &notes, &e) == 0 && result.stats.processes == 1;
    notes_release(&notes);
    (void)unlink(output);
    (void)rmdir(folder);
    return is_recorded;
}

static bool has_program(const char *name)
{
    const char *path = getenv("PATH");
    char full[PATH_MAX];
    while (path != NULL && *path != 0) {
        const size_t size = strcspn(path, ":");
        (void)snprintf(full, sizeof full, "%.*s/%s", (int)size, path, name);
        if (access(full, X_OK) == 0) {
            return true;
        }
        path += size + (path[size] == ':');
    }
    return false;
}

static bool has_gcc(void)
{
    return has_program("gcc");
}

static bool has_clang(void)
{
    return has_program("clang");
}

/* Asked by a child, which the answer may change. */
static bool child_says(bool (*ask)(void))
{
    const pid_t pid = seam_fails() ? -1 : fork();
    if (pid == 0) {
        (void)syscall(SYS_exit_group, ask() ? 0 : 1);
    }
    int status = 0;
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static bool ask_ptrace(void)
{
    return ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0;
}

static bool can_ptrace(void)
{
    return child_says(ask_ptrace);
}

static bool can_seccomp(void)
{
    uint32_t action = SECCOMP_RET_TRAP;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

static bool ask_dispatch(void)
{
    return prctl(PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0) == 0;
}

static bool can_dispatch(void)
{
    return child_says(ask_dispatch);
}

static bool can_count(void)
{
    struct perf_event_attr attributes = {.type = PERF_TYPE_HARDWARE,
                                         .size = sizeof attributes,
                                         .config = PERF_COUNT_HW_INSTRUCTIONS,
                                         .exclude_kernel = 1};
    const long fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
    if (fd >= 0) {
        (void)close((int)fd);
    }
    return fd >= 0;
}

const struct ability abilities[] = {
    {"preload", can_preload, "programs are recorded without changing them",
     "install clew whole (make install); let /tmp be writable"},
    {"gcc", has_gcc, "clew cc: memory accesses are recorded", "apt-get install gcc g++"},
    {"clang", has_clang, "clew cc --with clang: the same", "apt-get install clang"},
    {"ptrace", can_ptrace, "debuggers can follow a recorded program",
     "allow it in the container (--cap-add SYS_PTRACE)"},
    {"seccomp", can_seccomp, "raw system calls can be caught",
     "a kernel with CONFIG_SECCOMP_FILTER"},
    {"user-dispatch", can_dispatch, "raw system calls can be caught cheaply",
     "Linux 5.11 or newer"},
    {"perf", can_count, "hardware counters", "a machine that has them; clew does without"},
};
const size_t ability_count = sizeof abilities / sizeof *abilities;
