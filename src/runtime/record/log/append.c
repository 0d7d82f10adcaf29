#include "runtime/record/log/append.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/record/log/recording_files.h"
#include "runtime/record/shadow/epoch_filter.h"
#include "runtime/shared/raw_text.h"
#include "wire/event.h"

enum {
    MORE_MAX = 1024,
    WAIT_STEPS_MAX = 200,
};

/* PROCESS.TASK.NUMBER */
static void segment_name(char name[static FOLDER_NAME_SIZE], uint32_t task, uint32_t number)
{
    const char *end = name + FOLDER_NAME_SIZE - 1;
    char *at = text_append_number(name, end, rt_process_number());
    at = text_append(at, end, ".");
    at = text_append_number(at, end, task);
    at = text_append(at, end, ".");
    *text_append_number(at, end, number) = 0;
}

static void add_pending(int64_t size)
{
    (void)atomic_fetch_add_explicit(&rt_recording->size_pending, (uint64_t)size,
                                    memory_order_relaxed);
}

static bool is_over(void)
{
    return atomic_load(&rt_recording->is_closed) != 0;
}

static bool has_room(void)
{
    return atomic_load_explicit(&rt_recording->size_pending, memory_order_relaxed) <
           rt_recording->size_pending_max;
}

/* Waits for a bounded time while the limit on pending bytes is reached; false if it still is. After
 * the first lost record no task waits any more. */
static bool wait_for_room(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int step = 0; step < WAIT_STEPS_MAX && !has_room() &&
                       atomic_load_explicit(&rt_recording->dropped, memory_order_relaxed) == 0;
         step++) {
        (void)syscall(SYS_nanosleep, &pause, NULL);
    }
    return has_room();
}

/* Cuts unused pages off the last segment of a task, once many bytes are pending. A reader may have
 * mapped the whole file; it reads committed bytes only. */
static void segment_cut(uint32_t task, uint32_t number, uint64_t committed)
{
    const uint64_t pending =
        atomic_load_explicit(&rt_recording->size_pending, memory_order_relaxed);
    const uint64_t page = SEGMENT_HEADER_SIZE;
    const uint64_t size = page + (committed + page - 1) / page * page;
    if (pending < rt_recording->size_pending_max / 64 || size >= SEGMENT_SIZE) {
        return;
    }
    char name[FOLDER_NAME_SIZE];
    segment_name(name, task, number);
    const int folder = folder_open();
    const int fd = (int)syscall(SYS_openat, folder, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0) {
        if (syscall(SYS_ftruncate, fd, size) == 0) {
            add_pending((int64_t)size - SEGMENT_SIZE);
        }
        folder_close(fd);
    }
    folder_close(folder);
}

static struct segment *segment_map(uint32_t task, uint32_t number)
{
    if (is_over() || !wait_for_room()) {
        return NULL;
    }
    char name[FOLDER_NAME_SIZE];
    segment_name(name, task, number);
    struct segment *segment = folder_make_mapped(name, SEGMENT_SIZE);
    if (segment != NULL) {
        add_pending(SEGMENT_SIZE);
    }
    return segment;
}

/* All of it, or false. */
static bool write_whole(int fd, const void *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const long written = syscall(SYS_write, fd, (const char *)bytes + done, size - done);
        if (written <= 0) {
            return false;
        }
        done += (size_t)written;
    }
    return true;
}

/* Writes the segment into a file under the next number, then lets the two files change their
 * names. */
static bool segment_write(const struct segment *segment)
{
    char own[FOLDER_NAME_SIZE];
    char next[FOLDER_NAME_SIZE];
    segment_name(own, segment->task, segment->number);
    segment_name(next, segment->task, segment->number + 1);
    const int folder = folder_open();
    const int fd = folder < 0 ? -1 : folder_make(folder, next, SEGMENT_SIZE);
    bool is_done = false;
    if (fd >= 0) {
        is_done = write_whole(fd, segment, SEGMENT_SIZE) &&
                  syscall(SYS_renameat2, folder, own, folder, next, (unsigned)RENAME_EXCHANGE) == 0;
        folder_close(fd);
        if (!is_done) {
            (void)syscall(SYS_unlinkat, folder, next, 0);
        }
    }
    if (folder >= 0) {
        folder_close(folder);
    }
    return is_done;
}

