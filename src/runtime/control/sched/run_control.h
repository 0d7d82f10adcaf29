/* Control inside a process: one task runs at a time, and who that is, is chosen.
 *
 * A task that is about to do something others could notice says so and waits until it is chosen:
 *
 *     int pthread_mutex_lock(pthread_mutex_t *m)
 *     {
 *         sched_take(&(struct act){.kind = EVENT_LOCK, .object = m, .writes = true,
 *                                 .wait = WAIT_MUTEX, .place = RT_PLACE});
 *         ... the lock is free: it is taken, in m itself ...
 *     }
 *
 * Whoever says so chooses the next task itself (pick/ runs here) and hands the turn over. What
 * blocks is modelled: a task whose lock is held is not among those that can be chosen. So no real
 * lock is ever waited for, and a deadlock is that nobody can be chosen.
 *
 * Files: control.c begins and ends runs; turn.c chooses; task.c makes and ends tasks; fiber.c and
 * rewind.c are the fast way of both; object.c names what tasks touch; heap.c is the program's heap;
 * the control_*.c stand in for the calls of the program. */
#ifndef CLEW_RUNTIME_CONTROL_SCHED_RUN_CONTROL_H
#define CLEW_RUNTIME_CONTROL_SCHED_RUN_CONTROL_H

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pick/pick.h"
#include "runtime/control/model/bulk_access.h"
#include "runtime/control/sched/processes.h"
#include "runtime/shared/frames.h"
#include "runtime/shared/wrapper_caller.h"
#include "wire/control.h"
#include "wire/kind.h"
#include "wire/prng.h"

#define RT_EXPORT __attribute__((visibility("default")))
#define RT_PLACE WRAPPER_CALLER

#define NOBODY UINT32_MAX

/* What could be next: of each task what it says and a signal, and a timer. */
enum { CONTROL_OFFERS_MAX = 2 * CONTROL_TASKS_MAX + 1 };

/* What an operation needs before it can happen. */
enum wait {
    WAIT_NOTHING,
    WAIT_MUTEX,     /* `object` is free */
    WAIT_CONDITION, /* `object` was signalled for us, and the lock `second`, if any, is free */
    WAIT_TASK,      /* the task `peer` has ended */
    WAIT_SEMAPHORE, /* `object` is above 0 */
    WAIT_READ,      /* nobody writes under `object` */
    WAIT_WRITE,     /* nobody uses `object` */
    WAIT_SPIN,      /* the spin lock `object` is free */
    WAIT_STREAM,    /* nobody else has locked the stream `object` */
    WAIT_BARRIER,   /* all have come to `object` since */
    WAIT_ONCE,      /* nobody is initializing `object` */
    WAIT_TIME,      /* until `deadline` */
    WAIT_WAKE,      /* of a futex: somebody woke us */
    WAIT_READY,     /* one of `descriptors` is ready */
    WAIT_SIGNAL,    /* one of the signals it awaits is there */
    WAIT_CHILD,     /* a child that `child` means has ended, or there is none */
    WAIT_FILE_LOCK, /* nobody else has the lock of a file that `file_lock` asks for */
    WAIT_IMAGE,     /* the process of this id has become another program, or has ended */
};

/* What a signal does to a wait whose handler has run. */
enum interruption {
    INTERRUPTED_NEVER, /* it waits on */
    INTERRUPTED_MAYBE, /* it ends unless the handler is one after which calls go on */
    INTERRUPTED_ALWAYS,
};

