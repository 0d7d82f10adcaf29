#include "runtime/record/log/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/record/hooks/close_locks.h"
#include "runtime/record/hooks/exec_environment.h"
#include "runtime/record/hooks/fd_identity.h"
#include "runtime/record/hooks/message_handler.h"
#include "runtime/record/hooks/shared_memory_ids.h"
#include "runtime/record/hooks/shell.h"
#include "runtime/record/hooks/signal_edges.h"
#include "runtime/record/hooks/wait_internal.h"
#include "runtime/record/log/append.h"
#include "runtime/record/log/call_paths.h"
#include "runtime/record/log/recording_files.h"
#include "runtime/record/shadow/access.h"
#include "runtime/record/shadow/atomic.h"
#include "runtime/shared/raw_text.h"
#include "runtime/shared/real.h"
#include "wire/event.h"
#include "wire/must.h"

enum {
    FOLDER_MAX = 4096,
    NODE_SIZE = sizeof((struct segment *)0)->node,
};

__thread struct rt_task rt_self;
bool rt_is_on;
bool rt_wants_all_accesses;
bool rt_is_watched;

struct recording *rt_recording;
static char folder[FOLDER_MAX];
static uint32_t process_number;
static _Atomic uint32_t task_count;
static char node[NODE_SIZE];
static _Atomic uint32_t fork_count; /* children so far, for their nodes' names */
static struct rt_task *main_task;
static pthread_key_t end_key;

/* A page that the kernel clears in every child, whatever call forked it (MADV_WIPEONFORK). A
 * process that finds it cleared knows that the segments belong to its parent. */
static struct own_page {
    uint32_t is_known;
} * own_page;

static void process_begin_forked(void);

/* Files are reached by raw system calls: the libc functions of these names are our own hooks. */
static int sys_open(const char *path, int flags)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

void rt_pause(void)
{
    (void)syscall(SYS_sched_yield);
}

uint32_t rt_own_tid(void)
{
    return (uint32_t)syscall(SYS_gettid);
}

uint32_t rt_own_pid(void)
{
    return (uint32_t)syscall(SYS_getpid);
}

/* Signals are held off while a task changes its segment, which happens once in a mebibyte: a
 * handler that records must find a whole one. */
uint64_t rt_signals_hold(void)
{
    const uint64_t all = UINT64_MAX;
    uint64_t before = 0;
    (void)syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof all);
    return before;
}

void rt_signals_release(uint64_t before)
{
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
}

static void task_begin(struct rt_task *task, const char *path, uint32_t number)
{
    const uint64_t held = rt_signals_hold();
    text_copy(task->path, sizeof task->path, path);
    task->number = number;
    append_begin(task, 0);
    rt_signals_release(held);
}

/* A task that the hooks did not see begin: made by a raw clone, or by libc itself for a timer. */
static void begin_unseen(struct rt_task *task)
{
    char path[32];
    const uint32_t number = rt_task_reserve();
    *text_append_number(text_append(path, path + 31, "unseen/"), path + 31, number) = 0;
    task_begin(task, path, number);
    signalled_as_thread();
}

/* The calling task, ready to record, or NULL when it must not: the recording is off, or the task
 * has ended. A process that came from an unseen fork begins here, and so does an unseen task. */
static struct rt_task *enter(void)
{
    struct rt_task *task = &rt_self;
    if (!rt_is_on || task->is_ended) {
        return NULL;
    }
    if (own_page->is_known == 0) {
        process_begin_forked();
    }
    if (task->path[0] == 0) {
        begin_unseen(task);
    }
    task->busy++;
    return task;
}

static void leave(struct rt_task *task)
{
    if (task->retired != NULL && !append_is_interrupting(task)) {
        append_settle(task);
    }
    task->busy--;
}

bool rt_is_recording(void)
{
    return rt_is_on && !rt_self.is_ended;
}

/* Records the time of day, derived from CLOCK_MONOTONIC, which is the same for all processes and
 * never set back. */
static void record_time(struct rt_task *task)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t ns =
        now.tv_sec * INT64_C(1000000000) + now.tv_nsec + rt_recording->clock_offset_ns;
    const struct record record = {.kind = RECORD_TIME, .object = (uint64_t)(ns / 1000)};
    (void)append_record(task, &record, (struct tail){0}, false);
}

/* Calls around a lock that are kept: more than the functions of C++ between a guard and it. */
enum { LOCK_CALLS = 8 };

/* A lock that C++ takes in a header of the system belongs to the line that made the guard. */
static bool has_origin(const struct rt_event *event)
{
    return event->kind == EVENT_LOCK && event->place != NULL && !calls_has_paths();
}

