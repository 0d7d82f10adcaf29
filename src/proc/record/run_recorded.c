#include "proc/record/run_recorded.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "base/limit.h"
#include "proc/build/install_paths.h"
#include "proc/record/process_alive.h"
#include "proc/record/segment_compress.h"
#include "wire/event.h"
#include "wire/recording.h"
#include "wire/segment.h"

enum {
    PATH_SIZE = PATH_MAX,
    END_STEPS_MAX = 20,
    PAUSE_MS = 20,
    WATCH_PAUSE_NS = 50 * 1000 * 1000,
};

static int path_join(char path[static PATH_SIZE], const char *head, const char *tail, struct err *e)
{
    const int size = snprintf(path, PATH_SIZE, "%s%s", head, tail);
    return size > 0 && size < PATH_SIZE ? 0 : err_set(e, "%s: the path is too long", head);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* The names of functions that handle messages, in the page. */
static int put_handlers(struct recording *page, const struct recorder_options *options,
                        struct err *e)
{
    must(options->handler_count <= RECORDING_HANDLERS_MAX);
    for (size_t i = 0; i < options->handler_count; i++) {
        const char *name = options->handlers[i];
        if (name[0] == 0 || strlen(name) >= RECORDING_HANDLER_SIZE) {
            return err_set(e, "--handler %.40s: a function's name has 1 to %d letters", name,
                           RECORDING_HANDLER_SIZE - 1);
        }
        memcpy(page->handlers[i].name, name, strlen(name) + 1);
    }
    page->handler_count = (uint32_t)options->handler_count;
    return 0;
}

/* The limit on the bytes of segments: at most half of the free space of the disk, so that the trace
 * fits beside them. */
static uint64_t size_of_rows(const char *folder, uint64_t size_max)
{
    struct statvfs disk;
    if (seam_fails() || statvfs(folder, &disk) < 0) {
        return size_max;
    }
    const uint64_t half = (uint64_t)disk.f_bavail * disk.f_frsize / 2;
    return half < size_max ? half : size_max;
}

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now = {0};
    (void)clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Makes the page all recorded processes share. Returns it open and locked: while it is, the folder
 * is this recorder's. */
static int make_page(const char *folder, const struct recorder_options *options, struct err *e)
{
    char path[PATH_SIZE];
    if (path_join(path, folder, "/" RECORDING_FILE, e) < 0) {
        return -1;
    }
    struct recording page = {
        .version = WIRE_VERSION,
        .flags = (options->all_accesses ? RECORDING_ALL_ACCESSES : 0u) |
                 (options->stacks ? RECORDING_STACKS : 0u) |
                 (options->watch != NULL ? RECORDING_WATCHED : 0u),
        .size_pending_max = size_of_rows(folder, options->size_pending_max),
        .clock_offset_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC),
        .writer = (uint32_t)getpid(),
        .first_accesses = options->first_accesses,
        .magic = RECORDING_MAGIC,
    };
    if (put_handlers(&page, options, e) < 0) {
        return -1;
    }
    atomic_init(&page.stamp, 1);
    (void)snprintf(page.node, sizeof page.node, "%s",
                   options->node != NULL ? options->node : base_name(options->command[0]));
    if (getcwd(page.folder, sizeof page.folder) == NULL) {
        page.folder[0] = 0; /* too deep to be named: paths stay absolute */
    }
    const int fd = seam_fails() ? -1 : open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        return err_set(e, "%s: cannot be written: %s", path, strerror(errno));
    }
    char bytes[4096] = {0};
    memcpy(bytes, &page, sizeof page);
    const bool is_written =
        !seam_fails() && write(fd, bytes, sizeof bytes) == (ssize_t)sizeof bytes;
    if (!is_written || flock(fd, LOCK_EX | LOCK_NB) < 0) {
        const int reason = errno;
        (void)close(fd);
        return err_set(e, "%s: cannot be written: %s", path, strerror(reason));
    }
    return fd;
}

/* The previous actions of the keyboard's signals. The signals are for the program; clew ignores
 * them, because it must outlive the program. */
