/* Whether the reports of each process are all there, once and in order, by the numbers that they
 * carry (an event's count). A process that begins anew counts anew. */
#ifndef CLEW_MONITOR_SEQUENCE_H
#define CLEW_MONITOR_SEQUENCE_H

#include "base/bits.h"
#include "base/notes.h"
#include "trace/trace.h"

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
