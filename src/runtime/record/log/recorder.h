/* The recorder inside a recorded process: the interface for its hooks.
 *
 * A hook calls libc's function and records the event:
 *
 *     int pthread_mutex_lock(pthread_mutex_t *m)
 *     {
 *         const int result = REAL(pthread_mutex_lock)(m);
 *         if (result == 0) {
 *             rt_record((struct rt_event){.kind = EVENT_LOCK, .object = m, .place = RT_PLACE});
 *         }
 *         return result;
 *     }
 *
 * A releasing operation (unlock, send, create) is recorded before the real call, an acquiring one
 * (lock, receive, join) after it: so the order of stamps extends happens-before. Nothing here
 * allocates, locks, or changes errno; all of it may run in a signal handler. */
#ifndef CLEW_RUNTIME_RECORD_LOG_RECORDER_H
#define CLEW_RUNTIME_RECORD_LOG_RECORDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/shared/wrapper_caller.h"
#include "wire/kind.h"
#include "wire/recording.h"
#include "wire/segment.h"

#define RT_EXPORT __attribute__((visibility("default")))
#define RT_PLACE __builtin_return_address(0)
#define RT_CALLER WRAPPER_CALLER /* of functions that wire/libc_calls.h lists */

enum {
    RT_EPOCHS_MAX =
        1 << 27, /* of a task that leaves trails (runtime/record/shadow/deferred_records.h) */
    RT_SECTION_MAX = 4096, /* accesses to a task's own words that a critical section records */
};

struct rt_pending;

/* In rt_task.moved: the task has entered or left a critical section since it made an access. The
 * next access records its call stack first. */
#define RT_MOVED_SECTION (UINT32_C(1) << 30)

/* One task's place to write. Zero until the task records its first event. */
struct rt_task {
    struct segment *segment;    /* mapped; NULL: not attached, or given up */
    uint32_t number;            /* in the process */
    uint32_t child_count;       /* tasks created so far, for their paths */
    uint32_t busy;              /* records being made: more than one in a signal handler */
    uint32_t ignore;            /* depth of clew_ignore_begin */
    uint32_t ignore_reads;      /* depth of AnnotateIgnoreReadsBegin ... */
    uint32_t ignore_writes;     /* ... and of AnnotateIgnoreWritesBegin */
    uint32_t handler;           /* the one the task is in, counted from 1; 0: none */
    uint32_t handler_count;     /* handlers begun so far ... */
    uint32_t handler_depth;     /* ... and how many of them are open */
    uint32_t fork_number;       /* of the process that is being forked ... */
    uint32_t fork_ordinal;      /* ... and its place among its siblings; 0: none is */
    bool is_at_own_work;        /* allocations of this task are the recorder's */
    bool has_loaded;            /* the task has loaded a library, which the next record must add */
    bool is_ended;              /* events after the end of the task do not belong to it */
    struct segment *retired;    /* full, but perhaps still written to by an interrupted record */
    struct rt_pending *pending; /* the record being made, for handlers to complete */
    uint64_t access;            /* the access being appended, for the same; 0: none */
    _Atomic uint64_t epoch;     /* stamped records so far */
    uint32_t phase;             /* tasks created so far (runtime/record/shadow/fork_join_order.h) */
    uint32_t moved;  /* outer calls that changed (runtime/record/log/call_paths.h), a bit per level;
                        and RT_MOVED_SECTION */
    uintptr_t start; /* the routine that its thread begins in; 0: of the first task */
    uint64_t calls; /* its path (runtime/record/log/call_paths.h), where it stands beside a place */
    uint64_t access_count; /* accesses so far, recorded or not */
    uint32_t held;         /* critical sections of threads that it is in ... */
    uint32_t section_left; /* ... and accesses to its own words that they still record */
    uintptr_t known_stack; /* from here up its stack held frames when it last created a task */
    uint64_t maker; /* the task and its epoch (runtime/record/shadow/deferred_records.h), while own
                       is not 0 */
    uint64_t own;   /* the state of its words (runtime/record/shadow/access.c); 0: not known yet */
    char path[512];
};

extern __thread struct rt_task rt_self __attribute__((tls_model("initial-exec")));

/* True once the recording is on in this process; never becomes true in a setuid one. */
extern bool rt_is_on;

/* The recording keeps accesses to words only one task uses, too. */
extern bool rt_wants_all_accesses;

/* clew reads during the run. Read for each record, hence not in the shared page, whose cache line
 * all tasks write. */
extern bool rt_is_watched;

