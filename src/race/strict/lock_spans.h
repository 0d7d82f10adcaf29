/* Spans: stretches of a task in which it holds contended locks without a gap, and the relation of
 * two events, in spans or outside, that follows without building an order.
 *
 *     T1   . . [L . . [M . M] . L] . .        one span, locks {L, M}
 *                     ^ held {L, M}
 *
 * A span is *isolated* when edges of other tasks enter it at its first event only and leave it at
 * its last only. An event is *clear* if its needs in other tasks end outside of spans. Two
 * concurrent events that are clear, in isolated spans (or in none) that have no lock in common, can
 * be side by side; docs/theory/races.md has the proof. The relation must be strict and saturated,
 * have no handlers and no wait that needs a notify, and the list must be allowed. */
#ifndef CLEW_RACE_STRICT_LOCK_SPANS_H
#define CLEW_RACE_STRICT_LOCK_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "order/hb.h"
#include "race/lockset.h"

/* A lock, and whether it is held for reading only. */
struct lock_mode {
    uint32_t lock;
    bool is_shared;
};

/* A signature: the properties that decide an event's relation to all others. */
struct lock_signature {
    uint32_t held_first, held_count; /* in lock_spans.modes: held at the event */
    uint32_t span_first, span_count; /* of the whole span, those held among them */
    bool is_sure;                    /* clear, and its span isolated */
};

struct lock_spans {
    const uint32_t *signature_of; /* per event */
    const struct lock_signature *signatures;
    uint32_t signature_count;
    const struct lock_mode *modes;
};

/* Whether spans say anything about the relation. */
bool lock_spans_apply(const struct hb *hb);

/* Finds the spans, into the arena. The relation is as above, in scope REACH_ALL with `before`.
 * O(events + joins * tasks). */
void lock_spans_build(struct lock_spans *s, const struct hb *hb, const struct held *held,
                      struct arena *a);

/* The relation of two concurrent events of different tasks with these signatures. */
enum lock_relation {
    LOCKS_EXCLUDE, /* never side by side */
    LOCKS_ALLOW,   /* side by side in some order */
    LOCKS_OPEN,    /* to be decided event by event */
};

enum lock_relation lock_spans_relate(const struct lock_spans *s, uint32_t a, uint32_t b);

#endif
