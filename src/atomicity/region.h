/* Regions marked as atomic: is the observed execution equivalent to one in which each runs without
 * interruption? One pass, over any number of tasks and variables.
 *
 *     struct regions *r = regions_new(&(struct region_options){.found = hear, .context = c});
 *     regions_feed(r, events, count);                          batch after batch, as listed
 *     regions_free(r);
 *
 * Events outside of regions are regions of their own; of nested ones the outermost counts. */
#ifndef CLEW_ATOMICITY_REGION_H
#define CLEW_ATOMICITY_REGION_H

#include <stdint.h>

#include "trace/tables.h"
#include "trace/trace.h"

/* A region that cannot be serialized: an event since its beginning depends on the region, and the
 * region depends on that event. */
struct region_found {
    event_id begin; /* where the region begins */
    event_id event; /* the event of its task that closes the cycle */
    event_id other; /* the event of another task that it depends on */
};

struct region_options {
    /* Called for each region at most once, as soon as it is known. */
    void (*found)(void *context, const struct region_found *f);
    void *context;
};

struct regions;

/* Looks at events whose tasks are those of the tables, which may grow. */
struct regions *regions_new(const struct tables *tables, const struct region_options *o);
void regions_free(struct regions *r);

/* O(count * tasks) at worst; a task that goes on by itself costs a few steps per event. */
void regions_feed(struct regions *r, const struct event *events, size_t count);

#endif
