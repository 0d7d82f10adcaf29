#include "runtime/control/model/libc_objects.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pick/operation_name.h"
#include "runtime/control/model/fd_table.h"
#include "runtime/control/model/proc_paths.h"
#include "runtime/shared/raw_syscall.h"
#include "runtime/shared/raw_text.h"

enum { STREAMS_MAX = 64 };

/* Streams whose paths are known. Put back with the rest of memory when a run ends. */
static struct {
    const FILE *file;
    struct object object;
} streams[STREAMS_MAX];
static uint32_t stream_count;

static bool is_step(void)
{
    return control_is_mine() && task_has_others();
}

/* The same of what all processes share. */
static bool is_step_of_files(void)
{
    return control_is_mine() && task_has_peers();
}

/* The step that was the last when the function of libc that runs was called; NONE: none runs. */
enum { NONE = 0 };
static uint64_t step_said = NONE;

void state_enter(void)
{
    step_said = sched_step() + 1;
}

void state_leave(void)
{
    step_said = NONE;
}

bool state_is_said(void)
{
    return step_said == sched_step() + 1;
}

static void touch(const struct object *o, enum event_kind kind, bool writes, const void *place)
{
    (void)sched_take(&(struct act){
        .kind = kind, .known = o, .writes = writes, .is_untraced = true, .place = place});
}

/* Whether libc and the kernel leave it to the program to exclude threads. */
static bool is_racy(enum control_descriptor kind)
{
    return kind == CONTROL_ENVIRONMENT || kind == CONTROL_LOCALE || kind == CONTROL_STRTOK ||
           kind == CONTROL_RAND48;
}

void state_touch(enum control_descriptor kind, bool writes, const void *place)
{
    if (is_step()) {
        const struct object o = object_of_kind(kind, 0, control_owner(process_self->first, 0));
        const enum event_kind change = is_racy(kind) ? EVENT_WRITE : EVENT_ATOMIC_RMW;
        touch(&o, writes ? change : EVENT_READ, writes, place);
    }
}

const struct object *state_numbers(void)
{
    static struct object numbers;
    numbers = object_of_kind(CONTROL_NUMBERS, 0, control_owner(process_self->first, 0));
    return &numbers;
}

void state_take_number(const void *place)
{
    if (is_step()) {
        touch(state_numbers(), EVENT_FILE_WRITE, true, place);
    }
}

/* The path from the root on; ".", ".." and doubled slashes are left out. */
static size_t print_path(int folder, const char *path, char *text, size_t size)
{
    char *end = text + size - 1;
    char *at = text;
    if (path[0] != '/') {
        char link[40] = "/proc/self/cwd";
        if (folder != AT_FDCWD) {
            char *digits = text_append(link, link + sizeof link - 1, "/proc/self/fd/");
            *text_append_number(digits, link + sizeof link - 1, (uint64_t)folder) = 0;
        }
        const long length = sys(SYS_readlink, link, text, size - 1);
        at += length > 0 ? path_as_known(text, (size_t)length, size - 1) : 0;
    }
    while (*path != 0 && at < end) {
        const char *next = strchr(path, '/');
        const size_t length = next == NULL ? strlen(path) : (size_t)(next - path);
        if (length == 2 && path[0] == '.' && path[1] == '.') {
            while (at > text && *--at != '/') {
            }
        } else if (length > 0 && !(length == 1 && path[0] == '.') && at + length + 1 < end) {
            *at++ = '/';
            memcpy(at, path, length);
            at += length;
        }
        path += length + (next != NULL);
    }
    return (size_t)(at - text);
}

/* Replaces the longest beginning of the path that exists by where the kernel finds it, so that a
 * file that symbolic links lead to is one object. The files are those from before the run: a run
 * that makes a link uses files anywhere. Below /proc, where the kernel finds it has a number of a
 * process, another in each run. Returns the length. */