struct keyboard {
    struct sigaction interrupt, quit;
};

static void keyboard_ignore(struct keyboard *before)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    (void)sigaction(SIGINT, &ignore, &before->interrupt);
    (void)sigaction(SIGQUIT, &ignore, &before->quit);
}

static void keyboard_restore(const struct keyboard *before)
{
    (void)sigaction(SIGINT, &before->interrupt, NULL);
    (void)sigaction(SIGQUIT, &before->quit, NULL);
}

/* In the child, between fork and exec: the environment that puts the recorder into the program. */
_Noreturn static void become(const struct recorder_options *options, const char *library,
                             const char *folder, int report)
{
    const char *before = getenv("LD_PRELOAD");
    char preload[2 * PATH_SIZE];
    (void)snprintf(preload, sizeof preload, "%s%s%s", library, before == NULL ? "" : ":",
                   before == NULL ? "" : before);
    if (setenv("LD_PRELOAD", preload, 1) == 0 && setenv(RECORDING_VARIABLE, folder, 1) == 0) {
        (void)execvp(options->command[0], options->command);
    }
    const int reason = errno;
    if (write(report, &reason, sizeof reason) < 0) {
        _exit(127);
    }
    _exit(126);
}

/* Waits for the end of the command and of its orphans. Meanwhile it compresses segments and calls
 * the watcher several times a second. */
static void wait_for(pid_t pid, const struct recorder_options *options, const char *folder,
                     struct drain *drain, int *status)
{
    struct pollfd command = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    uint64_t watch_ns = 0;
    int end = 0;
    pid_t ended = 0;
    while (ended != pid && (ended >= 0 || errno == EINTR)) {
        if (ended == 0) {
            const bool is_busy = drain_step(drain);
            (void)poll(&command, 1, is_busy ? 0 : PAUSE_MS);
        }
        if (ended == 0 && options->watch != NULL && limit_now_ns() >= watch_ns) {
            options->watch(options->watch_context, folder, false);
            watch_ns = limit_now_ns() + WATCH_PAUSE_NS;
        }
        ended = waitpid(-1, &end, WNOHANG);
    }
    if (command.fd >= 0) {
        (void)close(command.fd);
    }
    *status = end;
    if (options->watch != NULL) {
        options->watch(options->watch_context, folder, true);
    }
}

/* Starts the command and waits for it. A failed exec sends its errno through a pipe; a successful
 * one closes the pipe. */
static int run(const struct recorder_options *options, const char *library, const char *folder,
               struct drain *drain, int *status, struct err *e)
{
    int report[2];
    if (seam_fails() || pipe2(report, O_CLOEXEC) < 0) {
        return err_set(e, "cannot start %s: pipe: %s; raise ulimit -n", options->command[0],
                       strerror(errno));
    }
    /* Orphans become clew's children: it then sees which processes outlive the program. */
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    struct keyboard keyboard;
    keyboard_ignore(&keyboard);
    const pid_t pid = seam_fails() ? -1 : fork();
    if (pid < 0) {
        const int reason = errno;
        keyboard_restore(&keyboard);
        (void)close(report[0]);
        (void)close(report[1]);
        return err_set(e, "cannot start %s: fork: %s; raise ulimit -u", options->command[0],
                       strerror(reason));
    }
    if (pid == 0) {
        keyboard_restore(&keyboard);
        become(options, library, folder, report[1]);
    }
    (void)close(report[1]);
    int reason = 0;
    const ssize_t failed = read(report[0], &reason, sizeof reason);
    (void)close(report[0]);
    wait_for(pid, options, folder, drain, status);
    keyboard_restore(&keyboard);
    return failed > 0 ? err_set(e, "%s: cannot be run: %s", options->command[0], strerror(reason))
                      : 0;
}

/* Removes the rows, whose names are numbers, and the page; a file that is not ours keeps the
 * folder. */
