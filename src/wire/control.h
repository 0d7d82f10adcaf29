/* The page that clew shares with a process it controls: a whole plan goes in, a whole execution
 * comes out. Nobody is asked in between but for names of addresses, each once.
 *
 *     0              struct control: whose turn it is, the plan's numbers, how the run ended
 *     CONTROL_*      regions of fixed places and sizes, in the order of the list below
 *
 * The page is a file in memory, mapped by clew anywhere and by the process at CONTROL_ADDRESS, so
 * that what pick/ remembers in it from run to run may point into itself. Pages never touched cost
 * nothing. One of the two has the turn and the other sleeps on the word `turn`. */
#ifndef CLEW_WIRE_CONTROL_H
#define CLEW_WIRE_CONTROL_H

#include <stdatomic.h>
#include <stdint.h>

/* The environment variable with the descriptor's number. */
#define CONTROL_VARIABLE "CLEW_CONTROL"
#define CONTROL_MAGIC UINT64_C(0x746e6f6377656c63)
#define CONTROL_VERSION 6
#define CONTROL_ADDRESS UINT64_C(0x200000000000)

enum {
    CONTROL_TASKS_MAX = 1024, /* tasks that have different paths, in all runs together */
    CONTROL_PATH_SIZE = 64,   /* of a task's path, with its end */
    CONTROL_STACK_MAX = 32,   /* calls of a stack that are kept ... */
    CONTROL_CALLS_MAX = 12,   /* ... and of each task in a deadlock */
    CONTROL_ASKED_MAX = 32,   /* calls that led to an allocation */
    CONTROL_TEXT_SIZE = 400,
    CONTROL_CONSTRAINTS_MAX = 4096,
    CONTROL_POINTS_MAX = 1 << 16,
};

/* Regions: REGION(id, MiB, what). Arrays of structs that pick/ declares are known by it alone. */
#define CONTROL_REGION_LIST(REGION)                                       \
    REGION(HEAD, 1, "struct control")                                     \
    REGION(TURNS, 32, "struct pick_turn[], of the plan")                  \
    REGION(WANTS, 32, "struct pick_want[], of the plan")                  \
    REGION(CONSTRAINTS, 1, "struct pick_constraint[], of the plan")       \
    REGION(WISHES, 1, "struct pick_wish[], of the plan")                  \
    REGION(POINTS, 1, "uint64_t[], of the plan")                          \
    REGION(ASLEEP, 1, "struct pick_operation[], of the plan")             \
    REGION(STEPS, 256, "struct control_step[], of the execution")         \
    REGION(PENDING, 512, "struct pick_operation[], of the execution")     \
    REGION(REPORTS, 64, "struct control_report[], of the execution")      \
    REGION(NAMES, 16, "struct control_name[], a table by key")            \
    REGION(TEXTS, 64, "texts of names, each ended by 0")                  \
    REGION(TASKS, 1, "char[CONTROL_TASKS_MAX][CONTROL_PATH_SIZE]: paths") \
    REGION(MODULES, 1, "struct control_module[]: what is mapped where")   \
    REGION(COVER, 8, "struct control_cover, of all runs")                 \
    REGION(STOPS, 1, "struct control_stop[], where a debugger stops")     \
    REGION(WATCHES, 1, "struct control_watch[], variables to be read")    \
    REGION(PICK, 64, "what pick/ remembers")

#define REGION(id, mib, what) CONTROL_##id##_SIZE = (mib) << 20,
enum { CONTROL_REGION_LIST(REGION) };
#undef REGION

/* Where each region begins. */
struct control_places {
#define REGION(id, mib, what) char id[(mib) << 20];
    CONTROL_REGION_LIST(REGION)
#undef REGION
};
#define CONTROL_PLACE(id) (__builtin_offsetof(struct control_places, id))
#define CONTROL_SIZE (sizeof(struct control_places))

