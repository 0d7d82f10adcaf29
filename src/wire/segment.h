/* The layout of a recording's segments: the files in which one task of a recorded process writes
 * its records. The recorder appends (runtime/record/log/append.c); clew reads and merges
 * (proc/record/segment_reader.c).
 *
 * Each task has a sequence of segments, `PROCESS.TASK.NUMBER` in the recording's folder. The task
 * maps the current one MAP_SHARED, so all committed records survive the process, however it dies.
 *
 *   header page | record record record ... | unused
 *                                          ^ committed (bytes after the header)
 *
 * The protocol has one writer, the task, and one reader, clew:
 *
 *   append   the task writes the record, then stores `committed` (release). The reader loads
 *            `committed` (acquire): every record below it is whole.
 *   full     the task writes a copy of the mapped segment into a new file, exchanges the names of
 *            the two files, sets `committed` of the mapped one to 0 and increments its number. If
 *            clew reads during the run (RECORDING_WATCHED), the task sets `is_closed` and maps a
 *            new file instead.
 *   end      the task sets `is_last` and `is_closed`, and cuts unused pages off the file.
 *   killed   a task killed while it copied leaves two files with the same records. The header of
 *            one has another number than its name: the reader ignores that file.
 *
 * A record is 32 bytes, followed by `extra` more units of 32 bytes that belong to it. A plain
 * access of the task itself is one word of 8 bytes instead (access_word, below). */
#ifndef CLEW_WIRE_SEGMENT_H
#define CLEW_WIRE_SEGMENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/kind.h"

#define SEGMENT_MAGIC 0x316765736c6377u /* "wclseg1" */

enum {
    SEGMENT_HEADER_SIZE = 4096,
    SEGMENT_SIZE = 1 << 20,
    SEGMENT_ROOM = SEGMENT_SIZE - SEGMENT_HEADER_SIZE,
    RECORD_SIZE = 32,
    RECORD_ALIGNMENT = 8,           /* records begin at multiples of it */
    RECORD_LATE_SIZE_MAX = 1 << 20, /* bytes of accesses that one late record stands for */
};

#define SEGMENT_FLOOR_NONE UINT64_MAX

struct segment {
    uint64_t magic;
    uint32_t version; /* WIRE_VERSION */
    uint32_t process; /* number in the recording */
    uint32_t task;    /* number in the process */
    uint32_t number;  /* of this segment among the task's, from 0 */
    uint32_t pid, tid;
    _Atomic uint64_t committed; /* bytes of whole records after the header */
    /* A lower bound on the stamp of the record that the task is writing, SEGMENT_FLOOR_NONE if it
     * writes none. The reader merges records of all tasks up to the smallest floor: no smaller
     * stamp can still arrive. */
    _Atomic uint64_t floor;
    _Atomic uint64_t access_count; /* accesses the task has made so far, recorded or not */
    _Atomic uint32_t is_closed;    /* the task appends no more records to this segment ... */
    _Atomic uint32_t is_last;      /* ... and starts no further one */
    char node[128];                /* the node's name when the segment was created */
    char path[512];                /* the task's creation path: main/2/1 */
};

_Static_assert(sizeof(struct segment) <= SEGMENT_HEADER_SIZE, "the header is one page");

/* Kinds of records for the collector alone (proc/record/); their numbers are above those of event
 * kinds. */
enum record_kind {
    RECORD_MODULE = 0x80, /* object: base address; extra: build id, path */
    RECORD_NODE = 0x81,   /* extra: the new name of the process */
    RECORD_NAME = 0x82,   /* object: number of a descriptor; extra: transport (0: a file), then
                             own end, 0, peer; or the path */
    RECORD_STACK = 0x84,  /* object, size: memory that is a new thread's stack from now on */
    RECORD_SHARED = 0x85, /* object: address of a shared mapping, place: of the call that made it;
                             extra: shared_range, its name, 0, the identity of the mapped object */
    RECORD_TIME = 0x86,   /* object: the time of day of the following records, in microseconds since
                             1970 */
    RECORD_LIFE = 0x87,   /* object: a lock, condition, barrier or semaphore that is initialized or
                             destroyed here */
    RECORD_CALL = 0x88,   /* object: a level of the task's call stack, 0 the outermost; the function
                             at this level has changed. place: an address in it (level 0), or of the
                             call in its caller; 0: the stack has no deeper level.
                             CALLS_LOST: the stack is unknown from here on */
};