static void remove_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    if (dir == NULL) {
        return;
    }
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        const char *name = entry->d_name;
        const size_t digits = strspn(name, "0123456789");
        const size_t numbers = strspn(name, "0123456789.");
        const bool is_row =
            digits > 0 && (name[numbers] == 0 || strcmp(name + numbers - 1, PACKED_SUFFIX) == 0);
        const bool is_table = digits > 0 && (strcmp(name + digits, SITES_SUFFIX) == 0 ||
                                             strcmp(name + digits, CALLS_SUFFIX) == 0 ||
                                             strcmp(name + digits, ORIGINS_SUFFIX) == 0);
        if (is_row || is_table || strcmp(name, RECORDING_FILE) == 0 ||
            strcmp(name, PACKING_FILE) == 0) {
            (void)unlinkat(dirfd(dir), entry->d_name, 0);
        }
    }
    (void)closedir(dir);
    (void)rmdir(folder);
}

/* The end of a command that a signal killed, which could not record it. The first task is its. */
static int write_crash(struct writer *w, int signal, struct err *e)
{
    const struct event crash = {
        .kind = EVENT_PROCESS_CRASH, .task = 0, .value = signal, .has = HAS_VALUE};
    return w->ops->write(w, &crash, 1, e);
}

static int write_trace(const char *folder, const char *output, struct recorder_result *result,
                       struct notes *n, struct err *e)
{
    struct tables tables;
    struct out out;
    tables_init(&tables);
    int status = out_open(&out, output, e);
    if (status == 0) {
        struct writer *w = format_native.create(&out, &tables, n);
        status = collect(folder, &tables, w, &result->stats, n, e);
        if (status == 0 && WIFSIGNALED(result->status) && tables.tasks.count > 0) {
            status = write_crash(w, WTERMSIG(result->status), e);
            result->stats.events += status == 0;
        }
        if (status == 0) {
            status = writer_close(w, e);
        } else {
            writer_abandon(w);
        }
    }
    tables_release(&tables);
    if (status == 0) {
        remove_folder(folder);
    }
    return status;
}

/* The process that still records into the folder, 0 when none does. */
static uint32_t writer_of(const char *folder)
{
    char whole[PATH_SIZE];
    DIR *dir = realpath(folder, whole) == NULL ? NULL : opendir(folder);
    uint32_t pid = 0;
    for (struct dirent *entry; dir != NULL && pid == 0 && (entry = readdir(dir)) != NULL;) {
        struct segment segment = {0};
        const int fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        if (fd >= 0 && read(fd, &segment, sizeof segment) == (ssize_t)sizeof segment &&
            segment.magic == SEGMENT_MAGIC && atomic_load(&segment.is_closed) == 0 &&
            process_is_recording(segment.pid, whole)) {
            pid = segment.pid;
        }
        if (fd >= 0) {
            (void)close(fd);
        }
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
    return pid;
}

bool recorder_has_left_rows(const char *output)
{
    char path[PATH_SIZE];
    struct err ignored;
    return path_join(path, output, ".rings/" RECORDING_FILE, &ignored) == 0 &&
           access(path, F_OK) == 0;
}

/* This process writes the trace from now on; removes the unfinished file of the process before it.
 */
static void succeed(int page, const char *output)
{
    const off_t at = offsetof(struct recording, writer);
    const uint32_t own = (uint32_t)getpid();
    uint32_t before = 0;
    char path[PATH_SIZE];
    if (pread(page, &before, sizeof before, at) == (ssize_t)sizeof before && before != 0 &&
        snprintf(path, sizeof path, "%s.%u.part", output, before) < PATH_SIZE) {
        (void)unlink(path);
    }
    if (pwrite(page, &own, sizeof own, at) < 0) {
        return; /* then a part of this one may stay, if it is killed too */
    }
}

int recorder_fold(const char *output, struct recorder_result *result, struct notes *n,
                  struct err *e)
{
    char folder[PATH_SIZE];
    char page[PATH_SIZE];
    *result = (struct recorder_result){0};
    if (path_join(folder, output, ".rings", e) < 0 ||
        path_join(page, folder, "/" RECORDING_FILE, e) < 0) {
        return -1;
    }
    const int fd = seam_fails() ? -1 : open(page, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return err_set(e, "%s: cannot be opened: %s", page, strerror(errno));
    }
    int status = 0;
    if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        status = err_set(e, "%s: is being written by another clew record", output);
    }
    const uint32_t pid = status == 0 ? writer_of(folder) : 0;
    if (pid != 0) {
        status =
            err_set(e, "%s: is still being recorded by process %u; wait for its end", output, pid);
    }
    if (status == 0) {
        succeed(fd, output);
        status = write_trace(folder, output, result, n, e);
    }
    (void)close(fd);
    return status;
}

