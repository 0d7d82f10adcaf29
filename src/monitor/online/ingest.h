/* Ingest: accepts the reports of a stream and holds them as long as they matter.
 *
 * Events of a process arrive in its order, those of different processes in any. Ingest notes the
 * same faults as state_history_build: numbers that are missing, repeated or out of order, clocks
 * that go back, differ by more than the skew or are missing, and receives without a send. From the
 * moment that a clock goes back until it has caught up, reports count as missing.
 *
 * The horizon is the time before which no report can arrive any more: the least of the latest times
 * of all processes, and before each receive whose send may still arrive. A process that is behind
 * all others by more than the lag is not waited for; its reports are late then. A silent process
 * has been behind since the first time of the stream. */
#ifndef CLEW_MONITOR_ONLINE_INGEST_H
#define CLEW_MONITOR_ONLINE_INGEST_H

#include "base/notes.h"
#include "monitor/online/report_ring.h"
#include "monitor/sequence_numbers.h"

/* The send of a message, or the receives that wait for it. */
struct sending {
    uint64_t ordinal;
    int64_t time;
    union {
        uint32_t process;
        uint32_t waiting; /* if it is awaited: the last of ingest.pending that waits for it */
    };
    bool is_sent, is_awaited, is_received;
};

/* A receive whose send may still arrive. */
struct waiting_receive {
    uint32_t process; /* UINT32_MAX: it has arrived */
    uint32_t before;  /* the previous receive that waits for the same; UINT32_MAX: none */
    uint64_t ordinal;
};

/* An interval in which reports are missing. */
struct held_gap {
    uint32_t process;
    uint64_t ordinal;
    int64_t begin, end; /* the times around it */
};

/* The report of a process that a receive of another needs. */
struct needed {
    uint64_t ordinal;
    uint32_t process;
};

/* A receive that precedes its send by the clocks. */
struct skewed {
    uint64_t ordinal;
    uint32_t process;
    struct needed need;
};

/* A report that arrived before missing ones, which may still arrive. */
struct early {
    struct event event;
    uint64_t number; /* of the event in the stream */
};

typedef VEC(struct early) early_list;

/* The counts of the summary of a stream. */
struct stream_counts {
    uint64_t events, messages, gaps, late;
    uint64_t strangers; /* events of unknown processes */
    uint64_t doubts;    /* as in a state history */
    uint64_t unmatched; /* messages without a name, or with the name of another in transit */
};

struct ingest {
    const struct spec *spec;
    const struct bound *bound;
    const struct tables *tables;
    struct notes *notes;
    int64_t skew, lag;
    bool is_logical;

    VEC(uint32_t) process_of; /* per task; UINT32_MAX: its process is unknown */
    struct map process_at;    /* from the name of a node to its process */
    struct source *sources;   /* per process */
    struct rings rings;
    struct records records;
    uint32_t process_count;
    uint32_t variable_count;
    uint32_t *slot_of;         /* per process and variable of the specification */
    VEC(uint32_t) variable_of; /* per name: 0 not looked up, 1 none, else 2 + variable */
    VEC(struct sending) sent;  /* per name of a message */

    struct numbered *numbered; /* per process */
    early_list *early;         /* per process, by number */
    uint64_t early_count;      /* of all processes */
    VEC(struct waiting_receive) pending;
    VEC(struct skewed) skewed; /* still held */
    uint64_t held_count;       /* reports of all processes */
    VEC(struct held_gap) gaps; /* still held */
    struct stream_counts counts;
    int64_t begun;    /* the first time of the stream, if there is a newest */
    int64_t newest;   /* the latest time of the stream; INT64_MIN: none */
    int64_t decided;  /* cuts up to here were decided: earlier reports are late */
    bool has_threads; /* as in a state history: a stream does not say which edges order tasks */
};

/* The slots of the specification, as bound to processes with these tasks. */
void ingest_init(struct ingest *in, const struct state_history *processes, const struct spec *s,
                 const struct tables *t, struct notes *n);
void ingest_release(struct ingest *in);

/* The process of the event; UINT32_MAX: unknown, or of a task not met yet. */
static inline uint32_t ingest_process(const struct ingest *in, const struct event *e)
{
    return e->task < in->process_of.count ? in->process_of.at[e->task] : UINT32_MAX;
}

/* Registers the tasks up to this one, which are in the tables now: tasks of known nodes belong to
 * their processes. */
void ingest_meet(struct ingest *in, uint32_t task);

/* The time of the event: its physical clock or, without one or if logical time counts, its hybrid
 * one. False when it has neither. */
static inline bool ingest_time(const struct event *e, bool is_logical, int64_t *time)
{
    const bool is_physical = !is_logical && (e->has & HAS_TIME) != 0;
    *time = is_physical ? e->time : e->hlc_time;
    return is_physical || (e->has & HAS_HLC) != 0;
}

/* Accepts the next event of the stream, which belongs to this process. An event whose number says
 * that others are missing before it is held until these have arrived, or it is behind by more than
 * the lag. */
void ingest_take(struct ingest *in, const struct event *e, uint32_t process);

/* Prefetches the ring slot of an event that ingest_take gets soon. With many processes that slot is
 * always cold. */
static inline void ingest_expect(const struct ingest *in, const struct event *e)
{
    const uint32_t process = ingest_process(in, e);
    if (process != UINT32_MAX) {
        const struct source *source = &in->sources[process];
        __builtin_prefetch(source_held(source, source->end), 1);
    }
}

/* Hands on the reports before this time. O(processes), and amortized O(1) for each report. */
void ingest_feed(struct ingest *in, int64_t horizon);

/* Forgets the reports of the process before this one. */
void ingest_drop(struct ingest *in, uint32_t process, uint64_t ordinal);

/* As stream_keep_names; the lag must be finite. */
void ingest_keep_names(struct ingest *in, struct bits is_kept);

/* The time before which no report arrives any more; INT64_MAX when the stream has ended. */
int64_t ingest_horizon(struct ingest *in, bool is_end);

#endif
