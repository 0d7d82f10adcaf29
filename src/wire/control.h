/* The layout of the memory that clew shares with a process it controls: clew writes a whole plan,
 * the process executes it and writes the whole execution. During a run the process asks clew only
 * for names of addresses, each once, and for paths in its private files.
 *
 *     0              struct control: the word `turn`, the plan's numbers, the result of the run
 *     CONTROL_*      regions of fixed places and sizes, in the order of the list below
 *
 * The memory is a memfd. clew maps it anywhere, the process at CONTROL_ADDRESS, so that the tables
 * that pick/ keeps in it from run to run may hold pointers into themselves. Untouched pages cost
 * nothing. The word `turn` says which of the two may write; the other sleeps on it (futex).
 *
 * The region SEGMENT belongs to the processes of the program alone: they map it at the same
 * address, so that it may point into itself (runtime/control/sched/shared_segment.h). clew never
 * reads it. */
#ifndef CLEW_WIRE_CONTROL_H
#define CLEW_WIRE_CONTROL_H

#include <stdatomic.h>
#include <stdint.h>

/* The environment variable with the descriptor's number. */
#define CONTROL_VARIABLE "CLEW_CONTROL"
#define CONTROL_MAGIC UINT64_C(0x746e6f6377656c63)
#define CONTROL_VERSION 8
#define CONTROL_ADDRESS UINT64_C(0x200000000000)

enum {
    CONTROL_TASKS_MAX = 1024, /* tasks that have different paths, in all runs together */
    CONTROL_PATH_SIZE = 64,   /* of a task's path, with its end */
    CONTROL_STACK_MAX = 32,   /* return addresses kept of the stack that ended the run ... */
    CONTROL_CALLS_MAX = 12,   /* ... of each task in a deadlock */
    CONTROL_ASKED_MAX = 32,   /* ... and of an allocation */
    CONTROL_TEXT_SIZE = 400,
    CONTROL_CONSTRAINTS_MAX = 4096,
    CONTROL_POINTS_MAX = 1 << 16,
    CONTROL_NODES_MAX = 254, /* of a cluster */
};

/* Regions: REGION(id, MiB, contents). Only pick/ knows the structs that it declares. */
#define CONTROL_REGION_LIST(REGION)                                            \
    REGION(HEAD, 1, "struct control")                                          \
    REGION(TURNS, 32, "struct pick_turn[], of the plan")                       \
    REGION(WANTS, 32, "struct pick_want[], of the plan")                       \
    REGION(CONSTRAINTS, 1, "struct pick_constraint[], of the plan")            \
    REGION(WISHES, 1, "struct pick_wish[], of the plan")                       \
    REGION(POINTS, 1, "uint64_t[], of the plan")                               \
    REGION(ASLEEP, 1, "struct pick_operation[], of the plan")                  \
    REGION(STEPS, 256, "struct control_step[], of the execution")              \
    REGION(PENDING, 512, "struct pick_operation[], of the execution")          \
    REGION(REPORTS, 64, "struct control_report[], of the execution")           \
    REGION(NAMES, 16, "struct control_name[], a table by key")                 \
    REGION(TEXTS, 64, "texts of names, each ended by 0")                       \
    REGION(TASKS, 1, "char[CONTROL_TASKS_MAX][CONTROL_PATH_SIZE]: paths")      \
    REGION(MODULES, 1, "struct control_module[]: mapped files")                \
    REGION(COVER, 8, "struct control_cover, of all runs")                      \
    REGION(STOPS, 1, "struct control_stop[], where a debugger stops")          \
    REGION(WATCHES, 1, "struct control_watch[], variables to be read")         \
    REGION(IMAGES, 1, "paths of programs that took the place of others")       \
    REGION(CALLS, 4, "struct control_calls, then the process's table of them") \
    REGION(PICK, 64, "tables that pick/ keeps from run to run")                \
    REGION(SEGMENT, 64, "the scheduler's state; all processes share it")

#define REGION(id, mib, contents) CONTROL_##id##_SIZE = (mib) << 20,
enum { CONTROL_REGION_LIST(REGION) };
#undef REGION

/* Where each region begins. */
struct control_places {
#define REGION(id, mib, contents) char id[(mib) << 20];
    CONTROL_REGION_LIST(REGION)
#undef REGION
};
#define CONTROL_PLACE(id) (__builtin_offsetof(struct control_places, id))
#define CONTROL_SIZE (sizeof(struct control_places))

