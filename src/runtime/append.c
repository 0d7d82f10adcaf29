#include "runtime/append.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/emitted.h"
#include "runtime/text.h"
#include "wire/event.h"

enum {
    MORE_MAX = 1024,
    PATH_SIZE = 4200,
    WAIT_STEPS_MAX = 200,
};

static __thread char path[PATH_SIZE]; /* too large for a stack that is not ours */

/* FOLDER/PROCESS.TASK.NUMBER */
static void segment_path(uint32_t task, uint32_t number)
{
    const char *end = path + PATH_SIZE - 1;
    char *at = text_append(path, end, rt_folder());
    at = text_append(at, end, "/");
    at = text_append_number(at, end, rt_process_number());
    at = text_append(at, end, ".");
    at = text_append_number(at, end, task);
    at = text_append(at, end, ".");
    at = text_append_number(at, end, number);
    *at = 0;
}

/* Waits while too much is uncollected, for a bounded time; false when it still is. */
static bool wait_for_room(void)
{
    for (int step = 0; step < WAIT_STEPS_MAX; step++) {
        const uint64_t pending =
            atomic_load_explicit(&rt_recording->size_pending, memory_order_relaxed);
        if (pending < rt_recording->size_pending_max) {
            return true;
        }
        const struct timespec pause = {.tv_nsec = 1000000};
        (void)syscall(SYS_nanosleep, &pause, NULL);
    }
    return false;
}

/* Cuts off what the last segment of a task did not need, once so much is pending that it matters. A
 * reader may have mapped it whole; it looks only at what is committed. */
static void segment_cut(uint32_t task, uint32_t number, uint64_t committed)
{
    const uint64_t pending =
        atomic_load_explicit(&rt_recording->size_pending, memory_order_relaxed);
    if (pending < rt_recording->size_pending_max / 64) {
        return;
    }
    const uint64_t page = SEGMENT_HEADER_SIZE;
    const uint64_t size = page + (committed + page - 1) / page * page;
    segment_path(task, number);
    if (size < SEGMENT_SIZE && syscall(SYS_truncate, path, (long)size) == 0) {
        (void)atomic_fetch_sub_explicit(&rt_recording->size_pending, SEGMENT_SIZE - size,
                                        memory_order_relaxed);
    }
}

/* Files are reached by raw system calls: the libc functions of these names are our own hooks. */
static struct segment *segment_map(uint32_t task, uint32_t number)
{
    if (atomic_load_explicit(&rt_recording->is_closed, memory_order_relaxed) != 0 ||
        !wait_for_room()) {
        return NULL;
    }
    segment_path(task, number);
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, path,
                                O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return NULL;
    }
    /* Room is reserved now, so that a full disk is an error here and not a SIGBUS in the program
     * later; only a file system that cannot reserve is trusted to have it. */
    struct segment *segment = MAP_FAILED;
    if (syscall(SYS_fallocate, fd, 0, 0L, (long)SEGMENT_SIZE) == 0 ||
        (errno == EOPNOTSUPP && syscall(SYS_ftruncate, fd, (long)SEGMENT_SIZE) == 0)) {
        segment = (struct segment *)syscall(SYS_mmap, NULL, (long)SEGMENT_SIZE,
                                            PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
    }
    (void)syscall(SYS_close, fd);
    if (segment == MAP_FAILED) {
        (void)syscall(SYS_unlink, path);
        return NULL;
    }
    if (number > 0) { /* who has filled one will fill this too: all its pages at one go */
        (void)syscall(SYS_madvise, segment, (long)SEGMENT_SIZE, (long)MADV_POPULATE_WRITE);
    }
    (void)atomic_fetch_add_explicit(&rt_recording->size_pending, SEGMENT_SIZE,
                                    memory_order_relaxed);
    return segment;
}

