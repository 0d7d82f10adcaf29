/* The search of one process. */
#ifndef CLEW_EXPLORE_SEARCH_LOOP_H
#define CLEW_EXPLORE_SEARCH_LOOP_H

#include <stdatomic.h>

#include "explore/campaign_log.h"
#include "explore/explore.h"

/* The memory that the processes share. */
struct loop_shared {
    atomic_bool is_over;       /* there is nothing left to look for */
    atomic_uint_fast64_t runs; /* those from this number on need not be made: one before it has
                                  shown the violation */
};

struct loop {
    uint32_t part;    /* which of the processes this is */
    uint64_t first;   /* the number of the first run of them all */
    uint64_t next_ns; /* when progress is reported again */
    uint64_t look_ns; /* when it is looked up from runs at the latest */
    uint64_t find_ns; /* when the last new violation was found, 0: none */
    struct campaign_log log;
    struct loop_shared *shared; /* by several processes; NULL: there is one alone */
};

MUST_USE int loop_run(struct world *w, const struct explore_options *o, struct loop *l,
                      struct explored *found, struct err *e);

/* The violation of this key, NULL when there is none. */
struct violation *explored_find(struct explored *x, const char *key);

void violation_release(struct violation *v);

#endif
