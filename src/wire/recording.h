/* The page every recorded process of one `clew record` shares: the file `recording` in the
 * recording's folder.
 *
 * Stamps come from one counter in it. A stamp is taken before an operation that lets others go on
 * (unlock, send, create) and after one that was let go on (lock, receive, join), so that the order
 * of stamps is a linear extension of what really happened. */
#ifndef CLEW_WIRE_RECORDING_H
#define CLEW_WIRE_RECORDING_H

#include <stdatomic.h>
#include <stdint.h>

#define RECORDING_MAGIC 0x31737365736c6377u /* "wclsess1" */
#define RECORDING_FILE "recording"
#define RECORDING_VARIABLE "CLEW_RECORDING" /* the environment's name for the folder */
#define ORIGIN_VARIABLE "CLEW_ORIGIN"       /* who a program was before its exec, or its parent */

enum recording_flag {
    RECORDING_ALL_ACCESSES = 1 << 0, /* do not filter accesses to words only one task uses */
    RECORDING_WATCHED = 1 << 1,      /* somebody reads along: what is committed does not grow */
    RECORDING_STACKS = 1 << 2,       /* keep the calls that led to accesses */
};

enum { RECORDING_HANDLERS_MAX = 16, RECORDING_HANDLER_SIZE = 120 };

/* A function that handles messages, and what became of it. */
struct recording_handler {
    char name[RECORDING_HANDLER_SIZE];
    _Atomic uint32_t is_found;    /* some process has a function of this name */
    _Atomic uint32_t begin_count; /* how often it was entered */
};

/* Atomic operations on memory that processes share are done and stamped under one of these, as
 * those on private memory are under a lock of their process (runtime/record/shadow/atomic.c). */
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
    _Atomic uint64_t size_pending;  /* bytes in segments */
    uint64_t size_pending_max;      /* more than that: wait a bounded time, then drop and count */
    _Atomic uint64_t dropped;       /* records given up */
    char node[128];                 /* the name of the first process */
    char folder[1024];              /* where the recording began */
    uint32_t handler_count;
    struct recording_handler handlers[RECORDING_HANDLERS_MAX];
    _Atomic uint32_t emptying; /* tasks that empty a segment, or were killed doing so */
    int64_t clock_offset_ns;   /* from the clock that never goes back to the time of day */
    uint32_t writer;           /* the process that writes the trace */
    uint32_t first_accesses;   /* of each place that are recorded in any case, below 256 */
    struct recording_atomic atomics[RECORDING_ATOMICS];
};

_Static_assert(sizeof(struct recording) <= 4096, "it is one page");

#endif