/* How tasks run, and how the process returns to its initial state between runs. */
enum control_mode {
    CONTROL_FIBER,  /* tasks are fibers; the process restores its memory from a snapshot */
    CONTROL_FORK,   /* tasks are fibers; a fork for each run */
    CONTROL_THREAD, /* tasks are threads; a fork for each run */
    CONTROL_EXEC,   /* tasks are threads; the program is started for each run */
};

/* A key names an object to clew. One of these bits says how; a key without any is the address of a
 * static variable.
 *
 *   UPDATE  the place of a store. Its text is the number of bytes that the program loads, changes
 *           and stores there, 0 if it only stores
 *   CALLS   a hash of the calls that led to an allocation; the process asks for the text
 *   BLOCK   a hash of such a text: heap blocks named by it
 *   KIND    an enum control_descriptor
 *   PLACE   a place in the code: objects named by it
 *   TIME    the clock
 *   TASK    the number of a task */
#define CONTROL_KEY_OF_UPDATE (UINT64_C(1) << 57)
#define CONTROL_KEY_OF_CALLS (UINT64_C(1) << 58)
#define CONTROL_KEY_OF_BLOCK (UINT64_C(1) << 59)
#define CONTROL_KEY_OF_KIND (UINT64_C(1) << 60)
#define CONTROL_KEY_OF_PLACE (UINT64_C(1) << 61)
#define CONTROL_KEY_OF_TIME (UINT64_C(1) << 62)
#define CONTROL_KEY_OF_TASK (UINT64_C(1) << 63)

/* The objects of keys with CONTROL_KEY_OF_KIND: KIND(id, text). Ordinals tell objects of one kind
 * apart. */
#define CONTROL_DESCRIPTOR_LIST(KIND)   \
    KIND(DESCRIPTOR, "descriptor")      \
    KIND(STDIN, "stdin")                \
    KIND(STDOUT, "stdout")              \
    KIND(STDERR, "stderr")              \
    KIND(FILE, "file")                  \
    KIND(PIPE, "pipe")                  \
    KIND(SOCKET, "socket")              \
    KIND(EVENTFD, "eventfd")            \
    KIND(TIMERFD, "timerfd")            \
    KIND(EPOLL, "epoll")                \
    KIND(RANDOM, "random")              \
    KIND(TIMER, "timer")                \
    KIND(SIGNAL, "signal")              \
    KIND(PATH, "path")                  \
    KIND(ENVIRONMENT, "environment")    \
    KIND(LOCALE, "locale")              \
    KIND(STRTOK, "strtok")              \
    KIND(RAND, "rand")                  \
    KIND(RAND48, "drand48")             \
    KIND(PROCESS, "process")            \
    KIND(NUMBERS, "descriptor numbers") \
    KIND(EXIT_HANDLERS, "exit handlers")

enum control_descriptor {
#define KIND(id, text) CONTROL_##id,
    CONTROL_DESCRIPTOR_LIST(KIND)
#undef KIND
        CONTROL_DESCRIPTOR_COUNT
};

enum control_turn { CONTROL_OF_CLEW, CONTROL_OF_PROCESS };

/* The request of the process when it passes the turn to clew. */
enum control_word {
    CONTROL_READY,    /* the process waits for a plan */
    CONTROL_DONE,     /* the run is over: see `result` */
    CONTROL_NAME,     /* clew is to put the text of `key` into the table of names */
    CONTROL_ASK_PATH, /* clew is to resolve the path in `files` */
};

/* The effect of a system call on the file at a path. */
enum control_path_use {
    CONTROL_PATH_READ,
    CONTROL_PATH_READ_LINK,  /* of a link, the link itself */
    CONTROL_PATH_WRITE,      /* it changes the file, or creates one */
    CONTROL_PATH_WRITE_LINK, /* of a link, the link itself */
    CONTROL_PATH_MAKE,       /* it creates an entry, and fails if there is one */
    CONTROL_PATH_REMOVE,
    CONTROL_PATH_MOVE,    /* the old name of a rename ... */
    CONTROL_PATH_REPLACE, /* ... and the new one */
};

/* The private view that a process has of its directory (proc/control/private_files.h), and the path
 * that it asks clew to resolve. */
