#include "runtime/control/model/libc_objects.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pick/operation_name.h"
#include "runtime/control/model/fd_table.h"
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

/* The step at which a function of libc has said what it is about to do. */
static uint64_t step_said = UINT64_MAX - 1;

static void take(const struct act *act)
{
    (void)sched_take(act);
    step_said = sched_step();
}

bool state_is_said(void)
{
    return step_said == sched_step();
}

static void touch(const struct object *o, enum event_kind kind, bool writes, const void *place)
{
    take(&(struct act){
        .kind = kind, .known = o, .writes = writes, .is_untraced = true, .place = place});
}

void state_touch(enum control_descriptor kind, bool writes, const void *place)
{
    if (is_step()) {
        const struct object o = object_of_kind(kind, 0, control_owner(process_self->first, 0));
        /* The numbers of rand are drawn under a lock; all else is a data race. */
        const enum event_kind change = kind == CONTROL_RAND ? EVENT_ATOMIC_RMW : EVENT_WRITE;
        touch(&o, writes ? change : EVENT_READ, writes, place);
    }
}

/* The path from the root on, ".", ".." and doubled slashes left out. A file that is reached by two
 * paths is two objects. */
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
        at += length > 0 ? length : 0;
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
    const uint64_t hash =
        is_anywhere ? 0 : name_text(text, print_path(folder, path, text, sizeof text));
    return object_of_kind(CONTROL_PATH, (uint32_t)hash | 1, 0);
}

void state_touch_path(int folder, const char *path, bool writes, const void *place)
{
    if (!is_step_of_files() || path == NULL) {
        return;
    }
    if (strncmp(path, "/proc/", strlen("/proc/")) == 0) {
        state_touch_all(place); /* what the kernel tells of everybody */
    } else {
        const struct object o = state_of_path(folder, path);
        touch(&o, writes ? EVENT_FILE_WRITE : EVENT_FILE_READ, writes, place);
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
        take(&(struct act){
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
    take(&(struct act){.kind = EVENT_FILE_WRITE,
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