struct rt_event {
    enum event_kind kind;
    uint8_t mode;
    bool is_plain; /* not stamped: a plain access */
    bool has_size;
    bool has_value;
    uint64_t size;
    int64_t value;
    const volatile void *object;
    const void *place;
    const void *more; /* bytes that go with the record */
    size_t more_size; /* at most 1024 are kept */
};

/* A record that may still have to be corrected. */
struct rt_mark {
    struct record *record;   /* NULL: nothing was recorded */
    struct segment *segment; /* it lies here ... */
    uint32_t number;         /* ... as long as this is its number: memory is used again */
};

/* True when rt_record would record: for hooks that must look at something first. */
bool rt_is_recording(void);

/* Appends one event of the calling task. */
struct rt_mark rt_record(struct rt_event event);

/* Appends a plain access of the calling task (access_word). */
void rt_record_access(uint64_t word);

/* Appends an access that some task made in an earlier epoch. */
struct rt_late {
    uint8_t kind; /* EVENT_READ, EVENT_WRITE or EVENT_LOST */
    uint32_t task, epoch, size;
    uint64_t address, place;
};
struct rt_mark rt_record_late(struct rt_late late);

/* Corrects a record made before its call: fewer bytes went, or the call failed. If the process dies
 * in between, the record stays as it was. False if the record's segment is no longer mapped. */
bool rt_amend_size(struct rt_mark mark, uint64_t size);
void rt_amend_void(struct rt_mark mark);

/* Corrects a record by the call's result, which it returns: the first by a number of bytes or -1;
 * the second by 0 or an error. */
int64_t rt_amend_sent(struct rt_mark mark, int64_t result);
int rt_amend_done(struct rt_mark mark, int result);

/* Sets the count of a recorded atomic operation: it was repeated so often with the same result. The
 * store that it read happens before the task's later events. */
void rt_amend_count(struct rt_mark mark, uint32_t count);
void rt_amend_acquire(struct rt_mark mark);

/* Appends a record for the collector (enum record_kind). */
void rt_record_note(enum record_kind kind, uint64_t object, const void *more, size_t more_size);

/* The same with a stamp, for facts that records of other tasks may depend on, and with a place. */
struct rt_note {
    enum record_kind kind;
    uint64_t object;
    const void *place;
    const void *more;
    size_t more_size;
};
void rt_record_stamped_note(const struct rt_note *note);

/* The task that the caller is about to create: its path goes into `path`; its number. */
void rt_child_path(char path[static 512]);
uint32_t rt_task_reserve(void);

/* The calling task begins under this path. It ends by itself, after the thread's destructors. */
void rt_task_begin(const char *path, uint32_t number);

/* Around a fork: before it, and after it on both sides. The child records under its own name from
 * its first event on, which may be in a handler of pthread_atfork. Returns is_child. */
void rt_fork_begin(void);
bool rt_fork_end(bool is_child);

/* Encloses code whose events are not the program's, or that clew ignores. */
static inline void rt_ignore_begin(void)
{
    rt_self.ignore++;
    rt_self.own = 0;
}
static inline void rt_ignore_end(void)
{
    rt_self.ignore -= rt_self.ignore > 0;
}

/* Around the handler of a message. A handler that begins inside another is a part of it. */
static inline void rt_handler_enter(void)
{
    if (rt_self.handler_depth++ == 0) {
        rt_self.handler = ++rt_self.handler_count;
        rt_self.own = 0;
    }
}
static inline void rt_handler_leave(void)
{
    if (rt_self.handler_depth > 0 && --rt_self.handler_depth == 0) {
        rt_self.handler = 0;
        rt_self.own = 0;
    }
}

/* The process goes: the calling task's row ends. */
void rt_process_end(int status, const void *place);

/* The same for quick_exit, after its handlers have run. */
void rt_process_quick(int status, const void *place);

/* The variable ORIGIN_VARIABLE, with its name in front, for a program that replaces this one or is
 * spawned by it. */
enum { ORIGIN_SIZE = 256 };
void rt_print_origin(char text[static ORIGIN_SIZE], bool is_child);

/* The process's number in the recording. */
uint32_t rt_process_number(void);

/* The recording's folder, its page, and the process's node. */
const char *rt_folder(void);
extern struct recording *rt_recording;
const char *rt_node(void);

/* Blocks all signals of the calling thread; returns those blocked before. */
uint64_t rt_signals_hold(void);
void rt_signals_release(uint64_t before);

/* Lets others run while the caller spins. */
void rt_pause(void);

/* The calling thread's and process's kernel ids. */
uint32_t rt_own_tid(void);
uint32_t rt_own_pid(void);

/* From now on the process is the node `name`. */
void rt_set_node(const char *name);

#endif