static size_t resolve(char *text, size_t length, size_t size)
{
    enum { LOOK = O_PATH | O_CLOEXEC, TARGET_MAX = 800 };
    char target[TARGET_MAX];
    const int saved = errno;
    if (strncmp(text, "/proc/", strlen("/proc/")) == 0) {
        return length;
    }
    for (size_t at = length; at > 0; at--) {
        if (at < length && text[at] != '/') {
            continue;
        }
        const char kept = text[at];
        text[at] = 0;
        const long fd = sys(SYS_openat, (long)AT_FDCWD, text, (long)LOOK, 0L);
        text[at] = kept;
        if (fd < 0) {
            continue;
        }
        char link[40];
        char *digits = text_append(link, link + sizeof link - 1, "/proc/self/fd/");
        *text_append_number(digits, link + sizeof link - 1, (uint64_t)fd) = 0;
        const long found = sys(SYS_readlink, link, target, sizeof target);
        (void)sys(SYS_close, fd);
        if (found > 0 && (size_t)found < sizeof target && (size_t)found + length - at < size) {
            memmove(text + found, text + at, length - at);
            memcpy(text, target, (size_t)found);
            length = (size_t)found + length - at;
        }
        break;
    }
    errno = saved;
    return length;
}

/* Put back with the rest of memory when a run ends. */
static bool is_anywhere;

void state_reach_anywhere(void)
{
    is_anywhere = true;
}

bool state_is_anywhere(void)
{
    return is_anywhere;
}

struct object state_of_path(int folder, const char *path)
{
    char text[PATH_MAX / 4];
    if (is_anywhere) {
        return object_of_kind(CONTROL_PATH, 1, 0);
    }
    const size_t length = print_path(folder, path, text, sizeof text);
    const uint64_t hash = name_text(text, resolve(text, length, sizeof text));
    return object_of_kind(CONTROL_PATH, (uint32_t)hash | 1, 0);
}

/* A use of a path; of a call that makes a descriptor, `numbers` is their object. */
static void use_path(const struct object *o, const struct object *numbers, bool writes,
                     const void *place)
{
    (void)sched_take(&(struct act){.kind = writes ? EVENT_FILE_WRITE : EVENT_FILE_READ,
                                   .known = o,
                                   .known_second = numbers,
                                   .writes = writes,
                                   .writes_second = numbers != NULL,
                                   .is_untraced = true,
                                   .place = place});
}

static bool is_kind(int folder, const char *path, int flags, struct stat *s)
{
    return sys(SYS_newfstatat, (long)folder, path, s, (long)flags) == 0;
}

/* Whether the use may reach more than the file that the path names: in /proc the kernel tells of
 * everybody, a file with several links has other paths, and a link that is changed leads elsewhere
 * afterwards. A private copy of a file with several links is not what the other paths show. */
static bool reaches_others(int folder, const char *path, bool writes)
{
    struct stat s;
    const int saved = errno;
    bool is_other = strncmp(path, "/proc/", strlen("/proc/")) == 0;
    if (!is_other && writes && is_kind(folder, path, 0, &s) && S_ISREG(s.st_mode) &&
        s.st_nlink > 1) {
        if (control->files.is_private != 0 && !is_anywhere) { /* the run did not make the link */
            control_outside("write to a hard link");
        }
        state_reach_anywhere();
        is_other = true;
    }
    is_other = is_other ||
               (writes && is_kind(folder, path, AT_SYMLINK_NOFOLLOW, &s) && S_ISLNK(s.st_mode));
    errno = saved;
    return is_other;
}

void state_touch_path(int folder, const char *path, bool writes, const void *place)
{
    if (!is_step_of_files() || path == NULL) {
        return;
    }
    if (reaches_others(folder, path, writes)) {
        state_touch_all(place);
    } else {
        const struct object o = state_of_path(folder, path);
        use_path(&o, NULL, writes, place);
    }
}

void state_open_path(int folder, const char *path, bool writes, bool may_write, const void *place)
{
    if (!is_step_of_files() || path == NULL) {
        return;
    }
    if (reaches_others(folder, path, may_write)) {
        state_touch_all(place);
    } else {
        const struct object o = state_of_path(folder, path);
        use_path(&o, state_numbers(), writes, place);
    }
}

