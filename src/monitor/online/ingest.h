/* Reports as they come, held as long as they matter.
 *
 * Events of a process come in its order, those of different processes in any. What is wrong with
 * them is noted as state_history_build does: numbers that are missing, repeated or out of order,
 * clocks that go back, differ by more than the skew or are not there, receives without a send. From
 * the moment that a clock goes back until it shows later times again, reports count as missing.
 *
 * The horizon is up to where nothing can come any more: the least time that some process was heard
 * of last, and before each receive whose send may still come. A process that is behind all others
 * by more than the lag is not waited for; what comes from it then is late. One that was not heard
 * of yet has been behind since the first time heard of. */
#ifndef CLEW_MONITOR_ONLINE_INGEST_H
#define CLEW_MONITOR_ONLINE_INGEST_H

#include "base/notes.h"
#include "monitor/online/report_ring.h"
#include "monitor/sequence_numbers.h"

/* Where a message was sent; or who waits for it. */
struct sending {
    uint64_t ordinal;
    int64_t time;
    union {
        uint32_t process;
        uint32_t waiting; /* if it is awaited: the last of ingest.pending that waits for it */
    };
    bool is_sent, is_awaited, is_received;
};

/* A receive whose send may still come. */
struct waiting_receive {
    uint32_t process; /* UINT32_MAX: it has come */
    uint32_t before;  /* the one before that waits for the same; UINT32_MAX: none */
    uint64_t ordinal;
};

/* Where reports are missing. */
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

/* A receive that, by the clocks, was earlier than its send. */
struct skewed {
    uint64_t ordinal;
    uint32_t process;
    struct needed need;
};

/* A report that came before others which are missing: they may still come. */
struct early {
    struct event event;
    uint64_t number; /* of the event in the stream */
};

typedef VEC(struct early) early_list;

struct ingest {
    const struct spec *spec;
    const struct bound *bound;
    const struct tables *tables;
    struct notes *notes;
    int64_t skew, lag;
    bool is_logical;

    VEC(uint32_t) process_of; /* per task; UINT32_MAX: of no known process */
    struct map process_at;    /* from the name of a node to the process that it is */
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
    uint64_t early_count;      /* of all */
    VEC(struct waiting_receive) pending;
    VEC(struct skewed) skewed; /* that are held */
    uint64_t held_count;       /* reports of all processes */
    VEC(struct held_gap) gaps; /* that are held */
    uint64_t event_count;
    int64_t begun;   /* the first time heard of, if there is a newest */
    int64_t newest;  /* the latest time heard of; INT64_MIN: none */
    int64_t decided; /* cuts up to here were decided: what comes before is late */
    uint64_t message_count, gap_count, late_count;
    uint64_t stranger_count;  /* events of processes that are not known */
    uint64_t doubts;          /* as of a history */
    uint64_t unmatched_count; /* messages without a name, or with that of another on its way */
    bool has_threads;         /* as of a history: a stream does not tell what orders tasks */
};

/* The slots of the specification, as bound to processes with these tasks. */
void ingest_init(struct ingest *in, const struct state_history *processes, const struct spec *s,
                 const struct tables *t, struct notes *n);
void ingest_release(struct ingest *in);

/* The process that the event is of; UINT32_MAX: of none that is known, or of a task that was not
 * met yet. */
static inline uint32_t ingest_process(const struct ingest *in, const struct event *e)
{
    return e->task < in->process_of.count ? in->process_of.at[e->task] : UINT32_MAX;
}

/* The tasks up to this one are in the tables now: those of known nodes are of their processes. */
void ingest_meet(struct ingest *in, uint32_t task);

/* When the event was: by its physical clock or, without one or if that is what counts, by its
 * hybrid one. False when it has neither. */
static inline bool ingest_time(const struct event *e, bool is_logical, int64_t *time)
{
    const bool is_physical = !is_logical && (e->has & HAS_TIME) != 0;
    *time = is_physical ? e->time : e->hlc_time;
    return is_physical || (e->has & HAS_HLC) != 0;
}

/* Takes the next event of the stream, which is of this process.
 * One whose number says that others are missing before it is held until these have come, or it is
 * behind by more than the lag. */
void ingest_take(struct ingest *in, const struct event *e, uint32_t process);

/* The event is taken soon: has the place of its report brought near. With many processes that is
 * always one that was not looked at for long. */
static inline void ingest_expect(const struct ingest *in, const struct event *e)
{
    const uint32_t process = ingest_process(in, e);
    if (process != UINT32_MAX) {
        const struct source *source = &in->sources[process];
        __builtin_prefetch(source_held(source, source->end), 1);
    }
}

/* Hands the reports before this time on. O(processes), and little for each report. */
void ingest_feed(struct ingest *in, int64_t horizon);

/* Forgets the reports of the process before this one. */
void ingest_drop(struct ingest *in, uint32_t process, uint64_t ordinal);

/* As stream_keep_names; the lag has an end. */
void ingest_keep_names(struct ingest *in, struct bits is_kept);

/* The time before which nothing comes any more; INT64_MAX when the stream has ended. */
int64_t ingest_horizon(struct ingest *in, bool is_end);

#endif