/* With the path of calls, if stacks are kept. Where memory comes and goes, other calls are beside
 * the place already. */
static uint64_t place_of(const struct rt_event *event)
{
    const uint64_t place = (uintptr_t)event->place;
    if (has_origin(event)) {
        return calls_origin(event->place, LOCK_CALLS);
    }
    return place == 0 || event->kind == EVENT_ALLOC || event->kind == EVENT_FREE
               ? place
               : place | rt_self.calls;
}

/* Locks of files are often held for as long as a process lives, and are not counted. */
static bool is_thread_lock(const struct rt_event *event)
{
    const uint8_t mode = event->mode & (uint8_t)~LOCK_TRY;
    return mode != LOCK_FCNTL_READ && mode != LOCK_FCNTL_WRITE && mode != LOCK_FLOCK_READ &&
           mode != LOCK_FLOCK_WRITE;
}

static void count_sections(struct rt_task *task, const struct rt_event *event)
{
    const bool begins =
        (event->kind == EVENT_LOCK && is_thread_lock(event)) || event->kind == EVENT_WAIT_END;
    const bool ends =
        (event->kind == EVENT_UNLOCK && is_thread_lock(event)) || event->kind == EVENT_WAIT_BEGIN;
    if (begins) {
        task->section_left = task->held++ == 0 ? RT_SECTION_MAX : task->section_left;
        task->moved |= RT_MOVED_SECTION;
    } else if (ends) {
        task->moved |= RT_MOVED_SECTION;
        task->held -= task->held > 0;
        task->section_left = task->held == 0 ? 0 : task->section_left;
    }
}

/* Reports to the collector which module is mapped where. */
static void record_modules(void);

struct rt_mark rt_record(struct rt_event event)
{
    if (rt_self.has_loaded && rt_self.busy == 0 && rt_is_on) {
        rt_self.has_loaded = false;
        record_modules();
    }
    struct rt_task *task = enter();
    if (task == NULL) {
        return (struct rt_mark){0};
    }
    const int saved = errno;
    if ((task->moved & ~RT_MOVED_SECTION) != 0) {
        calls_record(task);
    }
    if (record_is_timed(event.kind)) {
        record_time(task);
    }
    struct record record = {
        .kind = (uint8_t)event.kind,
        .mode = event.mode,
        .flags = (uint8_t)((event.has_value ? RECORD_HAS_VALUE : 0) |
                           (event.has_size ? RECORD_HAS_SIZE : 0) |
                           (has_origin(&event) ? RECORD_HAS_ORIGIN : 0)),
        .size = event.size > UINT32_MAX ? UINT32_MAX : (uint32_t)event.size,
        .object = (uintptr_t)event.object,
        .place = place_of(&event),
    };
    const struct rt_mark mark = append_record(
        task, &record, (struct tail){event.more, event.more_size, event.value}, !event.is_plain);
    count_sections(task, &event);
    errno = saved;
    leave(task);
    return mark;
}

/* A task with a segment has begun, unless the process was forked since. Only an access that a
 * handler interrupted needs the slow path. */
void rt_record_access(uint64_t word)
{
    struct rt_task *task = &rt_self;
    if (__builtin_expect(task->segment != NULL && own_page->is_known != 0 &&
                             task->pending == NULL && task->access == 0 && task->moved == 0 &&
                             append_word(task, word),
                         1)) {
        return;
    }
    task = enter();
    if (task != NULL) {
        if (task->moved != 0) {
            calls_record(task);
        }
        append_access(task, word);
        leave(task);
    }
}

struct rt_mark rt_record_late(struct rt_late late)
{
    struct rt_task *task = access_is_allowed(late.address) ? NULL : enter();
    if (task == NULL) {
        return (struct rt_mark){0};
    }
    const int saved = errno;
    const struct record record = {.kind = late.kind,
                                  .flags = RECORD_HAS_SIZE | RECORD_LATE,
                                  .size = late.size,
                                  .late = {.task = late.task, .epoch = late.epoch},
                                  .object = late.address,
                                  .place = late.place};
    const struct rt_mark mark = append_record(task, &record, (struct tail){0}, false);
    errno = saved;
    leave(task);
    return mark;
}

/* So much may have been recorded meanwhile that the segment is gone. */
static bool is_in_reach(struct rt_mark mark)
{
    return mark.record != NULL && mark.segment == rt_self.segment &&
           mark.number == mark.segment->number;
}