enum { CONTROL_PATH_MAX = 4096 };
struct control_files {
    uint32_t is_private;          /* there is such a view */
    uint32_t is_changed;          /* paths that are only read have to be asked about too */
    uint32_t use;                 /* enum control_path_use */
    uint32_t node;                /* of a cluster: who asks; 0: its launcher */
    int32_t error;                /* the answer: errno of the call; 0: the path is in `real` */
    char root[CONTROL_PATH_MAX];  /* the directory as the program knows it ... */
    char lower[CONTROL_PATH_MAX]; /* ... where its unchanged files are ... */
    char upper[CONTROL_PATH_MAX]; /* ... and where changed ones are */
    char base[CONTROL_PATH_MAX];  /* asked about: where a relative path begins, ... */
    char path[CONTROL_PATH_MAX];  /* ... the path, ... */
    char real[CONTROL_PATH_MAX];  /* ... and the answer */
};

/* Why a run ended. */
enum control_end {
    CONTROL_UNENDED, /* the process died and wrote no result */
    CONTROL_EXITED,  /* value: its status */
    CONTROL_STOPPED, /* pick chose nothing; value: enum pick_stop */
    CONTROL_LIMITED, /* the limit of steps */
    CONTROL_DEADLOCKED,
    CONTROL_LIVELOCKED, /* the limit of steps, and half of them changed nothing */
    CONTROL_CRASHED,    /* value: the signal */
    CONTROL_ASSERTED,   /* an assertion failed, or abort(); text: its message */
    CONTROL_MISUSED,    /* memory was used wrongly; value: enum control_misuse, text: how */
    CONTROL_HUNG,       /* the time limit passed, and the task reached no scheduling point */
    CONTROL_WAITED,     /* the time limit passed while the process waited for another process */
    CONTROL_REFUSED,    /* the runtime cannot go on with this program; text: why */
    CONTROL_FAILED, /* the launcher of a cluster says that a program failed; text: how; value: 1 if
                     * that was its check */
    CONTROL_FORKED, /* it makes a process: the run has to be made in a process of its own */
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
    uint8_t wants_blocks;      /* the blocks that each step enters are reported */
    uint8_t wants_allocations; /* allocations are reported */
};

/* The state of a task at the end of the run. */
struct control_stand {
    uint32_t task;   /* number */
    uint32_t holder; /* the task that holds the object; UINT32_MAX: none */
    uint64_t object; /* key of the object that the task waits for, 0: it waits for none */
    uint32_t ordinal, offset;
    uint64_t place; /* where it stands */
    uint16_t kind;  /* of its pending operation */
    uint16_t is_waiting;
    uint32_t owner;
    uint32_t call_count;               /* 0 for tasks that can continue */
    uint32_t is_running;               /* it has no pending operation: it is between two */
    uint64_t calls[CONTROL_CALLS_MAX]; /* places, the innermost first */
};

enum { CONTROL_STANDS_MAX = 64, CONTROL_OUTSIDES_MAX = 16, CONTROL_OUTSIDE_SIZE = 24 };

struct control_result {
    uint64_t number; /* of the plan; if it differs, the process died during the run */
    uint32_t end;    /* enum control_end */
    int32_t value;
    uint64_t step_count, pending_count, pending_last, report_count;
    uint64_t where;           /* pick_where, or the constraint that is not satisfied */
    uint64_t constraint_left; /* the first constraint not satisfied */
    uint64_t clock;           /* virtual nanoseconds at the end */
    uint32_t task;            /* the task that ended the run */
    uint32_t stack_count;
    uint64_t stack[CONTROL_STACK_MAX]; /* places, the innermost first */
    uint32_t stand_count;
    uint8_t is_changed_outside; /* a change that restoring memory does not undo, as of a file */
    uint8_t has_idled;          /* the scheduler passed over tasks that only repeated themselves */
    uint8_t has_looked;         /* a task read a clock, or waited for one */
    uint8_t has_drawn;          /* a task drew random numbers, which derive from the plan's seed */
    uint8_t has_waited;         /* a task waited for a condition without a time limit */
    uint8_t has_weak_order;     /* an atomic operation weaker than seq_cst; all are seq_cst here */
    uint8_t has_preempted; /* a timer interrupted code without scheduling points, at `preempted` */
    uint8_t has_listened;  /* a task listened for connections ... */
    uint8_t has_accepted;  /* ... and accepted one */
    uint64_t preempted;
    struct control_stand stands[CONTROL_STANDS_MAX];
    uint64_t address; /* of a fault or a misuse */
    struct {
        uint64_t size; /* of the heap block that was misused; both places 0: there is none */
        uint64_t place, freed_place; /* where it was allocated, and freed; 0: it was not */
        uint32_t owner, freer;       /* tasks */
        /* The calls that led to the two places, the innermost first. */
        uint32_t call_count, freed_call_count;
        uint64_t calls[CONTROL_CALLS_MAX], freed_calls[CONTROL_CALLS_MAX];
    } block;
    char text[CONTROL_TEXT_SIZE];
    char starting[CONTROL_TEXT_SIZE]; /* of a cluster: which nodes are not ready; "": all are */
    uint32_t outside_count;           /* calls that were not controlled, by name */
    char outside[CONTROL_OUTSIDES_MAX][CONTROL_OUTSIDE_SIZE];
};