void state_touch_descriptor(int fd, bool writes, const void *place)
{
    if (is_step_of_files()) {
        (void)end_take(fd, false,
                       &(struct act){.kind = writes ? EVENT_FILE_WRITE : EVENT_FILE_READ,
                                     .is_of_all = state_is_anywhere(),
                                     .writes = writes,
                                     .is_untraced = true,
                                     .place = place});
    }
}

enum { EXCLUSIVE_MAX = 64 };

/* Paths that must not be there when they are made, and who made them. Put back with the rest. */
static struct {
    uint32_t path, task;
} exclusive[EXCLUSIVE_MAX];
static uint32_t exclusive_count;

void state_make_exclusive(int folder, const char *path, const char *call)
{
    if (!is_step_of_files() || path == NULL) {
        return;
    }
    const uint32_t wanted = state_of_path(folder, path).ordinal;
    for (uint32_t i = 0; i < exclusive_count; i++) {
        if (exclusive[i].path == wanted && exclusive[i].task != control_self->number) {
            control_outside(call);
            return;
        }
    }
    if (exclusive_count < EXCLUSIVE_MAX) {
        exclusive[exclusive_count].path = wanted;
        exclusive[exclusive_count++].task = control_self->number;
    }
}

void state_touch_all(const void *place)
{
    if (is_step_of_files()) {
        (void)sched_take(&(struct act){
            .kind = EVENT_FILE_WRITE, .is_of_all = true, .is_untraced = true, .place = place});
    }
}

void state_buffer_begin(struct state_buffer *b)
{
    if (b->at != NULL && is_step()) {
        memcpy(b->before, b->at, STATE_BUFFER_MAX);
    }
}

void state_buffer_end(struct state_buffer *b, void *at, size_t size, const void *place)
{
    uint8_t after[STATE_BUFFER_MAX];
    size = size < sizeof after ? size : sizeof after;
    if (at != NULL && at == b->at && is_step()) {
        memcpy(after, at, size);
        memcpy(at, b->before, size);
        memory_write(at, size, place);
        memcpy(at, after, size);
    } else if (at != NULL && is_step()) {
        memory_write(at, size, place);
    }
    b->at = at != NULL ? at : b->at;
}

void state_opened(const FILE *file, const char *path)
{
    if (file == NULL || !control_is_on) {
        return;
    }
    uint32_t at = 0;
    while (at < stream_count && streams[at].file != file) {
        at++;
    }
    if (at == STREAMS_MAX) {
        return;
    }
    stream_count += at == stream_count;
    streams[at].file = file;
    streams[at].object = state_of_path(AT_FDCWD, path);
}

static bool is_path_known(const FILE *file, struct object *o)
{
    for (uint32_t i = 0; i < stream_count; i++) {
        if (streams[i].file == file) {
            *o = streams[i].object;
            return true;
        }
    }
    return false;
}

static void touch_memory(const void *object, const void *place)
{
    (void)sched_take(&(struct act){.kind = EVENT_FILE_WRITE,
                                   .object = object,
                                   .writes = true,
                                   .is_untraced = true,
                                   .place = place});
}

void state_touch_folder(const DIR *folder, const void *place)
{
    if (is_step()) {
        touch_memory(folder, place);
    }
}

/* A stream that was made of a descriptor. */
static bool is_of_file(FILE *file, struct object *o)
{
    const int fd = fileno(file);
    const struct end *e = fd < 0 ? NULL : end_of(fd);
    if (e == NULL || e->kind != CONTROL_FILE) {
        return false;
    }
    *o = e->object;
    return true;
}

void state_touch_stream(FILE *file, const void *place)
{
    struct object o = {0};
    if (!is_step_of_files() || file == NULL) {
        return;
    }
    if (file == stdout || file == stderr) {
        /* What they get is no object: nobody inside reads it. */
    } else if (is_path_known(file, &o) || is_of_file(file, &o)) {
        touch(&o, EVENT_FILE_WRITE, true, place);
    } else {
        touch_memory(file, place);
    }
    lock_pass_stream(file, place);
}