/* What a task is about to do. */
struct act {
    enum event_kind kind;
    enum event_kind traced; /* as what a trace has it; 0: as its kind */
    enum wait wait;
    const volatile void *object; /* NULL: nothing */
    const volatile void *second;
    const volatile void *condition; /* of a lock: it is taken to end a wait for this condition */
    const struct object *known;     /* its object, if that has no address; good while it is said */
    const struct object *known_second; /* likewise another that it touches */
    struct pollfd *descriptors;        /* as poll() has them, and answers in them */
    uint32_t descriptor_count;
    const struct lock_request *file_lock; /* of its own process */
    const void *place;
    uint64_t deadline; /* when it gives up, of the virtual clock; 0: never */
    uint32_t size;     /* of an access */
    uint32_t peer;     /* of what is about a task: its number */
    int32_t child;     /* whom a parent waits for, as waitpid() takes it */
    uint8_t mode;
    uint8_t touch;         /* enum touch, of the object ... */
    uint8_t touch_second;  /* ... and of the other */
    bool writes;           /* it changes its object */
    bool writes_second;    /* it changes known_second */
    bool is_of_task;       /* its object is the task `peer` */
    bool is_of_time;       /* its object is the clock */
    bool is_of_all;        /* everything is touched */
    bool is_of_connection; /* it ends one direction of a connection, or both */
    bool is_of_block;      /* its object is the whole block of memory */
    bool is_idle;          /* repeats what the task did before, and nothing has changed since */
    bool is_untraced;      /* a trace has nothing of it, or what is reported afterwards */
    bool is_unsure;        /* whether it changes anything is told by sched_changed */
    bool is_cancellable;
    bool refuses_cycles;  /* of a wait for a lock of a file: it fails where it would never end */
    uint8_t interruption; /* enum interruption */
    bool is_outer;        /* of a wait: somebody outside of the process may end it */
};

/* The name of something that tasks touch (wire/control.h), the same in every run. */
struct object {
    uint64_t key;
    uint32_t ordinal, offset, owner;
    uint64_t name;   /* hash of the whole text */
    uint32_t number; /* for pick/: of the word it lies in ... */
    uint32_t block;  /* ... and of its block of memory: accesses need it, freeing it changes it */
    uint32_t region; /* for pick/: the stretch of memory that has its bytes, 0: it has none ... */
    uint32_t begin;  /* ... and where in it they begin */
    bool has_number; /* a descriptor whose number stood, or may stand, for another one as well */
};

/* How a lock is touched. Taking it and giving it back do not change places, because the one waits
 * for the other; trying to take it does with both. So a lock is two things: who may be next, and
 * whether it is free. */
enum touch {
    TOUCH_OBJECT,      /* the object as such */
    TOUCH_NEXT,        /* of a lock: who may be next */
    TOUCH_FREE,        /* of a lock: whether it is free */
    TOUCH_FREE_OF_ALL, /* of a lock that can be shared: likewise, given back by who had it alone */
    TOUCH_BOTH,
};

enum task_state { TASK_FREE, TASK_LIVE, TASK_ENDED };

enum { KEYS_MAX = 128, REPEATS_MAX = 16, ROBUST_MAX = 16 };

/* A read, to be known again. */
struct repeat {
    const void *place;
    uintptr_t address;
    uint64_t value, stamp, calls;
    uint64_t visit;  /* when it was last made: reads of the task so far */
    uint64_t state;  /* what the task had of its own then (stack_state); 0: not known */
    uint32_t rounds; /* how often it was made again with nothing new read in between */
};

struct fiber {
    void *stack_pointer;
    uintptr_t thread_pointer;
    void *stack; /* mapped; NULL: none yet */
    size_t stack_size;
};

struct task {
    enum task_state state;
    uint32_t number;      /* its place in tasks[], the same in every run */
    uint32_t process;     /* number of its process */
    uint32_t child_count; /* threads that it has made, ... */
    uint32_t fork_count;  /* ... and processes */
    uint32_t forked_from; /* the task that it was before a fork; NOBODY: it began as a task */
    /* For other processes, which do not see what it waits for (sched/processes.h). */
    bool is_there, has_surplus;
    uint32_t holder;
    uint32_t blocker; /* number of the process whose lock of a file it waits for; NOBODY: unknown */
    uint64_t place;   /* control_place of act */
    uint64_t looked;  /* io_stamp when its descriptors were looked at */
    uint64_t shared_object, shared_second; /* of act, in memory that processes share; 0: not */
    uint64_t path_name;
    struct act act;
    struct object object;          /* of act */
    struct pick_operation pending; /* act, for pick/ */
    uint64_t since;                /* when it began to wait: turns so far */
    struct pick_operation timeout; /* its giving up, if it has a deadline */
    bool is_woken;                 /* by the last at a barrier, or through a futex */
    bool is_timed_out;
    uint32_t spurious_count; /* waits that ended without a signal */
    bool is_detached, is_joined, is_ending;
    bool is_cancelled, is_cancel_off;
    bool is_cancel_prompt;    /* wherever it is, not only where it waits */
    uint32_t ignore;          /* depth of our own work in its name */
    uint32_t ignore_accesses; /* depth of clew_ignore_begin */
    uint32_t ignore_reads;    /* depth of AnnotateIgnoreReadsBegin ... */
    uint32_t ignore_writes;   /* ... and of AnnotateIgnoreWritesBegin */
    struct prng prng;         /* of the random numbers that it draws */
    bool has_prng;
    uint64_t idle_stamp;
    uint32_t looks;      /* at clocks, in a row, while nobody changed anything ... */
    uint64_t look_stamp; /* ... since this stamp */
    uint64_t fence_step; /* how many steps the run had at its last acquiring fence */
    bool has_released;   /* a releasing fence came: later atomic stores publish what was before */
    int signal;          /* it was chosen to take this one; 0: none */
    bool is_interrupted;
    /* Sets of signals, as numbers (runtime/control/model/pending_signals.h); before: the handler
     * that runs. */
    uint64_t signals_pending, signals_blocked, signals_before, signals_awaited;
    struct timer *timer; /* it is no task but a timer, which fires by itself */
    const void *bottom;  /* of its stack, where it began; NULL: it has not */
    /* The calls it is in (runtime/control/model/call_tree.h): their number, and how many more have
     * none. */
    uint16_t callers;
    bool has_entered; /* its first function */
    uint32_t calls_beyond;
    uint32_t calls_depth; /* functions that it is in ... */
    uint32_t calls_kept;  /* ... and those that it was in at its last step and has not left */
    bool calls_lost;      /* it has jumped out of some */
    struct frames frames;