/* The name of an object that an event is about; key 0: there is none. */
struct control_object {
    uint64_t key;
    uint32_t ordinal, offset, owner;
    uint32_t unused;
};

/* The owner of an object: the number of the task that made it (0: the first, or nobody), and of the
 * first task of the process whose memory it is part of (0: the first process, or memory that
 * processes share). */
enum { CONTROL_OWNER_SHIFT = 16 };
_Static_assert(CONTROL_TASKS_MAX <= 1 << CONTROL_OWNER_SHIFT, "numbers of tasks fit");
static inline uint32_t control_owner(uint32_t process, uint32_t task)
{
    return process << CONTROL_OWNER_SHIFT | task;
}
static inline uint32_t control_owner_process(uint32_t owner)
{
    return owner >> CONTROL_OWNER_SHIFT;
}
static inline uint32_t control_owner_task(uint32_t owner)
{
    return owner & ((UINT32_C(1) << CONTROL_OWNER_SHIFT) - 1);
}

/* A step of the execution. The name of its object is "process:" for the memory of another process
 * than the first, text(key), then "@task" if a task other than the first created it, "#ordinal"
 * unless that is 0 and "+offset" unless that is 0.
 *
 * The scheduler names a step by the operation that the task was about to execute (`kind`). Only
 * afterwards is its outcome known: an attempt may fail, a wait may end without a signal. `traced`
 * is the kind of event that a trace has for the step, 0 for none. */
struct control_step {
    uint64_t name, action;
    uint64_t key;
    uint32_t ordinal, offset;
    uint64_t place;
    int64_t value;       /* of an atomic or a clock; its kind says */
    uint64_t address;    /* of an access outside of the heap */
    uint64_t state;      /* hash of the code entered so far and its counts; 0: not counted */
    uint32_t task, peer; /* numbers; peer UINT32_MAX: none */
    uint32_t objects[2];
    uint32_t region, begin, end, needs; /* as struct pick_operation has them */
    uint32_t occurrence, choice, pending_first, pending_count;
    uint32_t size; /* of an access */
    uint16_t kind; /* enum event_kind */
    uint8_t writes, mode;
    uint32_t owner;  /* number of the task that created the object; 0: the first, or none */
    uint16_t traced; /* enum event_kind */
    uint8_t gives;
    uint8_t is_access : 1, has_surplus : 1, has_value : 1;
    struct control_object second; /* of a wait for a condition: its lock, or its condition */
    uint16_t callers;             /* the calls that the task is in: a number in CALLS */
    uint16_t calls_kept; /* how many of its functions it has not left since its last step */
    uint32_t unused;
};

/* The calls that lead to a place in the program, as a tree. A node is a call by a function that was
 * called as its parent says: the parent's number, and the place in the lower 48 bits. */
enum {
    CONTROL_CALLS_UNKNOWN,   /* calls that no hook reported, or outside of all functions */
    CONTROL_CALLS_OUTERMOST, /* in the first function of a task, whose caller does not matter */
    CONTROL_CALLS_FIRST,
    CONTROL_CALLS_NODES = 1 << 16,
    CONTROL_CALLS_LOST = UINT16_MAX, /* as calls_kept: the task has jumped out of functions */
};
struct control_calls {
    uint64_t nodes[CONTROL_CALLS_NODES];
};

/* An event that is no step. A report of the program about itself (a variable, a message, a log
 * line) has its name in `name`. A report that completes an earlier step (the end of an
 * initialization, the last thread's return from a barrier) has the step's object and place: `value`
 * is the index of the step. */
