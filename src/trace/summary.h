/* A summary of a trace: counts by kind, task, node and role of objects, and the span of time. Reads
 * the events once; memory grows with tasks and objects, not with events.
 *
 *     struct summary s;
 *     summary_init(&s, &tables);
 *     while (cursor_next(cursor, &b, e) > 0) { summary_events(&s, &b); }
 *     ... s.event_count, s.by_kind[EVENT_READ], summary_objects(&s, ROLE_LOCK) ...
 *     summary_release(&s);
 */
#ifndef CLEW_TRACE_SUMMARY_H
#define CLEW_TRACE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "trace/cursor.h"
#include "trace/tables.h"
#include "wire/kind.h"

/* The roles of objects; one may have several. ROLE(id, name, plural) */
#define ROLE_LIST(ROLE)                        \
    ROLE(VARIABLE, "variable", "variables")    \
    ROLE(LOCK, "lock", "locks")                \
    ROLE(CONDITION, "condition", "conditions") \
    ROLE(BARRIER, "barrier", "barriers")       \
    ROLE(SEMAPHORE, "semaphore", "semaphores") \
    ROLE(CHANNEL, "channel", "channels")       \
    ROLE(FILE, "file", "files")                \
    ROLE(TIMER, "timer", "timers")             \
    ROLE(RESOURCE, "resource", "resources")    \
    ROLE(OTHER, "other object", "other objects")

enum role {
#define ROLE(id, name, plural) ROLE_##id,
    ROLE_LIST(ROLE)
#undef ROLE
        ROLE_COUNT
};

const char *role_name(enum role role, bool is_plural);

struct node_summary {
    uint32_t node; /* name, 0 when the trace has no nodes */
    uint64_t task_count;
    uint64_t event_count;
};

struct summary {
    const struct tables *tables;
    uint64_t event_count;
    uint64_t by_kind[KIND_LIMIT];
    VEC(uint64_t) by_task; /* events */
    struct map objects;    /* (node or 0, object) to a bit per role */
    uint64_t block_count;  /* source locations of coverage events */
    bool has_time;         /* some event has a time other than 0 */
    int64_t time_first;    /* the least, in ticks */
    int64_t time_last;
};

/* The tables are those the cursor fills; they outlive the summary. */
void summary_init(struct summary *s, const struct tables *tables);
void summary_release(struct summary *s);

void summary_events(struct summary *s, const struct batch *b);

/* The number of objects in this role. O(objects). */
uint64_t summary_objects(const struct summary *s, enum role role);

/* The nodes in the order of appearance, from the arena; *count is their number. O(tasks). */
const struct node_summary *summary_nodes(const struct summary *s, struct arena *a, size_t *count);

#endif