bool rt_amend_size(struct rt_mark mark, uint64_t size)
{
    const bool is_possible = is_in_reach(mark);
    if (is_possible) {
        mark.record->size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
    }
    return is_possible;
}

void rt_amend_void(struct rt_mark mark)
{
    if (is_in_reach(mark)) {
        mark.record->flags |= RECORD_VOID;
    }
}

int64_t rt_amend_sent(struct rt_mark mark, int64_t result)
{
    if (result < 0) {
        rt_amend_void(mark);
    } else {
        (void)rt_amend_size(mark, (uint64_t)result);
    }
    return result;
}

int rt_amend_done(struct rt_mark mark, int result)
{
    if (result != 0) {
        rt_amend_void(mark);
    }
    return result;
}

void rt_amend_count(struct rt_mark mark, uint32_t count)
{
    if (is_in_reach(mark)) {
        ((struct record_more *)(void *)(mark.record + 1))->count = count;
    }
}

void rt_amend_acquire(struct rt_mark mark)
{
    if (!is_in_reach(mark)) {
        return;
    }
    const uint8_t order = mark.record->mode & MEMORY_ORDER_MASK;
    const uint8_t operation = mark.record->mode & MEMORY_UPDATE_MASK;
    if (order == MEMORY_RELAXED) {
        mark.record->mode = operation | MEMORY_ACQUIRE;
    } else if (order == MEMORY_RELEASE) {
        mark.record->mode = operation | MEMORY_ACQ_REL;
    }
}

static void note(const struct rt_note *n, bool is_stamped)
{
    struct rt_task *task = enter();
    if (task == NULL) {
        return;
    }
    const int saved = errno;
    struct record record = {
        .kind = (uint8_t)n->kind, .object = n->object, .place = (uintptr_t)n->place};
    (void)append_record(task, &record, (struct tail){n->more, n->more_size, 0}, is_stamped);
    errno = saved;
    leave(task);
}

void rt_record_note(enum record_kind kind, uint64_t object, const void *more, size_t more_size)
{
    note(&(struct rt_note){.kind = kind, .object = object, .more = more, .more_size = more_size},
         false);
}

void rt_record_stamped_note(const struct rt_note *n)
{
    note(n, true);
}

/* The first stamped record of a process whose first event may be a plain access: the creation of
 * the process happens before it. */
static void note_begin(void)
{
    rt_record_stamped_note(
        &(struct rt_note){.kind = RECORD_NODE, .more = node, .more_size = strlen(node)});
}

_Static_assert(sizeof((struct rt_task *)0)->path == sizeof((struct segment *)0)->path,
               "a segment holds any path");
void rt_child_path(char path[static 512])
{
    struct rt_task *task = &rt_self;
    const char *end = path + 511;
    char *at = text_append(path, end, task->path[0] == 0 ? "unseen" : task->path);
    at = text_append(at, end, "/");
    at = text_append_number(at, end, ++task->child_count);
    *at = 0;
}

uint32_t rt_task_reserve(void)
{
    return atomic_fetch_add_explicit(&task_count, 1, memory_order_relaxed);
}

/* The destructors of a thread's keys run in rounds while some key has a value, at most
 * PTHREAD_DESTRUCTOR_ITERATIONS times. The recorder's destructor waits for the last round, so that
 * the events of the program's own destructors still belong to the task. */
static void end_in_last_round(void *round)
{
    if ((uintptr_t)round < PTHREAD_DESTRUCTOR_ITERATIONS) {
        (void)pthread_setspecific(end_key, (void *)((uintptr_t)round + 1));
        return;
    }
    struct rt_task *task = &rt_self;
    access_task_end();
    (void)rt_record((struct rt_event){.kind = EVENT_THREAD_END});
    task->is_ended = true;
    task->own = 0;
    append_end(task, true);
}

void rt_task_begin(const char *path, uint32_t number)
{
    if (rt_is_on) {
        task_begin(&rt_self, path, number);
        (void)pthread_setspecific(end_key, (void *)(uintptr_t)1);
    }
}

void rt_set_node(const char *name)
{
    text_copy(node, sizeof node, name);
    rt_record_note(RECORD_NODE, 0, node, strlen(node));
}