/* The levels of the call stack that RECORD_CALL follows, and its object after a longjmp or an
 * exception, when the stack is unknown. */
enum { CALLS_LEVELS = 16, CALLS_LOST = 0xff };

/* True for kinds whose events carry a time of day: messages between processes, their starts and
 * ends, and reports of the program. */
static inline bool record_is_timed(unsigned kind)
{
    switch (kind) {
    case EVENT_PROCESS_START:
    case EVENT_PROCESS_FORK:
    case EVENT_PROCESS_EXEC:
    case EVENT_PROCESS_EXIT:
    case EVENT_CONNECT:
    case EVENT_ACCEPT:
    case EVENT_SEND:
    case EVENT_RECV:
    case EVENT_CLOSE:
    case EVENT_SHUTDOWN:
    case EVENT_HANDLER_BEGIN:
    case EVENT_HANDLER_END:
    case EVENT_VARIABLE:
    case EVENT_VARIABLE_DELETE:
    case EVENT_LOG: return true;
    default: return false;
    }
}

/* The mode of a record whose kind has none. RECORD_OF_SPAWN: the child of this fork executes
 * another program at once. RECORD_OF_CHILD: this join waits for a child process, whose pid is the
 * value. */
enum { RECORD_OF_SPAWN = 1, RECORD_OF_CHILD = 1 };

/* The mode of an allocation's record whose object is a file descriptor that was just opened. The
 * record gives the descriptor its name, and the trace has no event for it. A semaphore's record
 * has the mode too: its object is then the number of an eventfd. No
 * mode of an event has this number. */
enum { RECORD_OF_DESCRIPTOR = 0x80 };

enum record_flag {
    RECORD_HAS_VALUE = 1 << 0,
    RECORD_HAS_SIZE = 1 << 1,
    RECORD_VOID = 1 << 2, /* written before a call that then failed: no event */
    RECORD_LATE = 1 << 3, /* an access of another task: `late` names it, and there is no stamp */
    RECORD_HAS_ORIGIN = 1 << 4, /* of a lock: `place` includes a list of calls (ORIGINS_BITS) */
    RECORD_IS_WORD = 1 << 7,    /* this is no record but an access in one word */
};

/* The beginning of the units behind a record. */
struct record_more {
    int64_t value;  /* if RECORD_HAS_VALUE */
    uint32_t size;  /* of the bytes that follow */
    uint32_t count; /* further repetitions of the same event that this record stands for */
};

/* The access was made by another task, in this epoch: the number of stamped records that the task
 * had written before it. */
struct record_late {
    uint32_t task;
    uint32_t epoch;
};

struct record {
    uint8_t kind;  /* enum event_kind or record_kind */
    uint8_t mode;  /* enum event_mode */
    uint8_t extra; /* units of 32 bytes that follow */
    uint8_t flags; /* enum record_flag */
    uint32_t size; /* bytes, when it has one; saturates */
    union {
        uint64_t stamp;          /* 0 for plain accesses */
        struct record_late late; /* if RECORD_LATE */
    };
    uint64_t object; /* address, descriptor ... by kind */
    uint64_t place;  /* program counter */
};

/* A plain access in one word. Its site is an entry in the file `PROCESS.sites`, a table of
 * SITE_COUNT words that the process maps and fills: the place in the program, the size, and whether
 * the access writes.
 *
 *     site (16 bits) | address, upper 16 of 47 | 1 | address, lower 31
 *
 * The bit between the two parts of the address is 1 in every word and 0 in the same place of a
 * record (its flags lack RECORD_IS_WORD), which tells words from records. A site below SITE_FIRST
 * is none: the word stands for a RECORD_CALL of level site + 1, and the address is the place. */
enum { ADDRESS_BITS = 47, SITE_BITS = 16, SITE_COUNT = 1 << SITE_BITS, SITE_FIRST = CALLS_LEVELS };
#define SITES_SUFFIX ".sites"