/* How tasks run, and how a process comes back to its beginning between runs. */
enum control_mode {
    CONTROL_FIBER,  /* tasks are fibers; memory is put back in the process */
    CONTROL_FORK,   /* tasks are fibers; a fork for each run */
    CONTROL_THREAD, /* tasks are threads; a fork for each run */
    CONTROL_EXEC,   /* tasks are threads; the program is started for each run */
};

/* Kinds of keys: a place in the code that reports a store, whose text is the number of bytes that
 * the program loads, changes and stores there, 0 when it only stores; the calls that led to an
 * allocation, by a number computed from them, of which the text is asked for; blocks that have
 * their names from such a text, by a number computed from it; something that a number stands for by
 * its kind; a place in the code, which stands for objects that have their names from it; a task, by
 * its number; the clock. All others are addresses of something static. */
#define CONTROL_KEY_OF_UPDATE (UINT64_C(1) << 57)
#define CONTROL_KEY_OF_CALLS (UINT64_C(1) << 58)
#define CONTROL_KEY_OF_BLOCK (UINT64_C(1) << 59)
#define CONTROL_KEY_OF_KIND (UINT64_C(1) << 60)
#define CONTROL_KEY_OF_PLACE (UINT64_C(1) << 61)
#define CONTROL_KEY_OF_TIME (UINT64_C(1) << 62)
#define CONTROL_KEY_OF_TASK (UINT64_C(1) << 63)

/* What a key of a kind stands for: KIND(id, text). Ordinals tell them apart. */
#define CONTROL_DESCRIPTOR_LIST(KIND) \
    KIND(DESCRIPTOR, "descriptor")    \
    KIND(STDIN, "stdin")              \
    KIND(STDOUT, "stdout")            \
    KIND(STDERR, "stderr")            \
    KIND(FILE, "file")                \
    KIND(PIPE, "pipe")                \
    KIND(SOCKET, "socket")            \
    KIND(EVENTFD, "eventfd")          \
    KIND(TIMERFD, "timerfd")          \
    KIND(EPOLL, "epoll")              \
    KIND(RANDOM, "random")            \
    KIND(TIMER, "timer")              \
    KIND(SIGNAL, "signal")            \
    KIND(PATH, "path")                \
    KIND(ENVIRONMENT, "environment")  \
    KIND(LOCALE, "locale")            \
    KIND(STRTOK, "strtok")            \
    KIND(RAND, "rand")                \
    KIND(RAND48, "drand48")           \
    KIND(PROCESS, "process")

enum control_descriptor {
#define KIND(id, text) CONTROL_##id,
    CONTROL_DESCRIPTOR_LIST(KIND)
#undef KIND
        CONTROL_DESCRIPTOR_COUNT
};

enum control_turn { CONTROL_OF_CLEW, CONTROL_OF_PROCESS };

/* What the process has to say when it gives the turn to clew. */
enum control_word {
    CONTROL_READY,    /* it waits for a plan */
    CONTROL_DONE,     /* the run is over: see `result` */
    CONTROL_NAME,     /* it wants the text of `key` in the table of names */
    CONTROL_ASK_PATH, /* it wants to know where the path in `files` leads */
};

/* What a system call does with a path. */
enum control_path_use {
    CONTROL_PATH_READ,
    CONTROL_PATH_READ_LINK,  /* of a link, the link itself */
    CONTROL_PATH_WRITE,      /* what is there is changed, or a file is made */
    CONTROL_PATH_WRITE_LINK, /* of a link, the link itself */
    CONTROL_PATH_MAKE,       /* an entry is made that must not be there */
    CONTROL_PATH_REMOVE,
    CONTROL_PATH_MOVE,    /* it gets another name ... */
    CONTROL_PATH_REPLACE, /* ... which is this one */
};

/* The private view that a process has of its directory (proc/control/private_files.h), and a path
 * in it that it asks about. */