static bool recording_open(const char *where)
{
    static char path[FOLDER_MAX];
    const char *end = path + sizeof path - 1;
    *text_append(text_append(path, end, where), end, "/" RECORDING_FILE) = 0;
    const int fd = sys_open(path, O_RDWR);
    if (fd < 0) {
        return false;
    }
    rt_recording =
        folder_map(NULL, sizeof *rt_recording, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    (void)syscall(SYS_close, fd);
    if (rt_recording == MAP_FAILED || rt_recording->magic != RECORDING_MAGIC ||
        rt_recording->version != WIRE_VERSION) {
        rt_recording = NULL;
        return false;
    }
    text_copy(folder, sizeof folder, where);
    return true;
}

/* Records each loaded module and its load bias, so that addresses can be named after the end of the
 * process. */
static int module_record(struct dl_phdr_info *info, __attribute__((unused)) size_t size,
                         __attribute__((unused)) void *context)
{
    static char own_path[FOLDER_MAX];
    const char *path = info->dlpi_name;
    if (path[0] == 0) {
        const long length = syscall(SYS_readlink, "/proc/self/exe", own_path, sizeof own_path - 1);
        own_path[length > 0 ? length : 0] = 0;
        path = own_path;
    }
    rt_record_note(RECORD_MODULE, info->dlpi_addr, path, strlen(path));
    handler_search(path, info->dlpi_addr);
    return 0;
}

static void record_modules(void)
{
    (void)dl_iterate_phdr(module_record, NULL);
}

void rt_fork_begin(void)
{
    if (rt_is_on) {
        rt_self.fork_number = atomic_fetch_add(&rt_recording->process_count, 1);
        rt_self.fork_ordinal = atomic_fetch_add(&fork_count, 1) + 1;
    }
}

static void node_of_child(char name[static NODE_SIZE], const char *parent, uint64_t ordinal)
{
    const char *end = name + NODE_SIZE - 1;
    char *at = text_append(name, end, parent);
    at = text_append(at, end, "/");
    *text_append_number(at, end, ordinal) = 0;
}

/* The calling process is a child that has just been forked: only its first task lives on, under a
 * new name. The segment is the parent's to close, and so are all those of its other tasks. */
static void process_begin_forked(void)
{
    struct rt_task *task = &rt_self;
    const struct rt_task before = *task;
    own_page->is_known = 1;
    append_forked(task);
    *task = (struct rt_task){0};
    main_task = task;
    const bool is_seen = before.fork_ordinal != 0;
    process_number =
        is_seen ? before.fork_number : atomic_fetch_add(&rt_recording->process_count, 1);
    char parent[NODE_SIZE];
    text_copy(parent, sizeof parent, node);
    node_of_child(node, parent, is_seen ? before.fork_ordinal : process_number);
    atomic_store(&fork_count, 0);
    descriptor_forget_names();
    access_forked();
    calls_forked();
    atomic_forked();
    lock_forget_all();
    shell_forked();
    rt_task_begin("main", rt_task_reserve());
    note_begin();
    record_modules();
    shared_tell_again();
}

bool rt_fork_end(bool is_child)
{
    if (is_child && rt_is_on && own_page->is_known == 0) {
        process_begin_forked();
    }
    rt_self.fork_ordinal = 0;
    return is_child;
}

void rt_process_end(int status, const void *place)
{
    descriptor_all_end(place);
    if (strchr(node, '/') != NULL) { /* a child of a recorded process */
        wait_ends(place);
    }
    access_task_end();
    (void)rt_record((struct rt_event){
        .kind = EVENT_PROCESS_EXIT, .has_value = true, .value = status, .place = place});
    rt_self.is_ended = true;
    rt_self.own = 0;
    append_end(&rt_self, true);
}

/* The value of CLEW_ORIGIN for a program that replaces this one, or that it spawns:
 * "PID:TASKS:FORKS:NODE" if the program runs in this process, "-PID:PROCESS:0:NODE" if it runs in a
 * child. */
void rt_print_origin(char text[static ORIGIN_SIZE], bool is_child)
{
    const char *end = text + ORIGIN_SIZE - 1;
    char name[NODE_SIZE] = "";
    if (is_child) {
        node_of_child(name, node, rt_self.fork_ordinal);
    } else {
        text_copy(name, sizeof name, node);
    }
    const uint32_t task_number = main_task == NULL ? 0 : main_task->child_count;
    char *at = text_append(text, end, ORIGIN_VARIABLE "=");
    at = text_append(at, end, is_child ? "-" : "");
    at = text_append_number(at, end, rt_own_pid());
    at = text_append(at, end, ":");
    at = text_append_number(at, end, is_child ? rt_self.fork_number : task_number);
    at = text_append(at, end, ":");
    at = text_append_number(at, end, is_child ? 0 : atomic_load(&fork_count));
    at = text_append(at, end, ":");
    *text_append(at, end, name) = 0;
}

uint32_t rt_process_number(void)
{
    return process_number;
}

const char *rt_node(void)
{
    return node;
}

const char *rt_folder(void)
{
    return folder;
}

static const char *take_number(const char *text, uint32_t *number)
{
    for (*number = 0; *text >= '0' && *text <= '9'; text++) {
        *number = *number * 10 + (uint32_t)(*text - '0');
    }
    return *text == ':' ? text + 1 : text;
}

/* True if no process has recorded under this number, which the parent has announced, or will. A
 * child may execute another program without passing a hook, and use the same number again. */
static bool is_number_free(uint32_t number)
{
    static char path[FOLDER_MAX];
    const char *end = path + sizeof path - 1;
    char *at = text_append(text_append(path, end, folder), end, "/");
    *text_append(text_append_number(at, end, number), end, ".0.0") = 0;
    return number < atomic_load(&rt_recording->process_count) &&
           syscall(SYS_faccessat, AT_FDCWD, path, F_OK) != 0;
}

/* Finds the number of this process in the recording. True if it recorded before its exec. An
 * inherited origin of another process is ignored. */
static bool take_origin(const char *origin)
{
    uint32_t pid = 0;
    uint32_t number = 0;
    uint32_t forks = 0;
    const bool is_child = origin != NULL && origin[0] == '-';
    const char *name = origin == NULL ? "" : take_number(origin + is_child, &pid);
    name = take_number(take_number(name, &number), &forks);
    const long expected = syscall(is_child ? SYS_getppid : SYS_getpid);
    const bool is_known = origin != NULL && (long)pid == expected && name[0] != 0;
    if (is_known && is_child && is_number_free(number)) {
        process_number = number;
    } else {
        process_number = atomic_fetch_add(&rt_recording->process_count, 1);
    }
    if (!is_known) {
        text_copy(node, sizeof node, rt_recording->node);
        if (process_number > 0) {
            node_of_child(node, rt_recording->node, process_number);
        }
        return false;
    }
    text_copy(node, sizeof node, name);
    atomic_store(&fork_count, forks);
    rt_self.child_count = is_child ? 0 : number;
    return !is_child;
}

static void at_exit(int status, __attribute__((unused)) void *unused)
{
    rt_process_end(status, NULL);
}

static struct {
    int status;
    const void *place;
} quick;

void rt_process_quick(int status, const void *place)
{
    quick.status = status;
    quick.place = place;
}

static void at_quick_end(void)
{
    rt_process_end(quick.status, quick.place);
}

/* The pages and keys of the process; false when this machine has none for it. */
static bool process_prepare(void)
{
    own_page = folder_memory(sizeof *own_page);
    if (own_page == NULL) {
        return false;
    }
    own_page->is_known = 1;
    (void)syscall(SYS_madvise, own_page, (long)sizeof *own_page, (long)MADV_WIPEONFORK);
    return pthread_key_create(&end_key, end_in_last_round) == 0 && on_exit(at_exit, NULL) == 0 &&
           at_quick_exit(at_quick_end) == 0;
}

/* The value of a variable of the environment that glibc hands to constructors; getenv knows none
 * before libc's own constructor has run. */
static const char *variable(char *const *environment, const char *name)
{
    const size_t size = strlen(name);
    for (; environment != NULL && *environment != NULL; environment++) {
        if (strncmp(*environment, name, size) == 0 && (*environment)[size] == '=') {
            return *environment + size + 1;
        }
    }
    return NULL;
}

/* Runs before all other constructors, those of libraries and libc included (meson.build:
 * initfirst). A setuid program is left alone: its environment is its caller's word. */
__attribute__((constructor(101))) static void
start(__attribute__((unused)) int count, __attribute__((unused)) char **words, char **environment)
{
    real_find();
    environment_start();
    const char *where = variable(environment, RECORDING_VARIABLE);
    if (where == NULL || getauxval(AT_SECURE) != 0 || !recording_open(where) ||
        !process_prepare()) {
        return;
    }
    access_start();
    handler_start(rt_recording);
    rt_wants_all_accesses = (rt_recording->flags & RECORDING_ALL_ACCESSES) != 0;
    rt_is_watched = (rt_recording->flags & RECORDING_WATCHED) != 0;
    rt_is_on = true;
    main_task = &rt_self;
    const bool goes_on = take_origin(variable(environment, ORIGIN_VARIABLE));
    calls_start((rt_recording->flags & RECORDING_STACKS) != 0, rt_recording->handler_count > 0);
    rt_task_begin("main", rt_task_reserve());
    note_begin();
    record_modules();
    if (!goes_on) {
        (void)rt_record((struct rt_event){.kind = EVENT_PROCESS_START});
    }
}
