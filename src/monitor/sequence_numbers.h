/* Sequence numbers: whether the reports of each process are complete, unique and in order, by the
 * numbers that they carry (an event's count). A process counts from 0 or 1, and starts again when
 * it restarts. */
#ifndef CLEW_MONITOR_SEQUENCE_NUMBERS_H
#define CLEW_MONITOR_SEQUENCE_NUMBERS_H

#include "base/bits.h"
#include "base/notes.h"
#include "trace/trace.h"

enum sequence_place {
    SEQUENCE_NEXT,     /* it is the next one, or has no number */
    SEQUENCE_GAP,      /* others are missing before it */
    SEQUENCE_REPEATED, /* it is a duplicate */
    SEQUENCE_LATE,     /* it was missing and arrives after later ones */
};

enum { SEQUENCE_GAPS_KEPT = 16 };

/* The position of one process in its numbers, and the gaps that late reports may still fill. {0}
 * before the first. */
struct numbered {
    bool has_begun;
    uint32_t next; /* the number of the next report */
    uint32_t gap_count;
    struct {
        uint32_t from, count;
    } gaps[SEQUENCE_GAPS_KEPT]; /* the last few: a ring */
};

/* The position of the event among those of its process; *missing is the number of missing reports
 * of a GAP. */
enum sequence_place sequence_take(struct numbered *p, const struct event *e, uint32_t *missing);

/* The number of missing reports before the event, if it is a GAP; else 0. */
uint32_t sequence_ahead(const struct numbered *p, const struct event *e);

/* Notes that the event arrived after later ones. */
void sequence_note_order(uint64_t event, struct notes *n);

/* Notes every place but SEQUENCE_NEXT, at this event. */
void sequence_note(enum sequence_place place, uint64_t event, uint32_t missing, struct notes *n);

struct sequence {
    const event_id *order;    /* the events, those of each process by number; NULL: as listed */
    struct bits is_left_out;  /* per event: a duplicate */
    struct bits is_after_gap; /* per event: others of its process are missing before it */
    uint64_t gaps;
};

/* The event at this place of the order. */
static inline event_id sequence_at(const struct sequence *s, event_id place)
{
    return s->order == NULL ? place : s->order[place];
}

/* Checks the numbers of all events. Events without numbers stay in their order; numbered ones are
 * sorted. Notes missing, repeated and misordered events, with counts. process_of is per task.
 * O(events), and a sort of the misordered ones. */
struct sequence sequence_build(const struct trace *t, const uint32_t *process_of,
                               uint32_t process_count, struct arena *a, struct notes *n);

#endif