struct control_report {
    uint64_t place;
    int64_t value;
    uint32_t step; /* how many steps had begun */
    uint32_t task;
    uint16_t kind;                /* enum event_kind */
    uint16_t size;                /* of a message */
    uint16_t mode;                /* of an annotation */
    char name[58];                /* ended by 0; longer ones are cut */
    struct control_object object; /* the object that it is about, if that has an address */
    uint64_t content;             /* of a message: a hash of its bytes; 0: not known */
};

/* A point at which a debugger stops the program, and the text that it then prints. */
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

/* A variable that the runtime reads during the run. Its address is `address` + offset[0]; each hop
 * follows the pointer there and adds the next offset. */
enum { CONTROL_HOPS_MAX = 8, CONTROL_WATCHES_MAX = 64 };
struct control_watch {
    uint64_t address;
    int64_t offset[CONTROL_HOPS_MAX + 1];
    uint32_t hop_count;
    uint32_t size; /* of the value, 1 to 8 bytes */
    uint8_t is_signed;
    uint8_t is_pointer; /* the value is 0 for NULL and 1 for any other pointer */
    uint8_t is_told;    /* the run has reported a value: the last one is ... */
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

/* Programs that processes have become by exec, by their paths and in the order of their first
 * appearance in all runs; the first program of all is none of them. They may lie at the same
 * addresses, so places and addresses of program number n have n in these bits. */
enum { CONTROL_IMAGES_MAX = 255, CONTROL_IMAGE_SHIFT = 48 };
_Static_assert((CONTROL_IMAGES_MAX + 1) * CONTROL_PATH_MAX <= CONTROL_IMAGES_SIZE, "paths fit");

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
    uint32_t is_told; /* its code reports its accesses (clew cc built it) */
    char path[500];
};
enum { CONTROL_MODULES_MAX = 256 };

struct control {
    uint64_t magic;
    uint32_t version;
    uint32_t mode;                     /* enum control_mode */
    _Atomic uint32_t turn;             /* enum control_turn; slept on by both */
    uint32_t word;                     /* enum control_word, from the process */
    uint64_t key;                      /* of CONTROL_NAME */
    uint32_t call_count;               /* if it is a key of calls: their number ... */
    uint64_t calls[CONTROL_ASKED_MAX]; /* ... and places, the innermost first */
    uint32_t text_size;                /* of TEXTS, used */
    uint32_t task_count;               /* paths in TASKS */
    uint32_t is_pick_begun;            /* the memory of pick/ is laid out */
    uint32_t node_count;               /* of a cluster */
    uint32_t wants_output;             /* the program's own output is shown */
    uint32_t spurious_max;             /* waits of each task that may end without a signal */
    uint32_t is_loaded;                /* the runtime is in the process */
    uint32_t threads_before;           /* there before the first run, which nobody controls */
    uint32_t is_overdue;               /* the run took too long, and is to end */
    int32_t server;                    /* pid of the process that waits for plans, ... */
    int32_t runner;                    /* ... and of its child that runs one; 0: the same */
    int32_t clew;                      /* pid of the process that waits for the results */
    uint32_t can_fiber;                /* tasks can be fibers here */
    uint32_t module_count;             /* in MODULES */
    uint32_t watch_count;              /* in WATCHES */
    uint32_t image_count;              /* in IMAGES */
    uint32_t stop_count;               /* in STOPS; not 0: the process runs in a debugger ... */
    int32_t script_fd;                 /* ... whose commands are in this descriptor */
    struct control_files files;
    struct control_plan plan;
    struct control_result result;
};

_Static_assert(sizeof(struct control) <= CONTROL_HEAD_SIZE, "the head fits");
_Static_assert(sizeof(struct control_name) == 16, "control page v2");
_Static_assert(sizeof(struct control_step) == 160, "control page v8");
_Static_assert(sizeof(struct control_report) == 120, "control page v6");
_Static_assert(sizeof(struct control_module[CONTROL_MODULES_MAX]) <= CONTROL_MODULES_SIZE,
               "all modules fit into their region");
_Static_assert(sizeof(struct control_watch[CONTROL_WATCHES_MAX]) <= CONTROL_WATCHES_SIZE,
               "all watched variables fit into their region");
_Static_assert(sizeof(struct control_cover) <= CONTROL_COVER_SIZE, "all blocks fit");
_Static_assert(CONTROL_TASKS_MAX *CONTROL_PATH_SIZE <= CONTROL_TASKS_SIZE, "all paths fit");

#endif
