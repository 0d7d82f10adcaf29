/* Races under the observed order (`--model observed`): plain happens-before in one pass over a
 * stream of events, reported as it goes. docs/theory/races-semantics.md, section Observed, defines
 * the order; here also a thread's handlers, and the sections of a lock, are ordered as they ran.
 *
 *     struct observed *o = observed_new(&tables, &notes, &options);
 *     while ((more = cursor_next(c, &b, e)) > 0) { if (observed_feed(o, &b, e) < 0) ... }
 *     observed_finish(o);
 *     observed_free(o);
 *
 * Every racing pair of places (source place, kind of access, variable) is found. Memory grows with
 * names and undelivered messages, not with events: about 32 bytes per variable, 40 per (variable,
 * task, place), a clock per lock and per message not received yet. */
#ifndef CLEW_RACE_OBSERVED_OBSERVED_H
#define CLEW_RACE_OBSERVED_OBSERVED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/notes.h"
#include "trace/cursor.h"
#include "trace/tables.h"

struct observed_event {
    uint64_t index; /* in the stream, from 0 */
    uint32_t task;
    uint32_t location;
    uint16_t kind; /* enum event_kind */
};

/* Two events that nothing observed orders. */
struct observed_race {
    bool is_message;
    uint32_t node, object; /* names: the variable and its node; of a message, the receiver's node */
    /* The two accesses, as listed; or the SEND of the message received later and the RECV of the
     * one received earlier. */
    struct observed_event first, second;
    uint64_t pair_count; /* pairs met so far that look like this one */
};

struct observed_options {
    /* Called for each race the first time its pair of places is met (with every_pair: each time).
     */
    void (*found)(void *context, const struct observed_race *race);
    void *context;
    bool every_pair; /* memory then follows events */
    bool skips_data, skips_messages;

    /* Bounds on memory; 0 is the default. At a bound the analysis gives something up, and a note
     * says so. */
    uint64_t held_count_max;   /* events behind a receive whose send is still to come: 1,000,000 */
    uint64_t record_count_max; /* places remembered, all variables together: 4,000,000 */
    uint64_t pending_clock_bytes_max; /* clocks of messages and the like under way: 256 MiB */
};

struct observed_stats {
    uint64_t event_count;
    uint64_t data_race_count, message_race_count;   /* pairs of events met */
    uint64_t data_place_count, message_place_count; /* pairs of places */
};

struct observed;

/* An analysis of events whose numbers are from `tables`, which may grow while it runs; warnings go
 * to notes. Both must outlive it. */
struct observed *observed_new(const struct tables *tables, struct notes *notes,
                              const struct observed_options *options);
void observed_free(struct observed *o);

/* Takes the next events of the stream. Fails when a task's clock would overflow (2^32 releases). */
MUST_USE int observed_feed(struct observed *o, const struct batch *b, struct err *e);

/* When in a task's life something happened. */
struct observed_moment {
    uint32_t column, clock;
};

/* The task's moment now, after all events fed; false if it has not begun, or has been joined. */
bool observed_now(const struct observed *o, uint32_t task, struct observed_moment *m);

/* Takes an access that its task made at this moment and that was recorded only now, because no
 * other task used the variable in between. Events fed later are compared with it. / */
void observed_feed_late(struct observed *o, const struct event *e, struct observed_moment m);

/* Takes the events held back for sends that never came. */
MUST_USE int observed_finish(struct observed *o, struct err *e);

struct observed_stats observed_stats(const struct observed *o);

/* Calls found once more for every race, now with the final counts. */
void observed_each(const struct observed *o,
                   void (*found)(void *context, const struct observed_race *race), void *context);

#endif
