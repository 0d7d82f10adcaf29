/* What a task has recorded: a row of files in the recording's folder, `PROCESS.TASK.NUMBER`, each a
 * page of header and then records. The task appends through a shared mapping; whatever `committed`
 * covers survives the process, however it dies. When the segment is full the task writes it into a
 * file of its own, empties the mapped one and gives it the next number; or, where somebody reads
 * along, marks it closed and maps the next. When the task ends, pages that it did not need are cut
 * off the last one. A file whose header has another number than its name is a copy that was being
 * made when its task was killed.
 *
 *   header page | record record record ... | unused
 *                                          ^ committed (bytes after the header)
 *
 * A record is 32 bytes, followed by `extra` more units of 32 bytes that belong to it; a plain
 * access that its own task tells is one word of 8 bytes (below). */
#ifndef CLEW_WIRE_SEGMENT_H
#define CLEW_WIRE_SEGMENT_H

#include <stdatomic.h>
#include <stdbool.h>
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
    uint32_t number;  /* of this segment in its row */
    uint32_t pid, tid;
    _Atomic uint64_t committed; /* bytes of whole records after the header */
    /* While the task is about to stamp a record: no stamp it takes is smaller. Lets a reader know
     * how far the merge of all rows is complete. */
    _Atomic uint64_t floor;
    _Atomic uint64_t access_count; /* accesses the task has made so far, recorded or not */
    _Atomic uint32_t is_closed;    /* nothing more will be appended here ... */
    _Atomic uint32_t is_last;      /* ... and the row ends */
    char node[128];                /* as known when the segment was made */
    char path[512];                /* the task's creation path: main/2/1 */
};

_Static_assert(sizeof(struct segment) <= SEGMENT_HEADER_SIZE, "the header is one page");

/* Kinds above those of events: what only the collector needs. */
enum record_kind {
    RECORD_MODULE = 0x80, /* object: base address; extra: build id, path */
    RECORD_NODE = 0x81,   /* extra: the new name of the process */
    RECORD_NAME = 0x82,   /* object: number of a descriptor; extra: transport (0: a file), then
                             own end, 0, peer; or the path */
    RECORD_STACK = 0x84,  /* object, size: memory that is a new thread's stack from now on */
    RECORD_SHARED = 0x85, /* object: address of a shared mapping, place: of the call that made it;
                             extra: shared_range, its name, 0, the identity of what is mapped */
    RECORD_TIME = 0x86,   /* object: when it is, in microseconds since 1970; for what follows */
    RECORD_LIFE = 0x87,   /* object: a lock, condition, barrier or semaphore that is initialized or
                             destroyed here */
    RECORD_CALL = 0x88,   /* object: a level of the task's calls, 0 the outermost; the function at
                             this level is another one. place: in it (level 0), or where the one
                             around it calls it; 0: the task is in so many functions only.
                             CALLS_LOST: from here on nothing is known of its calls */
};

/* Levels that RECORD_CALL tells of, and what it says after a jump out of functions. */
enum { CALLS_LEVELS = 16, CALLS_LOST = 0xff };

/* True for kinds of which the task says when they happen: what processes tell each other and what
 * they report. */
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

/* The mode of a record whose kind has none: a fork makes another program at once; a join is that of
 * a child process, whose pid is the value. */
enum { RECORD_OF_SPAWN = 1, RECORD_OF_CHILD = 1 };

/* The mode of an allocation's record: the object is a file descriptor that was just opened. It gets
 * its name from there, and the trace has no event. Also of a semaphore's: the object is the number
 * of an eventfd. */
enum { RECORD_OF_DESCRIPTOR = 1 };

enum record_flag {
    RECORD_HAS_VALUE = 1 << 0,
    RECORD_HAS_SIZE = 1 << 1,
    RECORD_VOID = 1 << 2, /* announced before the call, which then did nothing */
    RECORD_LATE = 1 << 3, /* an access of another task: `late` says whose, and there is no stamp */
    RECORD_HAS_ORIGIN = 1 << 4, /* of a lock: the place comes with the calls around it (origins) */
    RECORD_IS_WORD = 1 << 7,    /* not a record at all but an access in one word */
};

/* How the units behind a record begin. */
struct record_more {
    int64_t value;  /* if RECORD_HAS_VALUE */
    uint32_t size;  /* of the bytes that follow */
    uint32_t count; /* how often the same happened again; 0 for most */
};

/* An access that is another task's, made in that task's epoch (after so many stamped records). */
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
 * SITE_COUNT words that the process maps and fills: where in the program, how many bytes, read or
 * write.
 *
 *     site (16 bits) | address, upper 16 of 47 | 1 | address, lower 31
 *
 * A site below SITE_FIRST is none: the word is RECORD_CALL of level site + 1, and the address is
 * the place. */
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

/* A place may be said together with the path of calls that led to it: path (13 bits) | address
 * (47). A path is an entry in the file `PROCESS.calls`, a table of CALLS_COUNT words; 0 is none.
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

/* The place of an allocation or a release of memory, and that of a lock where no paths of calls are
 * kept, comes with the calls around it: list of calls
 * (16 bits) | address (47). A list is an entry in the file `PROCESS.origins`, a table of
 * ORIGINS_COUNT words; 0 is none.
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

/* An entry of the table of sites: place, path included (60 bits) | bytes - 1 (3) | is it a write
 * (1). 0: none. */
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
    uint64_t size, offset; /* of the mapping; in what is mapped */
};

/* Behind the record of a lock on a part of a file. */
struct lock_range {
    int64_t start, size; /* size 0: to the end */
};

_Static_assert(sizeof(struct record) == RECORD_SIZE, "wire format v1");

#endif
