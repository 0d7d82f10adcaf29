/* The state of a conversion from a recording to a trace: its segments, processes and names.
 * collect.c merges the segments after the end of the run; translate.c turns each record into an
 * event. */
#ifndef CLEW_PROC_RECORD_COLLECTOR_H
#define CLEW_PROC_RECORD_COLLECTOR_H

#include "base/arena.h"
#include "proc/record/access_pieces.h"
#include "proc/record/address_names.h"
#include "proc/record/call_scopes.h"
#include "proc/record/datagram.h"
#include "proc/record/message_stats.h"
#include "proc/record/operations.h"
#include "proc/record/repeated_accesses.h"
#include "proc/record/segment_reader.h"
#include "proc/record/shared_memory.h"
#include "proc/record/sync_objects.h"
#include "trace/format.h"
#include "wire/kind.h"
#include "wire/recording.h"

/* Names of the two ends of a connection, as its process sees them. */
struct ends {
    uint32_t own, peer;
};

/* A recorded process: its tasks, and the names of its addresses. */
struct process {
    uint32_t number;
    uint32_t node; /* name */
    uint32_t pid;
    bool has_begun; /* the merge has reached its first record */
    struct naming naming;
    struct pieces pieces;
    struct sync_objects sync_objects;
    struct routines routines;
    struct map task_of_number; /* number of a task in the process to task */
    struct map connection_of;  /* number of a connection to its ends */
    struct map file_of;        /* number of a file to its name */
    VEC(struct ends) ends;
    struct map held;   /* of one that was forked: how often each of its locks is held */
    bool has_coverage; /* its coverage is in the trace */
};

/* An access of a task that another task recorded later. */
struct late {
    uint32_t epoch; /* the number of stamped records of its task before it */
    struct record record;
};

struct source {
    struct row row;
    struct process *process;
    uint32_t task;  /* in the tables */
    bool is_joined; /* the task has been waited for */
    uint64_t stamp; /* where the row stands in the merge */
    uint64_t epoch; /* stamped records taken so far */
    int64_t time;   /* when it was, as its task said last; 0: not said */
    struct operations operations;
    struct scopes scopes;
    uint32_t operation; /* the one that the trace has the task in, from 1 */
    struct repeated repeated;
    uint32_t held;         /* locks that the task holds */
    VEC(struct late) late; /* by epoch */
    size_t late_taken;
};

struct collector {
    const char *folder;
    struct tables *tables;
    struct writer *writer;
    struct notes *notes;
    struct arena arena;
    VEC(struct source) sources;
    struct map row_of; /* (process, task) to source */
    struct map forked; /* numbers of processes that began as copies of others */
    VEC(struct process *) processes;
    VEC(uint32_t) heap; /* sources, least stamp first */
    VEC(struct event) batch;
    struct names inodes; /* of pipes and Unix sockets, in order of appearance */
    uint32_t inode_none; /* the name of a Unix peer that is not known */
    struct recording page;
    struct shared_memory memory;
    struct datagrams datagrams;
    struct traffic traffic;
    struct map exec_count;       /* of a task: how often it became another program */
    uint64_t spawn_unseen_count; /* programs that were spawned and recorded nothing */
    int64_t time;                /* the latest time of day so far */
    uint64_t event_count, handler_count;
    uint64_t block_count;  /* places in the code that were reached */
    uint64_t access_count; /* recorded */
};

/* An access, or a part of memory whose accesses are lost. */
static inline bool record_is_access(const struct record *record)
{
    return record->kind == EVENT_READ || record->kind == EVENT_WRITE || record->kind == EVENT_LOST;
}

/* The bytes it touches: the rest of its word where that is not said. Only a late access may touch
 * more words than one. */
static inline uint64_t record_access_size(const struct record *record)
{
    const uint64_t room = 8 - record->object % 8;
    const bool is_said =
        record->size > 0 && (record->size < room || ((record->flags & RECORD_LATE) != 0 &&
                                                     record->size <= RECORD_LATE_SIZE_MAX));
    return is_said ? record->size : room;
}

/* c has its folder, tables, writer and notes. */
void collector_init(struct collector *c);
void collector_release(struct collector *c);

/* Finds the rows of the folder, which holds one file for each segment: a row is the files 0, 1, 2
 * ... of one task. A second call adds new segments. */
MUST_USE int collector_find(struct collector *c, struct err *e);

/* The process that this segment is of. */
struct process *collector_process(struct collector *c, const struct segment *segment);

/* An access in memory that processes share divides its words for all of them. */
void collector_divide_shared(struct collector *c);

/* The first record of the source's row is at the front: notes its task and stamp. */
void collector_begin(struct collector *c, uint32_t source);

/* Sources in the order of their stamps. */
void collector_push(struct collector *c, uint32_t source);
uint32_t collector_pop(struct collector *c);

/* ---- translate.c ---- */

/* Takes the record at the front of the row if it is no event: a module and its bias, the ends of a
 * connection, the node's name. */
void translate_note(struct collector *c, struct source *s);

/* Unix connections whose peer was unknown when the record was written. The peer's own record names
 * both ends. */
void translate_ends(struct collector *c);

/* Appends the events of a plain access of the source's task. */
MUST_USE int translate_access(struct collector *c, const struct source *s,
                              const struct record *record, struct err *e);

/* Appends the events of the record at the front of the row; then those of the late accesses of the
 * epoch that has just begun. */
MUST_USE int translate_record(struct collector *c, struct source *s, struct err *e);
MUST_USE int translate_late(struct collector *c, struct source *s, struct err *e);

/* The row has no more records. */
MUST_USE int translate_end(struct collector *c, struct source *s, struct err *e);

/* Appends an event. */
MUST_USE int translate_put(struct collector *c, const struct event *event, struct err *e);

/* Hands the events to the writer. */
MUST_USE int translate_flush(struct collector *c, struct err *e);

#endif
