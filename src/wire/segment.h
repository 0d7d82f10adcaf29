/* What a task has recorded: a row of files in the recording's folder, `PROCESS.TASK.NUMBER`, each a
 * page of header and then records. The task appends through a shared mapping; whatever `committed`
 * covers survives the process, however it dies. When one is full the task makes the next and marks
 * the old one closed.
 *
 *   header page | record record record ... | unused
 *                                          ^ committed (bytes after the header)
 *
 * A record is 32 bytes, followed by `extra` more units of 32 bytes that belong to it. */
#ifndef CLEW_WIRE_SEGMENT_H
#define CLEW_WIRE_SEGMENT_H

#include <stdatomic.h>
#include <stdint.h>

#define SEGMENT_MAGIC 0x316765736c6377u /* "wclseg1" */

enum {
    SEGMENT_HEADER_SIZE = 4096,
    SEGMENT_SIZE = 1 << 20,
    RECORD_SIZE = 32,
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
    _Atomic uint32_t is_closed; /* nothing more will be appended here ... */
    _Atomic uint32_t is_last;   /* ... and the row ends */
    char node[128];             /* as known when the segment was made */
    char path[512];             /* the task's creation path: main/2/1 */
};

_Static_assert(sizeof(struct segment) <= SEGMENT_HEADER_SIZE, "the header is one page");

/* Kinds above those of events: what only the collector needs. */
enum record_kind {
    RECORD_MODULE = 0x80, /* object: base address; extra: build id, path */
    RECORD_NODE = 0x81,   /* extra: the new name of the process */
    RECORD_NAME = 0x82,   /* object: number of a descriptor; extra: transport (0: a file), then
                             own end, 0, peer; or the path */
    RECORD_FILTER = 0x83, /* counts of what was not recorded */
    RECORD_STACK = 0x84,  /* object, size: memory that is a new thread's stack from now on */
    RECORD_SHARED = 0x85, /* object: address of a shared mapping; extra: shared_range, its name */
};

enum record_flag {
    RECORD_HAS_VALUE = 1 << 0,
    RECORD_HAS_SIZE = 1 << 1,
    RECORD_VOID = 1 << 2, /* announced before the call, which then did nothing */
};

/* How the units behind a record begin. */
struct record_more {
    int64_t value;  /* if RECORD_HAS_VALUE */
    uint32_t size;  /* of the bytes that follow */
    uint32_t count; /* how often the same happened again; 0 for most */
};

struct record {
    uint8_t kind;    /* enum event_kind or record_kind */
    uint8_t mode;    /* enum event_mode */
    uint8_t extra;   /* units of 32 bytes that follow */
    uint8_t flags;   /* enum record_flag */
    uint32_t size;   /* bytes, when it has one; saturates */
    uint64_t stamp;  /* 0 for plain accesses */
    uint64_t object; /* address, descriptor ... by kind */
    uint64_t place;  /* program counter */
};

/* Behind an access record: it is another task's, made in that task's epoch (after so many stamped
 * records). */
struct record_late {
    uint32_t task;
    uint32_t epoch;
};

/* Behind RECORD_SHARED, before the mapping's name. */
struct shared_range {
    uint64_t size, offset; /* of the mapping; in the file */
};

/* Behind the record of a lock on a part of a file. */
struct lock_range {
    int64_t start, size; /* size 0: to the end */
};

_Static_assert(sizeof(struct record) == RECORD_SIZE, "wire format v1");

#endif