    void *(*run)(void *);
    int (*run_c11)(void *);
    void *argument;
    void *result;
    pthread_t thread;
    _Atomic uint32_t turn; /* of threads: 1 when it may go on */
    struct fiber fiber;
    const void *values[KEYS_MAX];
    pthread_mutex_t *robust[ROBUST_MAX];
    uint64_t visit_count; /* reads so far ... */
    uint64_t visit_new;   /* ... and the last that found something new */
    struct repeat repeats[REPEATS_MAX];
    bool is_scratch_in_use;
    /* What follows is not cleared when a task begins. */
    struct bulk bulk;
    void *scratch; /* for task_scratch; NULL: none yet */
    size_t scratch_size;
};

extern struct control *control; /* the page; NULL: not controlled */
extern bool control_is_running; /* a run goes on */
extern __thread struct task *control_self;
/* A run goes on, and the caller is one of its tasks: not a thread that libc made for itself. */
#define control_is_on (control_is_running && control_self != NULL)

/* What one process asks of another, which has the turn for as long as the answer takes. */
struct question {
    enum { QUESTION_LOOK, QUESTION_FIRE, QUESTION_END } kind;
    uint32_t by; /* number of the task that asks */
    struct timer *timer;
};

/* What all processes of a run know: in the segment. */
struct run_state {
    uint64_t clock;
    uint64_t io_stamp; /* steps so far that may have changed what descriptors are ready for */
    uint32_t live_count, made_count;
    uint32_t process_count; /* rows of the table that were used */
    int32_t last_id;        /* of a process */
    int32_t main_status;    /* of the first process, as wait() tells it, ... */
    bool is_main_over;      /* ... once it has ended */
    struct question question;
    struct {
        struct task *by; /* NULL: nobody asks for calls */
        uint64_t *calls;
        uint32_t most, count;
    } asked;
    struct {
        char name[CONTROL_PATH_SIZE]; /* of the next process that is forked; "": as others */
        uint32_t node;                /* it belongs to */
        bool has_news;                /* since the launcher looked at logs and children */
    } cluster;
    uint16_t
        node_port[CONTROL_NODES_MAX + 1]; /* of each node, ports that nobody asked for: so many */
    uint32_t file_count;                  /* mapped to be shared, in this run */
    uint32_t anonymous_count;             /* of them, those without a name in any directory */
    struct task *live[CONTROL_TASKS_MAX];
    struct task *made[CONTROL_TASKS_MAX];
    struct process processes[PROCESSES_MAX];
};
extern struct run_state *run_state;
#define control_clock (run_state->clock) /* virtual nanoseconds since the beginning of the run */

/* Of a process that has become another program: tells places of that program from those of others
 * that lie at the same addresses (wire/control.h). */
extern uint64_t control_image;

/* A place in the code, as the page has it. */
static inline uint64_t control_place(const void *place)
{
    return place == NULL ? 0 : (uintptr_t)place | control_image;
}