enum { CONTROL_PATH_MAX = 4096 };
struct control_files {
    uint32_t is_private; /* there is such a view */
    uint32_t is_changed; /* paths that are only read have to be asked about too */
    uint32_t use;        /* enum control_path_use */
    uint32_t unused;
    char root[CONTROL_PATH_MAX];  /* the directory as the program knows it ... */
    char lower[CONTROL_PATH_MAX]; /* ... where its unchanged files are ... */
    char upper[CONTROL_PATH_MAX]; /* ... and where changed ones are */
    char base[CONTROL_PATH_MAX];  /* asked about: where a relative path begins, ... */
    char path[CONTROL_PATH_MAX];  /* ... the path, ... */
    char real[CONTROL_PATH_MAX];  /* ... and the answer */
};

/* Why a run ended. */
enum control_end {
    CONTROL_UNENDED, /* the process died without a word */
    CONTROL_EXITED,  /* value: its status */
    CONTROL_STOPPED, /* pick chose nothing; value: enum pick_stop */
    CONTROL_LIMITED, /* the limit of steps */
    CONTROL_DEADLOCKED,
    CONTROL_LIVELOCKED, /* the limit of steps, and for half of them nothing was changed */
    CONTROL_CRASHED,    /* value: the signal */
    CONTROL_ASSERTED,   /* an assertion failed, or abort(); text: what it says */
    CONTROL_MISUSED,    /* memory was used wrongly; value: enum control_misuse, text: how */
    CONTROL_HUNG,       /* it took too long, without coming to a scheduling point */
    CONTROL_WAITED,     /* it took too long, waiting for somebody outside of the process */
    CONTROL_REFUSED,    /* the runtime cannot go on with this program; text: why */
};

enum control_misuse {
    CONTROL_USE_AFTER_FREE,
    CONTROL_DOUBLE_FREE,
    CONTROL_OVERFLOW,
    CONTROL_UNDEFINED, /* undefined behaviour that the compiler's checks found */
};

/* A plan's numbers; its lists lie in their regions. */
struct control_plan {
    uint64_t number; /* of the plan, from 1 */
    uint64_t seed;
    uint64_t turn_count, want_count, constraint_count, asleep_count, wish_count;
    uint64_t point_count, points_number; /* number 0: every access is a point */
    uint32_t steps_first, steps_max, depth, length;
    uint8_t strategy; /* enum pick_strategy */
    uint8_t is_lenient, has_wants, wants_pending, is_learning, is_fair;
    uint8_t wants_blocks; /* the blocks that each step enters are reported */
};

/* What is known of a task when the run ended. */
struct control_stand {
    uint32_t task;   /* number */
    uint32_t holder; /* of what it waits for; UINT32_MAX: nobody */
    uint64_t object; /* key of what it waits for, 0: nothing */
    uint32_t ordinal, offset;
    uint64_t place; /* where it stands */
    uint16_t kind;  /* of its pending operation */
    uint16_t is_waiting;
    uint32_t owner;
    uint32_t call_count;               /* of tasks that can not go on */
    uint32_t is_running;               /* it has said nothing of what it will do */
    uint64_t calls[CONTROL_CALLS_MAX]; /* places, the innermost first */
};

enum { CONTROL_STANDS_MAX = 64, CONTROL_OUTSIDES_MAX = 16, CONTROL_OUTSIDE_SIZE = 24 };

