/* Which patterns a model allows: candidates from the couples of its threads, each decided by a
 * search for an execution that shows it. What was found once at some places is not asked again, and
 * of all that can interrupt a couple in the way of a pattern one is told. */
#ifndef CLEW_ATOMICITY_MATCH_H
#define CLEW_ATOMICITY_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "atomicity/decide.h"
#include "atomicity/model.h"
#include "atomicity/site.h"
#include "atomicity/violation.h"
#include "base/map.h"

/* A pattern and the execution that shows it, valid during the call only. The places stand in the
 * order of the execution; the first is by thread 1. */
struct match {
    enum violation pattern;
    struct place places[QUESTION_PLACES_MAX];
    uint32_t place_count;
    bool is_view_serializable;
    const struct model *model;
    const struct decider *decider; /* decider->taken is the execution */
};

struct match_options {
    uint32_t state_max; /* per question */
    uint32_t try_max;   /* questions about couples of equal sorts; 0: 2,000 */
    bool keeps_forced;  /* tells also what comes so in every execution, see match_single */
    bool tells_all;     /* tells of all sorts of accesses that can interrupt a couple, not of one */
    void (*found)(void *context, const struct match *m);
    void *context;
};

struct match_stats {
    uint64_t candidates; /* of matching types, that no order or common lock rules out at once */
    uint64_t questions;
    uint64_t unknown;
};

/* What has been asked and found, for all models of a search. */
struct matcher {
    struct match_options options;
    struct match_stats stats;
    struct sorts sorts;
    struct map tried;  /* two sorts to how many questions were asked; MATCH_FOUND: it was found */
    struct map told;   /* (sort of a couple, pattern) that were found */
    struct map paired; /* sorts of couples that a pattern of two variables was found for */
    bool is_sketching; /* nothing is asked, only */
    bool would_ask;    /* whether there is something to ask */
};

void matcher_init(struct matcher *r, const struct match_options *o);
void matcher_release(struct matcher *r);

/* True when `match`, one of those below, would ask anything about the model that this is the sketch
 * of; where it would not, the model need not be built. */
bool match_would_ask(struct matcher *r, const struct model *sketch,
                     void (*match)(struct matcher *r, const struct model *m));

/* Tells of the patterns of the model's x alone. What must come between two accesses in every
 * execution, as a task between its creation and its end, was meant to: it is left out, here and
 * below. */
void match_single(struct matcher *r, const struct model *m);

/* Tells of the patterns of x and y, and of stale reads. */
void match_pair(struct matcher *r, const struct model *m);

/* Tells of the patterns of x and y taken as one variable, but for those of one alone. */
void match_merged(struct matcher *r, const struct model *m);

#endif