/* A region of the page. */
static inline void *control_region(size_t place)
{
    return (char *)control + place;
}

/* Whether what the caller does is to be chosen: it is a task, and not at our own work. */
static inline bool control_is_mine(void)
{
    return control_is_on && control_self->ignore == 0;
}

/* Gives the turn to clew until it gives it back. */
void control_ask(enum control_word word);

/* Before main: waits for a plan and begins its run in the calling constructor. Returns once for
 * each run, in a process of its own; without a run where the program is not controlled. */
void control_begin_early(void);

/* Ends the run. Does not return: the process ends, or goes back to its beginning. */
struct ending {
    enum control_end end;
    int value;
    const char *text;
    uint64_t address;
    const void *place;  /* the innermost call; NULL: the caller's stack is told ... */
    const char *teller; /* ... from whoever called a function with such a name on; NULL: from all */
};
_Noreturn void control_end(const struct ending *e);

/* A call that control does not reach went through; named in the report. */
void control_outside(const char *call);

/* Something changed that putting memory back does not undo: the next run begins with a fork. */
void control_changed(void);

/* Adds to what the program tells of itself; the report, NULL when there is no room. */
struct control_report *control_report(enum event_kind kind, const char *name, int64_t value,
                                      const void *place);

/* The same of something that is known by an object, under a name that begins like this. */
void control_report_object(enum event_kind kind, const char *name,
                           const struct control_object *object, const void *place);

/* The same of something that is known by its address: a channel, an annotated object. */
struct control_report *control_report_channel(enum event_kind kind, const void *channel,
                                              int64_t message, const void *place);

/* turn.c */

/* Waits until the caller is chosen to do what it says. False when it gave up at its deadline, or
 * was interrupted by a signal. Does nothing while there is no run. */
bool sched_take(const struct act *act);
bool sched_is_interrupted(void);

/* A new task says what it will begin with. */
void sched_say(struct task *t, const struct act *act);

/* The caller has ended: chooses who goes on, and does not return to it. With threads, returns. */
void sched_leave(void);

/* Before the first run. */
void sched_start(void);

/* Begins a run, with the first task. */
void sched_begin(const struct pick_plan *plan, struct pick *pick);

/* Tells the page how tasks stand; the calling one was interrupted at this place, if that is not
 * NULL. */
void sched_tell(const void *interrupted);

/* Who was chosen last. */
struct task *sched_chosen(void);

/* Something was changed; how often that was so in this run. */
void sched_changed(void);
uint64_t sched_stamp(void);

/* Whether anything could happen that the calling task does not do itself. */
bool sched_has_others(void);
/* Nobody can go on, and somebody outside of the process is waited for. */
bool sched_awaits_outside(void);

/* The next deadline of any task, UINT64_MAX when there is none. */
uint64_t sched_next_deadline(void);

/* The value of the step under way. */
void sched_value(int64_t value);

/* What a trace has of the step under way. By default it is an event of the step's kind. An
 * operation that was refused or never performed is none. */
void sched_refused(void);
void sched_traced(enum event_kind kind);
/* The memory order with which an atomic operation was performed. */
void sched_mode(uint8_t mode);

/* The step under way, by its index, and an event of that step's object and place later on. */
uint64_t sched_step(void);
void sched_report(enum event_kind kind, uint64_t step);

/* A fence turns the atomic loads that the caller made since its last one into acquiring ones. */
void sched_acquire(void);

/* For condition variables: one more of those who wait for it may go, all may. */
void sched_signal(const volatile void *condition);
void sched_broadcast(const volatile void *condition);

/* Wakes up to so many that wait for this with WAIT_WAKE or WAIT_BARRIER; how many. */
uint32_t sched_wake(const volatile void *object, uint32_t most);

/* The step under way has waited for the end of this task. */
void sched_joined(uint32_t task);

/* task.c */

extern struct task *tasks; /* by number, CONTROL_TASKS_MAX of them */

/* Before anything else: the caller is the first task. */
void task_start(void);

/* Before the first run: what the first task has of its own by now, it has in every run. */
void task_save(void);

/* A run begins: only the first task lives. */
void task_begin(void);

/* The living, in the order of their creation; the last to end is the last to be there. */
#define task_live (run_state->live)
#define task_live_count (run_state->live_count)