struct control_result {
    uint64_t number; /* of the plan; not its number: the process died on the way */
    uint32_t end;    /* enum control_end */
    int32_t value;
    uint64_t step_count, pending_count, pending_last, report_count;
    uint64_t where;           /* pick_where, or the constraint that is not satisfied */
    uint64_t constraint_left; /* the first constraint not satisfied */
    uint64_t clock;           /* virtual nanoseconds at the end */
    uint32_t task;            /* who ended it */
    uint32_t stack_count;
    uint64_t stack[CONTROL_STACK_MAX]; /* places, the innermost first */
    uint32_t stand_count;
    uint8_t is_changed_outside; /* something that putting memory back does not undo */
    uint8_t has_idled;          /* tasks that only repeated themselves were passed over */
    uint8_t has_looked;         /* at clocks, or waited for them */
    uint8_t has_drawn;          /* random numbers, which come from the plan's seed */
    uint8_t has_waited;         /* for a condition, which nothing but a signal could end */
    uint8_t has_weak_order;     /* an atomic operation weaker than seq_cst; all are seq_cst here */
    uint8_t has_preempted;      /* code without scheduling points, at `preempted` */
    uint8_t has_listened;       /* for connections ... */
    uint8_t has_accepted;       /* ... of which one came */
    uint64_t preempted;
    struct control_stand stands[CONTROL_STANDS_MAX];
    uint64_t address; /* of a fault or a misuse */
    struct {
        uint64_t size; /* of the block of memory it is about; both places 0: of none */
        uint64_t place, freed_place; /* where it was allocated, and freed; 0: it was not */
        uint32_t owner, freer;       /* tasks */
        /* What led to the two places, the innermost first. */
        uint32_t call_count, freed_call_count;
        uint64_t calls[CONTROL_CALLS_MAX], freed_calls[CONTROL_CALLS_MAX];
    } block;
    char text[CONTROL_TEXT_SIZE];
    uint32_t outside_count; /* calls that were not controlled, by name */
    char outside[CONTROL_OUTSIDES_MAX][CONTROL_OUTSIDE_SIZE];
};

/* The name of an object that an event is about; key 0: there is none. */
struct control_object {
    uint64_t key;
    uint32_t ordinal, offset, owner;
    uint32_t unused;
};

/* A step of the execution. What an object is called is text(key), then "@task" for what another
 * task than the first made, "#ordinal" unless that is 0 and "+offset" unless that is 0.
 *
 * The scheduler names a step by what the task was about to do (`kind`). What the task did is known
 * only afterwards: an attempt may be refused, a wait may end without a signal. `traced` is the kind
 * of event that a trace has for the step, 0 for none. */
struct control_step {
    uint64_t name, action;
    uint64_t key;
    uint32_t ordinal, offset;
    uint64_t place;
    int64_t value;       /* of an atomic or a clock; its kind says */
    uint64_t address;    /* of an access outside of the heap */
    uint64_t state;      /* of the code entered so far, and how often; 0: it is not counted */
    uint32_t task, peer; /* numbers; peer UINT32_MAX: none */
    uint32_t objects[2];
    uint32_t region, begin, end, needs; /* as struct pick_operation has them */
    uint32_t occurrence, choice, pending_first, pending_count;
    uint32_t size; /* of an access */
    uint16_t kind; /* enum event_kind */
    uint8_t writes, mode;
    uint32_t
        owner; /* of the object: the number of the task that made it, 0: the first, or nobody */
    uint16_t traced; /* enum event_kind */
    uint8_t gives;
    uint8_t is_access : 1, has_surplus : 1;
    struct control_object second; /* of a wait for a condition: its lock, or its condition */
};

/* An event that is no step. What the program reports about itself (a variable, a message, a log
 * line) has its name in `name`. What completes an earlier step (the end of an initialization, the
 * last thread's way out of a barrier) has that step's object and place: `value` is its index. */
struct control_report {
    uint64_t place;
    int64_t value;
    uint32_t step; /* how many steps had begun */
    uint32_t task;
    uint16_t kind;                /* enum event_kind */
    uint16_t size;                /* of a message */
    uint16_t mode;                /* of an annotation */
    char name[58];                /* ended by 0; longer ones are cut */
    struct control_object object; /* what it is about, if that is known by an address */
    uint64_t content;             /* of a message: a hash of its bytes; 0: not known */
};

/* Where a debugger is to stop, and what it says there. */
enum control_stop_kind {
    CONTROL_STOP_STEP,   /* before this step, which is chosen, happens; counted from 1 */
    CONTROL_STOP_REPORT, /* after this report, counted from 1 */
    CONTROL_STOP_END,    /* at the end of the run, if it is this enum control_end */
};
struct control_stop {
    uint32_t kind;
    uint32_t number;
    char text[CONTROL_TEXT_SIZE];
};
enum { CONTROL_STOPS_MAX = (1 << 20) / sizeof(struct control_stop) };

