/* Whether the reports of each process are all there, once and in order, by the numbers that they
 * carry (an event's count). A process counts from 0 or 1, and anew when it begins anew. */
#ifndef CLEW_MONITOR_SEQUENCE_NUMBERS_H
#define CLEW_MONITOR_SEQUENCE_NUMBERS_H

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

/* How many are missing before the event, which would be a GAP; 0: it would not. */
uint32_t sequence_ahead(const struct numbered *p, const struct event *e);

/* Notes that the event came after later ones. */
void sequence_note_order(uint64_t event, struct notes *n);

/* Notes what is not SEQUENCE_NEXT, at this event. */
void sequence_note(enum sequence_place place, uint64_t event, uint32_t missing, struct notes *n);

struct sequence {
    const event_id *order;    /* the events, those of each process by number; NULL: as listed */
    struct bits is_left_out;  /* per event: it came before */
    struct bits is_after_gap; /* per event: others of its process are missing before it */
    uint64_t gaps;
};

/* The event at this place of the order. */
static inline event_id sequence_at(const struct sequence *s, event_id place)
{
    return s->order == NULL ? place : s->order[place];
}

/* Events without numbers are taken as they come; those with numbers are put in order. Notes what is
 * missing, repeated and out of order, with counts. process_of is per task. O(events), and sorting
 * what is out of order. */
struct sequence sequence_build(const struct trace *t, const uint32_t *process_of,
                               uint32_t process_count, struct arena *a, struct notes *n);

#endif
