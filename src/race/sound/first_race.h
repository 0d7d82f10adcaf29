/* First races: observed races of a recording that some prefix of an execution shows, although the
 * recording does not have the write of each read.
 *
 *     struct first_races f;
 *     first_races_init(&f, &observed, &reads);
 *     if (first_races_show(&f, a, b)) { ... the places of a and b race in a real execution ... }
 *     first_races_release(&f);
 *
 * Two accesses that observed happens-before leaves unordered need not be a race that can happen:
 * they may be an artifact of an earlier one (Netzer and Miller, "Improving the accuracy of data
 * race detection", PPoPP 1991), which decided the value of a read and with it the program's path.
 * They are no artifact when no read in doubt lies between: docs/theory/races.md, "Recordings", has
 * the proof.
 */
#ifndef CLEW_RACE_SOUND_FIRST_RACE_H
#define CLEW_RACE_SOUND_FIRST_RACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "order/hb.h"
#include "order/reads_from.h"

struct first_races {
    const struct hb *observed;
    const struct reads_from *reads;
    const uint32_t *doubt_first; /* per task, and one more: its first in doubts */
    const uint32_t *doubts;      /* positions in their tasks of the reads in doubt, ascending */
    struct arena arena;
};

/* Of the trace of `observed` (HB_OBSERVED, REACH_ALL, and an edge to each event from all that it
 * needs in a prefix, the write that it saw included); both outlive f. O(events). */
void first_races_init(struct first_races *f, const struct hb *observed,
                      const struct reads_from *reads);
void first_races_release(struct first_races *f);

/* The claim about two accesses. */
enum first_race_claim {
    FIRST_RACE_PLACES, /* they, or two others of the variable at the same two places */
    FIRST_RACE_PAIR,   /* these two */
};

/* Whether the two conflicting accesses are side by side in some prefix of a real execution. O(tasks
 * * log events), about. */
bool first_races_show(const struct first_races *f, event_id a, event_id b,
                      enum first_race_claim claim);

#endif
