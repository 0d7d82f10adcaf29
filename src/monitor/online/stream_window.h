/* A window: a part of a run as a state history. It has the cuts whose reports, held by ingest, are
 * earlier than some time; the earlier reports give the values at its beginning.
 *
 *     window_build(&w, &ingest, horizon);      w.history has all cuts up to the horizon ...
 *     window_drop(&w, &ingest, horizon);       ... that were not decided before the last drop
 */
#ifndef CLEW_MONITOR_ONLINE_STREAM_WINDOW_H
#define CLEW_MONITOR_ONLINE_STREAM_WINDOW_H

#include "monitor/offline/state_history.h"
#include "monitor/online/ingest.h"

struct window {
    struct state_history history;
    struct arena_mark mark; /* of its arena: data that outlives a window is before it */
    struct trace trace;     /* the events for findings: window_show fills it */
    uint32_t process_count;
    uint64_t *end;             /* per process: the ordinal of the first report after the window */
    const struct held **shown; /* per report of the window */
    VEC(struct needed) raised; /* reports to drop as well */

    /* The state before the window. */
    struct state_history_base base;
    struct span *slots;
    bool *is_open, *is_reported;
    struct state_history_last *last; /* per process */

    /* Per process: its part of slots, the positions of its variables in bound->slots. */
    const uint32_t *slot_first;
    const uint32_t *slots_of;
    bool *is_settled; /* per slot, while reports are dropped: its value is known */
};

/* Takes over the history, which has processes, a specification bound to them, and owners. */
void window_init(struct window *w, const struct state_history *h, int64_t skew);
void window_release(struct window *w);

void window_build(struct window *w, const struct ingest *in, int64_t horizon);

/* Assumes, of variables without a report so far, that they are reported later, or that they are
 * unknown. */
void window_assume(struct window *w, bool is_reported);

/* Whether all variables were reported before the window: then no assumption is needed. */
bool window_is_reported(const struct window *w);

/* Makes w->trace the events of the window, for findings. */
void window_show(struct window *w, const struct ingest *in);

/* Drops the reports that all cuts with a report at the horizon or later have. */
void window_drop(struct window *w, struct ingest *in, int64_t horizon);

#endif