/* Whether what the caller does is unordered with what another task did or will do: another lives,
 * or has ended and was not waited for. */
static inline bool task_has_others(void)
{
    return process_self->live_count > 1 || process_self->unjoined_count > 0;
}

/* The same of what processes share: files, descriptors. */
static inline bool task_has_peers(void)
{
    return task_has_others() || run_state->process_count > 1;
}

const char *task_path(uint32_t number);

/* The living task whose stack has the address, and how far from its end that is; NULL: none. */
const struct task *task_of_stack(uintptr_t address, uint32_t *distance);

/* What has turns without being a task: named after the caller, "main/timer1". */
struct task *task_make_other(const char *what, uint32_t ordinal);

/* The turn goes from one task to another; returns when `from` has it again. */
void task_switch(struct task *from, struct task *to);

/* The calls that another task is in, which waits for its turn, as stack_take has them; how many. */
uint32_t task_calls(struct task *t, uint64_t *calls, uint32_t most);

/* The calling task ends: its destructors run, then it waits to end. Does not return. */
_Noreturn void task_end(struct task *t);

/* The caller may be asked to end here. */
void task_test_cancel(void);

/* Whether the caller waits for a change: it stands where it stood before, in the same calls, and
 * finds what it found then; nothing has changed in between, it has read nothing else, and what it
 * has of its own is the same (stack_state). A task that counts its rounds is taken to wait after a
 * hundred of them. */
bool task_repeats(const void *place, const volatile void *address, uint64_t value);

/* control_key.c: the caller is a task from now on, with the values it has. */
void key_start(struct task *t);
/* Runs the destructors of the caller's keys. */
void key_end(struct task *t);

/* control_lock.c: whether what the act waits for is there, of all waits for locks. Of a task of
 * another process, as far as this one sees the lock; else as that process has published it. */
bool lock_is_ready(const struct task *t);
/* Whether it waits for a lock that this process sees. */
bool lock_is_seen(const struct task *t);

/* Whether what the task is about to do would be possible without the last of those who made it so:
 * of a semaphore that is above 1. */
bool lock_has_surplus(const struct task *t);

/* Who holds what the task waits for; NOBODY when that cannot be said. */
uint32_t lock_holder(const struct task *t);

/* The task ends with robust mutexes in its hands. */
void lock_end(struct task *t);
/* Before main: whether the program locks streams. */
void lock_start(void);
/* The caller is about to use the stream, which another task may have locked. */
void lock_pass_stream(FILE *file, const void *place);

/* object.c */

void object_start(void);
void object_begin(void); /* a run begins: blocks and first uses are forgotten */
/* The same in a process that has become another program in the middle of a run. */
void object_begin_image(void);
struct object object_of(const volatile void *address, const void *place);
/* A number for the name of what the calling task allocates by a call at this place: the same for
 * all calls that one line of the program makes, perhaps through a library. */
uint64_t object_calls(uintptr_t place);
/* Writes its name; how long it is. */
size_t object_print(const struct object *o, char *text, size_t size);
/* The number in the text that clew has for a key (wire/control.h). */
uint32_t object_answer(uint64_t key);
struct object object_of_task(uint32_t number);
struct object object_of_time(void);
/* The so many-th of a kind that a task made. */
struct object object_of_kind(enum control_descriptor kind, uint32_t ordinal, uint32_t owner);
/* The memory means something else from now on. */
void object_forget(const void *address, size_t size);
/* The pages are mapped by the program; are about to be unmapped. */
void object_mapped(const void *start, size_t size, const void *place);
void object_unmapped(const void *start, size_t size);
/* The same of pages of a file that all who map them share. They have one name, wherever they lie,
 * that of the first mapping of the file. */
struct object_file {
    uint64_t device, inode, offset;
};
void object_mapped_file(const void *start, size_t size, const struct object_file *file,
                        const void *place);
/* Whether the mapping at the address is one of several that this run has made of a file: to unmap
 * it takes nothing away from the others. */
bool object_is_shared_file(const void *start);
/* Where the address lies in memory that processes share: the same number in all of them; 0: it is
 * the process's own. And the address of such a number in this process; NULL: it has not mapped it.
 */