/* The folder of the rows, beside the output. */
static int make_folder(const char *output, char folder[static PATH_SIZE], struct err *e)
{
    char beside[PATH_SIZE];
    if (path_join(beside, output, ".rings", e) < 0) {
        return -1;
    }
    if (seam_fails() || mkdir(beside, 0700) < 0) {
        return errno == EEXIST
                   ? err_set(e,
                             "%s: holds an earlier recording; read it (clew info %s) or remove it",
                             beside, output)
                   : err_set(e, "%s: cannot be made: %s", beside, strerror(errno));
    }
    if (realpath(beside, folder) == NULL) {
        return err_set(e, "%s: cannot be found: %s", beside, strerror(errno));
    }
    return 0;
}

/* Some process of the program's still runs. */
static bool somebody_runs(void)
{
    pid_t ended = 0;
    do {
        ended = waitpid(-1, NULL, WNOHANG);
    } while (ended > 0);
    return ended == 0;
}

/* Gives tasks that are emptying a segment at the end of the recording a moment to finish. A task
 * that was killed there never finishes. */
static void wait_for_emptying(int page)
{
    uint32_t count = 1;
    for (int step = 0; step < END_STEPS_MAX && count > 0; step++) {
        if (pread(page, &count, sizeof count, offsetof(struct recording, emptying)) < 0) {
            return;
        }
        if (count > 0) {
            (void)nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        }
    }
}

/* The program has ended. A process that outlives it begins no row from now on; one that is about to
 * end is given a moment to do so. */
static void end_recording(const char *folder, int page, struct notes *n)
{
    const uint32_t is_closed = 1;
    for (int step = 0; step < END_STEPS_MAX && somebody_runs(); step++) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    if (pwrite(page, &is_closed, sizeof is_closed, offsetof(struct recording, is_closed)) < 0) {
        notes_add(n, folder, "could not be closed; processes that still run may write there");
    }
    if (somebody_runs()) {
        wait_for_emptying(page);
        char place[32] = "the program's child";
        const uint32_t pid = writer_of(folder);
        if (pid != 0) {
            (void)snprintf(place, sizeof place, "process %u", pid);
        }
        notes_add(n, place, "a process outlives the program; its further events are not recorded");
    }
}

int recorder_run(const struct recorder_options *options, struct recorder_result *result,
                 struct notes *n, struct err *e)
{
    char folder[PATH_SIZE];
    struct stat output;
    *result = (struct recorder_result){0};
    if (stat(options->output, &output) == 0 && S_ISDIR(output.st_mode)) {
        return err_set(e, "%s: is a folder; name a file", options->output);
    }
    struct install install;
    if (install_find(&install, e) < 0 || make_folder(options->output, folder, e) < 0) {
        return -1;
    }
    const int page = make_page(folder, options, e);
    struct drain drain = {.folder = -1};
    if (page >= 0) {
        drain_open(&drain, folder, page);
    }
    const bool has_run =
        page >= 0 && run(options, install.runtime, folder, &drain, &result->status, e) == 0;
    drain_close(&drain);
    if (!has_run) {
        remove_folder(folder);
        if (page >= 0) {
            (void)close(page);
        }
        return -1;
    }
    end_recording(folder, page, n);
    int status = write_trace(folder, options->output, result, n, e);
    (void)close(page);
    if (status < 0) {
        status = err_wrap(e, "the program has ended; its recording is kept in %s", folder);
    }
    return status;
}
