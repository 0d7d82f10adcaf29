/* Reports as they come, held as long as they matter.
 *
 * Events of a process come in its order, those of different processes in any. What is wrong with
 * them is noted as chronicle_build does: numbers that are missing or repeated, clocks that go back,
 * differ by more than the skew or are not there, receives without a send.
 *
 * The horizon is up to where nothing can come any more: the least time that some process was heard
 * of last, and before each receive whose send may still come. A process that is behind all others
 * by more than the lag is not waited for; what comes from it then is late. */
#ifndef CLEW_MONITOR_INTAKE_H
#define CLEW_MONITOR_INTAKE_H

#include "base/notes.h"
#include "monitor/chronicle.h"
#include "monitor/sequence.h"
#include "wire/kind.h"

/* Of held.need_process, besides processes. */
#define NEED_NONE UINT32_MAX
#define NEED_PENDING (UINT32_MAX - 1) /* the send may still come */

struct held {
    int64_t time; /* never falls within a process */
    union {
        int64_t value;     /* of a variable; of a gap: the time after it */
        int64_t need_time; /* of a receive: when it was sent, if need_process is a process */
    };
    uint64_t number;       /* of its event in the stream */
    uint64_t need_ordinal; /* of the send of what it receives, if need_process is a process */
    uint32_t task, name;
    union {
        uint32_t slot;         /* whose value it sets, or one of REPORT_... */
        uint32_t need_process; /* of a receive */
    };
    uint16_t wanted; /* for who reads along: a bit each */
    uint8_t kind;    /* 0: a gap */
    uint8_t flags;   /* HELD_..., written at once: what was there need not be read */
};

enum {
    HELD_HAS_VALUE = 1 << 0,
    HELD_IS_ORPHAN = 1 << 1, /* a receive without a send */
};

_Static_assert(sizeof(struct held) == 48, "what is held for every report is small");

static inline bool held_is_receive(const struct held *h)
{
    return h->kind == EVENT_RECV;
}

/* Whose value it sets, or one of REPORT_... */
static inline uint32_t held_slot(const struct held *h)
{
    return held_is_receive(h) ? REPORT_NO_SLOT : h->slot;
}

/* Who sent what it receives; no process when it is no receive, or that is not known. */
static inline uint32_t held_sender(const struct held *h)
{
    return held_is_receive(h) ? h->need_process : NEED_NONE;
}

/* A process, and its reports: a ring. Ordinals count them from its beginning. */
struct source {
    int64_t frontier; /* INT64_MIN: nothing was heard of it */
    struct held *at;
    uint64_t mask;  /* how many there is room for, less one; a power of two */
    uint64_t first; /* the ordinal of the first that is held, ... */
    uint64_t fed;   /* ... of the first that was not handed on to who reads along, ... */
    uint64_t end;   /* ... and of the next that comes */
    bool has_begun;
};

static inline struct held *source_held(const struct source *s, uint64_t ordinal)
{
    return &s->at[ordinal & s->mask];
}

/* Where a message was sent. */
struct sending {
    uint64_t ordinal;
    int64_t time;
    uint32_t process;
    bool is_sent, is_awaited;
};

/* A receive whose send may still come. */
struct waiting_receive {
    uint32_t process;
    uint64_t ordinal;
};

/* Where reports are missing. */
struct held_gap {
    uint32_t process;
    uint64_t ordinal;
    int64_t begin, end; /* the times around it */
};

struct intake {
    const struct spec *spec;
    const struct bound *bound;
    const struct tables *tables;
    struct notes *notes;
    int64_t skew, lag;
    bool is_logical;

    VEC(uint32_t) process_of; /* per task; UINT32_MAX: of no known process */
    struct source *sources;   /* per process */
    uint32_t process_count;
    uint32_t variable_count;
    uint32_t *slot_of;         /* per process and variable of the specification */
    VEC(uint32_t) variable_of; /* per name: 0 not looked up, 1 none, else 2 + variable */
    VEC(struct sending) sent;  /* per name of a message */

    struct numbered *numbered; /* per process */
    VEC(struct waiting_receive) pending;
    uint64_t held_count;       /* reports of all processes */
    VEC(struct held_gap) gaps; /* that are held */
    uint64_t event_count;
    int64_t newest;  /* the latest time heard of */
    int64_t decided; /* cuts up to here were decided: what comes before is late */
    uint64_t message_count, gap_count, late_count;
    uint64_t doubts; /* as of a chronicle */
};

/* The slots of the specification, as bound to processes with these tasks. */
void intake_init(struct intake *in, const struct chronicle *processes, const struct spec *s,
                 const struct tables *t, struct notes *n);
void intake_release(struct intake *in);

/* Takes the next event of the stream. */
void intake_take(struct intake *in, const struct event *e);

/* The event is taken soon: has the place of its report brought near. With many processes that is
 * always one that was not looked at for long. */
static inline void intake_expect(const struct intake *in, const struct event *e)
{
    const uint32_t process =
        e->task < in->process_of.count ? in->process_of.at[e->task] : UINT32_MAX;
    if (process != UINT32_MAX) {
        const struct source *source = &in->sources[process];
        const struct held *held = source_held(source, source->end);
        __builtin_prefetch(held, 1);
        __builtin_prefetch((const char *)(held + 1) - 1, 1);
    }
}

/* Forgets the reports of the process before this one. */
void intake_drop(struct intake *in, uint32_t process, uint64_t ordinal);

/* As stream_keep_names; the lag has an end. */
void intake_keep_names(struct intake *in, struct bits is_kept);

/* The time before which nothing comes any more; INT64_MAX when the stream has ended. */
int64_t intake_horizon(struct intake *in, bool is_end);

#endif
