#include "fault.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "base/mem.h"
#include "base/out.h"
#include "scratch.h"
#include "test.h"

enum { CHILD_SECONDS_MAX = 60, STATUS_LEAKED = 99, CALLS_MAX = 100000 };

/* LeakSanitizer's own question, there only in sanitized builds. */
/* NOLINTNEXTLINE(readability-identifier-naming) */
__attribute__((weak)) int __lsan_do_recoverable_leak_check(void);

/* The child's result for its parent, in shared memory. */
struct report {
    bool is_finished; /* the work came back */
    bool was_reached; /* and the armed call was among it */
};

struct outcome {
    int status;
    bool was_reached;
    char said[2048]; /* on stderr, cut */
};

int fault_told(const struct err *e)
{
    (void)fprintf(stderr, "clew: %s\n", e->text);
    return 2;
}

static void end_without_memory(size_t size)
{
    (void)size;
    out_abandon_all();
    static const char line[] = "clew: out of memory\n";
    const ssize_t done = write(STDERR_FILENO, line, sizeof line - 1);
    _exit(done < 0 ? 1 : 2);
}

static _Noreturn void be_the_child(const struct fault_sweep *sweep, uint64_t call_index,
                                   int said_fd, struct report *report)
{
    (void)alarm(CHILD_SECONDS_MAX);
    const int true_stderr = dup(STDERR_FILENO);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    must(dup2(said_fd, STDERR_FILENO) >= 0);
    must(dup2(nowhere, STDOUT_FILENO) >= 0);
    mem_on_failure(end_without_memory);
    seam_arm(call_index);
    int status = sweep->run(sweep->context);
    report->was_reached = seam_disarm();
    report->is_finished = true;
    (void)fflush(NULL);
    must(dup2(true_stderr, STDERR_FILENO) >= 0);
    if (__lsan_do_recoverable_leak_check != NULL && __lsan_do_recoverable_leak_check() != 0) {
        status = STATUS_LEAKED;
    }
    _exit(status);
}

static void run_child(const struct fault_sweep *sweep, uint64_t call_index, struct outcome *o)
{
    struct report *report =
        mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(report != MAP_FAILED);
    const int said_fd = memfd_create("stderr", MFD_CLOEXEC);
    must(said_fd >= 0);
    (void)fflush(NULL);
    const pid_t child = fork();
    must(child >= 0);
    if (child == 0) {
        be_the_child(sweep, call_index, said_fd, report);
    }
    int status = 0;
    must(waitpid(child, &status, 0) == child);
    const ssize_t said = pread(said_fd, o->said, sizeof o->said - 1, 0);
    must(said >= 0);
    o->said[said] = '\0';
    o->was_reached = !report->is_finished || report->was_reached;
    (void)close(said_fd);
    (void)munmap(report, sizeof *report);
    if (!WIFEXITED(status)) {
        fail_msg("call %llu failed: the program died of signal %d, saying \"%s\"",
                 (unsigned long long)call_index, WTERMSIG(status), o->said);
    }
    o->status = WEXITSTATUS(status);
}

static void check_folder(uint64_t call_index)
{
    DIR *folder = opendir(scratch_folder());
    must(folder != NULL);
    const struct dirent *entry = NULL;
    while ((entry = readdir(folder)) != NULL) {
        const size_t size = strlen(entry->d_name);
        if (size > 5 && strcmp(entry->d_name + size - 5, ".part") == 0) {
            fail_msg("call %llu failed: %s was left behind", (unsigned long long)call_index,
                     entry->d_name);
        }
    }
    (void)closedir(folder);
}

static bool is_one_line(const char *text)
{
    const char *end = strchr(text, '\n');
    return end != NULL && end > text && end[1] == '\0';
}

static void check_outcome(const struct fault_sweep *sweep, uint64_t call_index,
                          const struct outcome *o, int status_usual)
{
    if (o->status == STATUS_LEAKED) {
        fail_msg("call %llu failed: memory leaked", (unsigned long long)call_index);
    }
    if (o->status != status_usual && o->status != 2) {
        fail_msg("call %llu failed: status %d, saying \"%s\"", (unsigned long long)call_index,
                 o->status, o->said);
    }
    if (o->status != status_usual && !is_one_line(o->said)) {
        fail_msg("call %llu failed: not one line on stderr but \"%s\"",
                 (unsigned long long)call_index, o->said);
    }
    check_folder(call_index);
    if (sweep->output_is_right != NULL && !sweep->output_is_right(sweep->context, o->status)) {
        fail_msg("call %llu failed: status %d, and the output is wrong",
                 (unsigned long long)call_index, o->status);
    }
}

uint64_t fault_sweep(const struct fault_sweep *sweep)
{
    (void)scratch_folder(); /* so that it is the parent's */
    struct outcome usual = {0};
    run_child(sweep, UINT64_MAX, &usual);
    check_outcome(sweep, 0, &usual, usual.status);

    for (uint64_t call_index = 1; call_index < CALLS_MAX; call_index++) {
        struct outcome o = {0};
        run_child(sweep, call_index, &o);
        check_outcome(sweep, call_index, &o, usual.status);
        if (!o.was_reached) {
            return call_index - 1;
        }
    }
    fail_msg("more than %d calls: give the sweep less work", CALLS_MAX);
    return 0;
}
