/* Whether the reports of each process are all there, once and in order, by the numbers that they
 * carry (an event's count). A process that begins anew counts anew. */
#ifndef CLEW_MONITOR_SEQUENCE_H
#define CLEW_MONITOR_SEQUENCE_H

#include "base/bits.h"
#include "base/notes.h"
#include "trace/trace.h"

enum sequence_place {
    SEQUENCE_NEXT,     /* it comes next, or has no number */
    SEQUENCE_GAP,      /* others are missing before it */
    SEQUENCE_REPEATED, /* it came before */
    SEQUENCE_LATE,     /* it was missing, and comes after later ones */
};

enum { SEQUENCE_GAPS_KEPT = 16 };

/* How far the numbers of one process have come, and what may still come late. {0} before the first.
 */
struct numbered {
    bool has_begun;
    uint32_t next; /* the number that comes next */
    uint32_t gap_count;
    struct {
        uint32_t from, count;
    } gaps[SEQUENCE_GAPS_KEPT]; /* the last few: a ring */
};

/* Where the event stands among those of its process; *missing is how many a GAP is. */
enum sequence_place sequence_take(struct numbered *p, const struct event *e, uint32_t *missing);

/* Notes what is not SEQUENCE_NEXT, at this event. */
void sequence_note(enum sequence_place place, uint64_t event, uint32_t missing, struct notes *n);

struct sequence {
    struct bits is_left_out;  /* per event: it came before, or after later ones of its process */
    struct bits is_after_gap; /* per event: others of its process are missing before it */
    uint64_t gaps;
};

/* Events without numbers are taken as they come. Notes what is missing, repeated and late, with
 * counts. process_of is per task. O(events). */
struct sequence sequence_build(const struct trace *t, const uint32_t *process_of,
                               uint32_t process_count, struct arena *a, struct notes *n);

#endif
