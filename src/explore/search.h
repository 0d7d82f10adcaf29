/* A search decides which run comes next and learns from how it went. One loop (explore/explore.h)
 * runs them all. */
#ifndef CLEW_EXPLORE_SEARCH_H
#define CLEW_EXPLORE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "explore/saved_search.h"
#include "world/aim.h"
#include "world/world.h"

/* The options of every search. */
struct search_options {
    const struct plan *from;   /* a run that all runs begin with, up to its last step; NULL: none */
    const struct plan *seeded; /* the first run of a search that samples; NULL: as it likes */
    struct fault_budget faults;
    uint32_t depth;         /* steps of a run, at most; 0: no limit */
    uint32_t delays_max;    /* of delay bounding */
    uint32_t pct_depth;     /* of bugs that pct aims at; 0: its default */
    bool prunes_states;     /* a state that was explored is not explored again */
    bool has_states;        /* the world can tell states apart */
    bool has_tasks;         /* as the world has it: a pending operation stays so until it is done */
    bool is_mixed;          /* auto tries few delays only now and then */
    bool is_drawn;          /* other events may come from outside: no search sees all executions */
    bool is_kept;           /* it will be saved now and then */
    bool is_helping;        /* another process searches systematically: this one samples */
    enum world_scope scope; /* of the claims of the world */
    enum world_order order; /* likewise */
    uint32_t check_every;   /* as the world has it */
    struct pick_weights weights; /* of classes of operations; none: auto finds them */
    uint64_t seed;
    /* Adds aims of runs that would show the predictions from a trace; NULL: there are none.
     * The trace is sealed. */
    void (*predict)(const struct trace *t, const struct execution *x, struct aims *aims);
};

/* The runs of a search, in all processes that worked on it one after another. */
struct search_tally {
    uint64_t runs;
    uint64_t limited_runs;
    uint64_t redundant_runs;
};

/* A search's struct begins with this. */
struct search {
    const struct search_ops *ops;
    struct search_options options;
    struct search_tally tally;
    bool has_data_races; /* a run had plain accesses in a race, or was not searched for them */
};

struct search_ops {
    /* Makes the plan of the next run, its memory good until the run is learned; false when there is
     * nothing left. run_index counts from 0. */
    bool (*next)(struct search *s, uint64_t run_index, struct plan *p);
    /* Takes note of how it went; may take the vectors of x. */
    void (*learn)(struct search *s, const struct plan *p, struct execution *x);
    /* After next said false: whether every execution there is has been seen, up to the order of
     * independent steps. */
    bool (*is_complete)(const struct search *s);
    void (*free)(struct search *s);
    /* Optional: how many words of memory it chooses at, because tasks were seen to share them. */
    uint32_t (*words)(const struct search *s);

    /* Optional, both or none. Between two runs: writes the state to go on from: `whole` replaces
     * the bytes written before, `more` is appended to them. */
    void (*save)(struct search *s, struct out *whole, struct out *more);
    /* A fresh search goes on where another was, from the last `whole` and all of `more`. Runs that
     * it departs from are made again. Fails when they do not go as they went. */
    int (*resume)(struct search *s, struct world *w, struct saved *whole, struct saved *more,
                  struct err *e);
};

MUST_USE struct search *search_sample(const struct search_options *o, enum pick_strategy strategy);
MUST_USE struct search *search_delay(const struct search_options *o);
MUST_USE struct search *search_directed(const struct search_options *o);
MUST_USE struct search *search_dpor(const struct search_options *o);
MUST_USE struct search *search_auto(const struct search_options *o);

/* The plan that all searches begin with. */
struct plan search_plan(const struct search_options *o);

/* Whether the counters of blocks are read after each step of a run: for a strategy that chooses by
 * them, and in some others so that it is known which node was where. */
bool search_is_learning(const struct search_options *o, enum pick_strategy strategy,
                        uint64_t run_index);

/* The plan of the first run follows the schedule that the search is to start with, if any; the
 * plan's strategy chooses the steps after its last turn. */
void search_seed(const struct search_options *o, struct plan *p);

/* A run of the search was made. */
void search_count(struct search *s, const struct execution *x);

/* As the operations of the same name, together with the tally. Saving is for searches that can. */
bool search_can_be_saved(const struct search *s);
void search_save(struct search *s, struct out *whole, struct out *more);
MUST_USE int search_resume(struct search *s, struct world *w, struct saved *whole,
                           struct saved *more, struct err *e);

#endif