static inline uint64_t access_word(uint64_t site, uint64_t address)
{
    const uint64_t low = address & 0x7fffffff;
    return site << 48 | (address - low) << 1 | UINT64_C(1) << 31 | low;
}

static inline uint64_t access_word_site(uint64_t word)
{
    return word >> 48;
}

static inline uint64_t access_word_address(uint64_t word)
{
    return (word & 0x7fffffff) | (word >> 32 & 0xffff) << 31;
}

/* The place of a site may include the call path that led to it: path (13 bits) | address (47). A
 * path is an entry in the file `PROCESS.calls`, a table of CALLS_COUNT words; 0 is none.
 *
 *     path of the caller (13 bits) | place of the call (47) */
enum { CALLS_BITS = 13, CALLS_COUNT = 1 << CALLS_BITS };
#define CALLS_SUFFIX ".calls"

static inline uint64_t calls_entry(uint64_t parent, uint64_t place)
{
    return parent << ADDRESS_BITS | place;
}

static inline uint64_t calls_place_of(uint64_t entry)
{
    return entry & ((UINT64_C(1) << ADDRESS_BITS) - 1);
}

static inline uint64_t calls_path_of(uint64_t entry)
{
    return entry >> ADDRESS_BITS & (CALLS_COUNT - 1);
}

/* The place of an allocation or a release of memory includes the calls around it: list of calls (16
 * bits) | address (47). So does the place of a lock in a recording without call paths. A list is
 * an entry in the file `PROCESS.origins`, a table of ORIGINS_COUNT words; 0 is none.
 *
 *     list of the calls further in (16 bits) | place of the call (47) */
enum { ORIGINS_BITS = 16, ORIGINS_COUNT = 1 << ORIGINS_BITS };
#define ORIGINS_SUFFIX ".origins"

static inline uint64_t origin_entry(uint64_t list, uint64_t place)
{
    return list << ADDRESS_BITS | place;
}

static inline uint64_t origin_list_of(uint64_t entry)
{
    return entry >> ADDRESS_BITS & (ORIGINS_COUNT - 1);
}

/* An entry of the table of sites: place with its path (60 bits) | bytes - 1 (3) | is a write (1).
 * 0: none. */
static inline uint64_t site_entry(uint64_t place, uint64_t size, bool is_write)
{
    return place << 4 | (size - 1) << 1 | (uint64_t)is_write;
}

static inline uint64_t site_place(uint64_t entry)
{
    return entry >> 4;
}

static inline uint32_t site_size(uint64_t entry)
{
    return (uint32_t)(entry >> 1 & 7) + 1;
}

static inline bool site_is_write(uint64_t entry)
{
    return (entry & 1) != 0;
}

/* Behind RECORD_SHARED, before the mapping's name. */
struct shared_range {
    uint64_t size, offset; /* of the mapping; in the mapped object */
};

/* Behind the record of a lock on a part of a file. */
struct lock_range {
    int64_t start, size; /* size 0: to the end */
};

_Static_assert(sizeof(struct record) == RECORD_SIZE, "wire format v1");
_Static_assert(offsetof(struct record, flags) == 3, "bit 31 of a record is RECORD_IS_WORD");
_Static_assert((uint32_t)RECORD_IS_WORD << 24 == UINT32_C(1) << 31, "bit 31 of a word is 1");
_Static_assert(sizeof(struct record_more) <= RECORD_SIZE, "it fits into the first unit");
_Static_assert(SEGMENT_ROOM % RECORD_ALIGNMENT == 0, "words fill a segment");
_Static_assert(SITE_BITS + ADDRESS_BITS + 1 == 64, "a word holds site, address and its mark");
_Static_assert(CALLS_BITS + ADDRESS_BITS + 4 == 64, "a site holds path, place, size and write");
_Static_assert(ORIGINS_BITS + ADDRESS_BITS <= 64, "an origin holds list and place");
_Static_assert((int)RECORD_MODULE >= (int)KIND_LIMIT, "no event has the number of a record's kind");

#endif