uint64_t object_shared(const volatile void *address);
const volatile void *object_shared_at(uint64_t number);
/* The only mapping of a file is unmapped: the next one has another name. */
void object_file_gone(const void *start);
/* A mapping was moved, or changed its size; size 0: it stays, and is mapped once more. Pages that
 * are shared keep their name. */
struct object_move {
    const void *from;
    size_t from_size;
    const void *to;
    size_t to_size;
};
void object_remapped(const struct object_move *move, const void *place);
/* The modules of the process changed. */
void object_modules(void);
/* Where the module lies that has this address. */
void object_module_of(uintptr_t address, uintptr_t *begin, uintptr_t *end);

/* heap.c */

#define HEAP_ADDRESS UINT64_C(0x210000000000)
#define HEAP_SIZE (UINT64_C(1) << 34)

/* A run begins: blocks are counted anew. */
void heap_begin(void);
/* Remembers the heap as it is; and puts it back: everything allocated since is gone. */
void heap_save(void);
void heap_restore(void);
/* How many bytes of it are in use, or were. */
size_t heap_used(void);

/* The block that the address lies in. */
struct heap_block {
    uint64_t name; /* number of the name that its calls give it (object_calls); 0: of its place */
    uint64_t place;
    uintptr_t start;
    uint64_t size;
    uint32_t ordinal; /* of those that its task allocated there, from 1 */
    uint32_t owner;   /* the task */
    bool is_freed;
    uint32_t freer;                  /* the task that did it ... */
    uint64_t freed_place;            /* ... and where */
    uint16_t callers, freed_callers; /* in which calls (runtime/control/model/call_tree.h) */
};
bool heap_find(uintptr_t address, struct heap_block *block);
/* The task uses the block that the address lies in. */
void heap_touch(uintptr_t address, uint32_t task);
/* Whether others than the task have used it. */
bool heap_is_shared(uintptr_t address, uint32_t task);

/* control_process.c: whether this run has made other processes, which may send it signals. */
bool process_has_children(void);
/* Before the first run. */
void process_start(void);

/* control_time.c: a run begins at the same moment as every other. */
void clock_begin(void);

/* fiber.c */

/* Whether this machine and this libc have what it takes; also finds it. */
bool fiber_is_possible(void);
/* To be called first in a new fiber. */
void fiber_begin(void);
/* Makes the task's fiber; the first time it is switched to, `begin` runs there. */
void fiber_make(struct task *t, size_t stack_size, void (*begin)(void));
void fiber_switch(struct fiber *from, const struct fiber *to);
/* What it may use of its stack; false when it has none of its own. */
bool fiber_stack(const struct fiber *f, void **base, size_t *size);
/* Frees what is kept of it, not the stack, which is used again. */
void fiber_drop(struct task *t);

/* control_ready.c: before the first run. */
void ready_start(void);

/* control_access.c: ends the run if the bytes lie in a block that was freed, or beyond one. */
void memory_check(const volatile void *address, size_t size);
/* Whether the calling task's accesses at the address are steps: others could notice them. Without
 * an address (NULL): whether any are. */
bool memory_is_shared(const volatile void *address);
/* A plain write of the calling task: a step, if others could notice it. */
void memory_write(const void *address, size_t size, const void *place);
/* Whether code between these addresses tells its accesses. */
bool memory_is_told(uintptr_t begin, uintptr_t end);

/* control_sanitizer.c: a run has begun. */
void sanitizer_begin(void);

/* cover.c */

void cover_start(void);
/* A run begins: it has entered nothing. */
void cover_begin(void);
/* The caller comes to this place of the code. */
void cover_enter(const void *place);
/* The same, of a block proper. */
void cover_enter_block(const void *place);
/* A module has these blocks, also if none is ever entered (runtime/instrument/runtime_entry.h). */
struct clew_rt_blocks;
void cover_list(const struct clew_rt_blocks *blocks);
/* What was entered since it was last asked; good until the next call. */
uint32_t cover_take(const struct pick_block **blocks);
/* Reports blocks proper of the last step, where the plan wants it. */
void cover_report(const struct pick_block *blocks, uint32_t count);
/* A hash of what this run has entered, and how often. */
uint64_t cover_state(void);

/* rewind.c */

/* Remembers all writable memory of the process; and puts it back. False when that is so much that a
 * fork is faster. */
bool rewind_save(void);
void rewind_restore(void);
/* Memory of ours that stays as it is, zero at first. */
void *rewind_exempt(size_t size);

#endif