void append_begin(struct rt_task *task, uint32_t number)
{
    struct segment *segment = segment_map(task->number, number);
    if (segment != NULL) {
        segment->version = WIRE_VERSION;
        segment->process = rt_process_number();
        segment->task = task->number;
        segment->number = number;
        segment->pid = rt_own_pid();
        segment->tid = rt_own_tid();
        atomic_init(&segment->floor, SEGMENT_FLOOR_NONE);
        text_copy(segment->node, sizeof segment->node, rt_node());
        text_copy(segment->path, sizeof segment->path, task->path);
        /* Pairs with the reader's acquire of magic: the header is whole before it is known. */
        atomic_thread_fence(memory_order_release);
        segment->magic = SEGMENT_MAGIC;
    }
    task->segment = segment;
}

void append_end(struct rt_task *task, bool is_last)
{
    struct segment *segment = task->segment;
    if (segment == NULL) {
        return;
    }
    task->segment = NULL;
    atomic_store_explicit(&segment->is_last, is_last, memory_order_relaxed);
    /* Pairs with the reader's acquire: when it sees the end it sees all that came before. */
    atomic_store_explicit(&segment->is_closed, 1, memory_order_release);
    if (append_is_interrupting(task)) {
        task->retired = segment; /* an interrupted record may still write there */
        return;
    }
    const uint32_t number = segment->number;
    const uint64_t committed = atomic_load_explicit(&segment->committed, memory_order_relaxed);
    (void)syscall(SYS_munmap, segment, (long)SEGMENT_SIZE);
    if (is_last) {
        segment_cut(task->number, number, committed);
    }
}

/* What comes after the recording's end is nobody's loss. */
static void count_dropped(void)
{
    if (atomic_load_explicit(&rt_recording->is_closed, memory_order_relaxed) == 0) {
        (void)atomic_fetch_add_explicit(&rt_recording->dropped, 1, memory_order_relaxed);
    }
}

/* Makes room for `size` more bytes in the task's segment; false when there is none to be had. A
 * handler that has interrupted the making of a record leaves that record's segment mapped, which it
 * can do once. */
static bool make_room(struct rt_task *task, size_t size)
{
    if (task->segment == NULL) {
        return false;
    }
    const uint64_t used = atomic_load_explicit(&task->segment->committed, memory_order_relaxed);
    if (SEGMENT_ROOM - used >= size) {
        return true;
    }
    if (task->retired != NULL) {
        return false;
    }
    const uint64_t held = rt_signals_hold();
    const uint32_t next = task->segment->number + 1;
    append_end(task, false);
    append_begin(task, next);
    rt_signals_release(held);
    return task->segment != NULL;
}

/* A stamp, announced by the floor until the record that carries it is committed. The two stores and
 * the reader's loads are sequentially consistent: a reader that has read the counter as s and then
 * sees no floor knows that this task's later stamps are at least s. */
static uint64_t take_stamp(struct segment *segment)
{
    atomic_store(&segment->floor, atomic_load(&rt_recording->stamp));
    return atomic_fetch_add(&rt_recording->stamp, 1);
}

static size_t tail_units(const struct record *record, const struct tail *tail)
{
    if (tail->size == 0 && (record->flags & RECORD_HAS_VALUE) == 0) {
        return 0;
    }
    return (sizeof(struct record_more) + tail->size + RECORD_SIZE - 1) / RECORD_SIZE;
}

static void write_record(unsigned char *at, const struct record *record, const struct tail *tail)
{
    memcpy(at, record, sizeof *record);
    if (record->extra > 0) {
        const struct record_more more = {.value = tail->value, .size = (uint32_t)tail->size};
        memset(at + (size_t)record->extra * RECORD_SIZE, 0, RECORD_SIZE);
        memcpy(at + RECORD_SIZE, &more, sizeof more);
        if (tail->size > 0) {
            memcpy(at + RECORD_SIZE + sizeof more, tail->bytes, tail->size);
        }
    }
}

/* A record on its way into the segment. */
struct rt_pending {
    struct record record;
    struct tail tail;
    struct segment *segment;
    uint64_t used, size; /* it goes to `used`, the next behind `used + size` */
    bool is_done;        /* by a signal handler */
};