/* Saves a full segment under its number, and reuses its mapping for the next one: its pages are
 * resident and in the cache, and writing a file at once costs a third of mapping a new one. A task
 * killed in the middle leaves two files with the same content; the reader ignores the one whose
 * name does not match its header. False if the task must map a new segment: clew reads this one
 * during the run, or it cannot be saved. */
static bool segment_empty(struct segment *segment)
{
    if (rt_is_watched || !wait_for_room()) {
        return false;
    }
    /* Pairs with the sequentially consistent operations of clew at the end of the recording: either
     * clew sees this count and waits, or the task sees that the recording is over. */
    (void)atomic_fetch_add(&rt_recording->emptying, 1);
    const bool is_saved = !is_over() && segment_write(segment);
    if (is_saved) {
        add_pending(SEGMENT_SIZE);
        atomic_store_explicit(&segment->committed, 0, memory_order_relaxed);
        /* Pairs with the reader's acquire: when the header has the new number, `committed` is 0. */
        atomic_thread_fence(memory_order_release);
        segment->number++;
    }
    (void)atomic_fetch_sub(&rt_recording->emptying, 1);
    return is_saved;
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

/* Counts a lost record. Records after the end of the recording do not count, nor do times, which
 * mean nothing without their event. */
static void count_dropped(uint8_t kind)
{
    if (kind != RECORD_TIME && !is_over()) {
        (void)atomic_fetch_add_explicit(&rt_recording->dropped, 1, memory_order_relaxed);
    }
}

/* Ensures `size` free bytes in the task's segment; false if that is impossible. A signal handler
 * that has interrupted append_record keeps that record's segment mapped (task->retired); it can do
 * so once. */
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
    if (append_is_interrupting(task) || !segment_empty(task->segment)) {
        const uint32_t next = task->segment->number + 1;
        append_end(task, false);
        append_begin(task, next);
    }
    rt_signals_release(held);
    return task->segment != NULL;
}

/* Draws a stamp. While clew reads during the run, `floor` is a lower bound on the stamp until the
 * record is committed. The two stores and the reader's loads are sequentially consistent: a reader
 * that has read the counter as s and then sees no floor knows that this task's later stamps are at
 * least s. */
static uint64_t take_stamp(struct segment *segment)
{
    if (rt_is_watched) {
        atomic_store(&segment->floor, atomic_load(&rt_recording->stamp));
    }
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

_Static_assert((sizeof(struct record_more) + MORE_MAX) / RECORD_SIZE < UINT8_MAX, "in `extra`");
_Static_assert(2 * RECORD_SIZE + sizeof(struct record_more) + MORE_MAX <= SEGMENT_ROOM,
               "an empty segment holds any record");

/* A record on its way into the segment. */
struct rt_pending {
    struct record record;
    struct tail tail;
    struct segment *segment;
    uint64_t used, size; /* it goes to `used`, the next behind `used + size` */
    bool is_done;        /* by a signal handler */
};

/* Writes the record to its position and commits it. Fails if `committed` is no longer there,
 * because a handler has appended, or if the segment is full. */
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

/* Called in a signal handler, or by the task after one. Completes the interrupted record or access
 * at the position that the interrupted code has computed. An access that was complete already is
 * recorded twice. */
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
            count_dropped(record->kind);
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
        if (rt_is_watched) {
            atomic_store(&own.segment->floor, SEGMENT_FLOOR_NONE);
        }
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
            count_dropped(EVENT_READ);
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