/* A variable that is read as the run goes: from the address on, offset[0] is added, and for each
 * hop the pointer there is followed and the next offset added. */
enum { CONTROL_HOPS_MAX = 8, CONTROL_WATCHES_MAX = 64 };
struct control_watch {
    uint64_t address;
    int64_t offset[CONTROL_HOPS_MAX + 1];
    uint32_t hop_count;
    uint32_t size; /* of the value, 1 to 8 bytes */
    uint8_t is_signed;
    uint8_t is_pointer; /* only whether it points anywhere is told */
    uint8_t is_told;    /* in this run: its last value is ... */
    uint8_t unused;
    int64_t value;
    char name[60];
};

/* Code that was entered, by number (runtime/control/sched/coverage_counters.c). */
enum { CONTROL_BLOCKS_MAX = 1 << 16 };
struct control_cover {
    uint32_t block_count;
    uint32_t is_cut; /* a list of blocks was too long */
    struct {
        uint64_t place;
        uint64_t count : 62;    /* how often */
        uint64_t is_listed : 1; /* the compiler lists it, entered or not */
        uint64_t is_proper : 1; /* a block of code, and not a function or an access */
    } blocks[CONTROL_BLOCKS_MAX];
};

/* The text of a key: an address of something static, or a place in the code. */
struct control_name {
    uint64_t key;  /* 0: a free row */
    uint32_t text; /* where in TEXTS */
    uint32_t size;
};
enum { CONTROL_NAMES_MAX = (16 << 20) / 16 };

/* The number of blocks that have their names from a text with this hash: 48 bits, not 0. */
static inline uint64_t control_block_number(uint64_t hash)
{
    return (hash & ((UINT64_C(1) << 48) - 1)) | 1;
}

static inline uint32_t control_name_row(uint64_t key)
{
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 44) % CONTROL_NAMES_MAX;
}

/* A file that the process has mapped, with its load bias. */
struct control_module {
    uint64_t bias;
    uint32_t is_told; /* code in it tells its accesses */
    char path[500];
};
enum { CONTROL_MODULES_MAX = 256 };

struct control {
    uint64_t magic;
    uint32_t version;
    uint32_t mode;                     /* enum control_mode */
    _Atomic uint32_t turn;             /* enum control_turn; slept on by both */
    uint32_t word;                     /* enum control_word, from the process */
    uint64_t key;                      /* asked for */
    uint32_t call_count;               /* of a key of calls: ... */
    uint64_t calls[CONTROL_ASKED_MAX]; /* ... they themselves, the innermost first */
    uint32_t text_size;                /* of TEXTS, used */
    uint32_t task_count;               /* paths in TASKS */
    uint32_t is_pick_begun;            /* the memory of pick/ is laid out */
    uint32_t wants_output;             /* the program's own output is shown */
    uint32_t spurious_max;             /* waits of each task that may end without a signal */
    uint32_t is_loaded;                /* the runtime is in the process */
    uint32_t threads_before;           /* there before the first run, which nobody controls */
    uint32_t is_overdue;               /* the run took too long, and is to end */
    int32_t server;                    /* process id of who waits for plans, ... */
    int32_t runner;                    /* ... and of who runs the last one; 0: the same */
    uint32_t can_fiber;                /* tasks can be fibers here */
    uint32_t module_count;             /* in MODULES */
    uint32_t watch_count;              /* in WATCHES */
    uint32_t stop_count;               /* in STOPS; not 0: the process runs in a debugger ... */
    int32_t script_fd;                 /* ... whose commands are in this descriptor */
    struct control_files files;
    struct control_plan plan;
    struct control_result result;
};

_Static_assert(sizeof(struct control) <= CONTROL_HEAD_SIZE, "the head fits");
_Static_assert(sizeof(struct control_name) == 16, "control page v2");
_Static_assert(sizeof(struct control_step) == 152, "control page v4");
_Static_assert(sizeof(struct control_report) == 120, "control page v6");

#endif
