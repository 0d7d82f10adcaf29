/* Rings of held reports: each process has a ring of the fields that are read often, and one ring
 * for all has the fields that only a witness needs.
 *
 *     source of p     | held | held | held |            32 bytes each, by ordinals of p
 *                         |
 *     records         | record | record | record | ..   32 bytes each, in arrival order
 *
 * With many processes every report of a source is in cold memory, so the entry is small; the
 * records are written sequentially. */
#ifndef CLEW_MONITOR_ONLINE_REPORT_RING_H
#define CLEW_MONITOR_ONLINE_REPORT_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/offline/state_history.h"
#include "wire/kind.h"

/* Of held.need_process, besides processes. */
#define NEED_NONE UINT32_MAX
#define NEED_PENDING (UINT32_MAX - 1) /* the send may still arrive */

struct held {
    int64_t time; /* never falls within a process */
    union {
        int64_t value;     /* of a variable; of a gap: the time after it */
        int64_t need_time; /* of a receive: the time of its send, if need_process is a process */
    };
    union {
        uint32_t slot;         /* the slot that it sets, or one of REPORT_... */
        uint32_t need_process; /* of a receive */
    };
    uint32_t need_low; /* of a receive: of the ordinal of its send, see held_need */
    uint32_t record;   /* of the number of its record, as many bits */
    uint16_t wanted;   /* for the online readers: a bit each */
    uint8_t kind;      /* 0: a gap */
    uint8_t flags;     /* HELD_..., written at once, so that the old value need not be read */
};

enum {
    HELD_HAS_VALUE = 1 << 0,
    HELD_IS_ORPHAN = 1 << 1, /* a receive without a send */
};

_Static_assert(sizeof(struct held) == 32, "two are in one line of the cache");

static inline bool held_is_receive(const struct held *h)
{
    return h->kind == EVENT_RECV;
}

/* The slot that it sets, or one of REPORT_... */
static inline uint32_t held_slot(const struct held *h)
{
    return held_is_receive(h) ? REPORT_NO_SLOT : h->slot;
}

/* The sender of the received message; no process when it is no receive, or the sender is unknown.
 */
static inline uint32_t held_sender(const struct held *h)
{
    return held_is_receive(h) ? h->need_process : NEED_NONE;
}

/* The ordinal of the send that a receive needs: one of 2^32 around this ordinal of the sender. More
 * are never held. */
static inline uint64_t held_need(const struct held *h, uint64_t around)
{
    return around + (uint64_t)(int64_t)(int32_t)(h->need_low - (uint32_t)around);
}

/* A process and the ring of its reports. Ordinals count them from its beginning. */
struct source {
    int64_t frontier; /* the latest time of the process; INT64_MIN: none */
    struct held *at;
    uint32_t mask; /* the capacity less one; a power of two less one */
    bool has_begun;
    uint32_t task;       /* of the last report */
    bool is_back;        /* its clock has gone back and not yet caught up */
    uint64_t end;        /* the ordinal of the next report to arrive, ... */
    uint64_t first;      /* ... of the first held, ... */
    uint64_t fed;        /* ... and of the first not yet handed on to the readers, */
    uint64_t fed_before; /* its previous value */
    uint64_t seen;       /* for the readers: the first that none has visited */
};

/* The memory of all sources: large blocks, cut into rings. With one page per process every report
 * would miss in the TLB. */
enum { RING_SIZES = 32 };

struct rings {
    VEC(char *) blocks;
    size_t block_size;              /* of the last, ... */
    size_t used;                    /* ... and the part of it in use */
    struct held *spare[RING_SIZES]; /* free rings, a list for each power of two */
};

void rings_release(struct rings *r);

void source_init(struct source *s, struct rings *r);

/* Doubles the capacity. */
void source_grow(struct source *s, struct rings *r);

static inline struct held *source_held(const struct source *s, uint64_t ordinal)
{
    return &s->at[ordinal & s->mask];
}

/* The place of the next report. */
static inline struct held *source_next(struct source *s, struct rings *r)
{
    if (s->end - s->first > s->mask) {
        source_grow(s, r);
    }
    return source_held(s, s->end);
}

/* The first report at or after this time, among the ordinals from one up to another; the upper
 * ordinal when there is none. Exponential search from `near`. */
uint64_t source_search(const struct source *s, uint64_t from, uint64_t to, uint64_t near,
                       int64_t time);

/* The fields of a report that only a witness needs. */
struct record {
    uint64_t number; /* of its event in the stream */
    int64_t hlc_time;
    uint32_t hlc_count;
    uint32_t task, name;
    bool has_hlc;
};

_Static_assert(sizeof(struct record) == 32, "what is held for every report is small");

struct records {
    struct record *at;
    uint64_t mask;       /* as of a source */
    uint64_t first, end; /* the first that may be requested, and the next */
};

void records_init(struct records *r);
void records_release(struct records *r);

static inline struct record *records_of(const struct records *r, const struct held *h)
{
    return &r->at[h->record & r->mask];
}

/* Makes space for one more: drops the records that no source holds. O(sources), when it is full. */
void records_make_room(struct records *r, const struct source *sources, uint32_t source_count);

#endif
