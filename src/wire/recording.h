/* The page that all recorded processes of one `clew record` share: the file `recording` in the
 * recording's folder. It holds the global counter of stamps, the limits on memory, and the names of
 * message handlers.
 *
 * A stamp is a number that a task draws from the counter with one atomic increment. A task draws
 * the stamp before an operation that releases (unlock, send, create) and after an operation that
 * acquires (lock, receive, join). So a release always has a smaller stamp than the acquire that it
 * allowed, and the order of stamps is a linear extension of happens-before in the execution. */
#ifndef CLEW_WIRE_RECORDING_H
#define CLEW_WIRE_RECORDING_H

#include <stdatomic.h>
#include <stdint.h>

#define RECORDING_MAGIC 0x31737365736c6377u /* "wclsess1" */
#define RECORDING_FILE "recording"
#define RECORDING_VARIABLE "CLEW_RECORDING" /* the environment's name for the folder */
#define ORIGIN_VARIABLE "CLEW_ORIGIN"       /* the process before its exec, or its parent */

enum recording_flag {
    RECORDING_ALL_ACCESSES = 1 << 0, /* do not filter accesses to words only one task uses */
    RECORDING_WATCHED = 1 << 1,      /* clew reads during the run: committed bytes never change */
    RECORDING_STACKS = 1 << 2,       /* keep the calls that led to accesses */
};

enum { RECORDING_HANDLERS_MAX = 16, RECORDING_HANDLER_SIZE = 120 };

/* A function that handles messages, as the user named it, and whether it was seen. */
struct recording_handler {
    char name[RECORDING_HANDLER_SIZE];
    _Atomic uint32_t is_found;    /* some process has a function of this name */
    _Atomic uint32_t begin_count; /* how often it was entered */
};

/* A spin lock for atomic operations on memory that processes share. A task executes the operation
 * and draws its stamp while it holds the lock, so that the order of stamps is the modification
 * order. Private memory has locks inside its process (runtime/record/shadow/atomic.c). */
enum { RECORDING_ATOMICS = 32 };
struct recording_atomic {
    _Atomic uint64_t holder; /* process and task; 0: free */
    uint64_t version;        /* operations that wrote, under this lock */
};

struct recording {
    uint64_t magic;
    uint32_t version;               /* WIRE_VERSION */
    uint32_t flags;                 /* enum recording_flag */
    _Atomic uint64_t stamp;         /* the next one */
    _Atomic uint32_t process_count; /* numbers handed to processes */
    _Atomic uint32_t is_closed;     /* the recording has ended: write nothing more */
    _Atomic uint64_t size_pending;  /* bytes in segments that clew has not merged yet */
    uint64_t size_pending_max;      /* more than that: wait a bounded time, then drop and count */
    _Atomic uint64_t dropped;       /* records lost because the limit was reached */
    char node[128];                 /* the name of the first process */
    char folder[1024];              /* where the recording began */
    uint32_t handler_count;
    struct recording_handler handlers[RECORDING_HANDLERS_MAX];
    _Atomic uint32_t emptying; /* tasks that empty a segment, or were killed doing so */
    int64_t clock_offset_ns;   /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
    uint32_t writer;           /* the process that writes the trace */
    uint32_t first_accesses;   /* accesses of each place that are always recorded; < 256 */
    struct recording_atomic atomics[RECORDING_ATOMICS];
};

_Static_assert(sizeof(struct recording) <= 4096, "it is one page");

#endif
