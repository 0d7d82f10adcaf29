/* Times for events that have none: a time for every event of a list, such that a stable sort of the
 * events of a node by time leaves them as they are listed.
 *
 *     time_fill_add(&f, &event, &time, put, context);   calls put for it and the waiting ones
 *     time_fill_end(&f, put, context);
 *
 * An event without a time waits for the next event that has one and gets a time between the two
 * neighbours: the one before plus 1, 2, 3 ... as long as these are no later than the one behind. A
 * list without any times counts from 1. Where the times of the list go back, as they do in
 * concatenated logs of several nodes, the neighbours of the same node count.
 *
 * At most TIME_FILL_WAITING_MAX events wait; all further ones share the last time. */
#ifndef CLEW_IMPORT_TIME_FILL_H
#define CLEW_IMPORT_TIME_FILL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "wire/event.h"

enum { TIME_FILL_WAITING_MAX = 1 << 16 };

struct time_fill_event {
    struct event event;
    uint32_t node;
};

struct time_fill_node {
    int64_t last;
    int64_t made; /* the latest time invented for an event of it */
    bool has_made;
};

/* {0} is empty. */
struct time_fill {
    VEC(struct time_fill_event) waiting;
    bool has_last;
    int64_t last;         /* the last time of the list */
    struct map number_of; /* node to index into nodes */
    VEC(struct time_fill_node) nodes;
};

/* Receives an event with its time. is_moved: the event had another time, earlier than one that was
 * invented for an earlier event of its node. */
typedef void time_fill_put(void *context, const struct event *e, int64_t time, bool is_moved);

/* Adds the next event of the list, on this node; time is NULL when it has none. */
void time_fill_add(struct time_fill *f, const struct time_fill_event *e, const int64_t *time,
                   time_fill_put *put, void *context);

/* No event follows. */
void time_fill_end(struct time_fill *f, time_fill_put *put, void *context);

void time_fill_release(struct time_fill *f);

#endif