/* Brings the record to its place and counts it. Does nothing when something else lies there by now,
 * for then what was committed has moved, or when its room was taken. */
static bool put(const struct rt_pending *p)
{
    struct segment *segment = p->segment;
    const uint64_t used = p->used;
    if (atomic_load_explicit(&segment->committed, memory_order_relaxed) != used ||
        used + p->size > SEGMENT_ROOM) {
        return false;
    }
    write_record((unsigned char *)append_at(segment, used), &p->record, &p->tail);
    return append_commit(segment, used, p->size);
}

/* The caller is a signal handler, or the task itself after one: completes what was interrupted, so
 * that it lies where the interrupted task thinks it does. An access that was complete already is
 * said twice. */
static void complete(struct rt_task *task)
{
    struct rt_pending *interrupted = task->pending;
    if (interrupted != NULL && !interrupted->is_done) {
        interrupted->is_done = put(interrupted);
    }
    struct segment *segment = task->segment;
    if (task->access == 0 || segment == NULL) {
        return;
    }
    const uint64_t used = atomic_load_explicit(&segment->committed, memory_order_relaxed);
    if (used < SEGMENT_ROOM) {
        *append_at(segment, used) = task->access;
        (void)append_commit(segment, used, sizeof task->access);
    }
}

/* A signal handler may record in the middle of this. It first brings the interrupted record to its
 * place; the interrupted task then writes the same bytes there once more. A handler that comes
 * after the stamp was taken but before it could know of the record makes the task take a later one.
 * So a row's stamps always rise. */
struct rt_mark append_record(struct rt_task *task, const struct record *record, struct tail tail,
                             bool is_stamped)
{
    struct rt_pending own = {.record = *record, .tail = tail};
    own.tail.size = tail.size > MORE_MAX ? MORE_MAX : tail.size;
    own.record.extra = (uint8_t)tail_units(record, &own.tail);
    own.size = (1 + (uint64_t)own.record.extra) * RECORD_SIZE;
    complete(task);
    struct rt_pending *interrupted = task->pending;
    bool is_put = false;
    while (!is_put) {
        if (!make_room(task, own.size)) {
            count_dropped();
            return (struct rt_mark){0};
        }
        own.segment = task->segment;
        own.used = atomic_load_explicit(&own.segment->committed, memory_order_relaxed);
        if (is_stamped) {
            own.record.stamp = take_stamp(own.segment);
        }
        task->pending = &own;
        atomic_signal_fence(memory_order_seq_cst);
        is_put = put(&own);
        atomic_signal_fence(memory_order_seq_cst);
        is_put = is_put || own.is_done;
        task->pending = interrupted;
    }
    if (is_stamped) {
        const uint64_t epoch = atomic_fetch_add_explicit(&task->epoch, 1, memory_order_relaxed);
        task->maker++;
        emitted_forget(epoch + 1);
        task->own = epoch + 1 < RT_EPOCHS_MAX ? task->own : 0;
        atomic_store_explicit(&own.segment->access_count, task->access_count, memory_order_relaxed);
        atomic_store(&own.segment->floor, SEGMENT_FLOOR_NONE);
    }
    return (struct rt_mark){.record = (struct record *)(void *)append_at(own.segment, own.used),
                            .segment = own.segment,
                            .number = own.segment->number};
}

void append_access(struct rt_task *task, uint64_t word)
{
    complete(task);
    while (!append_word(task, word)) {
        if (!make_room(task, sizeof word)) {
            count_dropped();
            return;
        }
    }
}

void append_settle(struct rt_task *task)
{
    struct segment *retired = task->retired;
    task->retired = NULL;
    (void)syscall(SYS_munmap, retired, (long)SEGMENT_SIZE);
}

void append_forked(struct rt_task *task)
{
    if (task->segment != NULL) {
        (void)syscall(SYS_munmap, task->segment, (long)SEGMENT_SIZE);
    }
}
