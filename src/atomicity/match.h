/* Which patterns a model allows: candidates from the couples of its threads, each decided by a
 * search for an execution that shows it. Places with a finding are not asked again, and one of the
 * accesses that can interrupt a couple in the way of a pattern is reported. */
#ifndef CLEW_ATOMICITY_MATCH_H
#define CLEW_ATOMICITY_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "atomicity/access_sites.h"
#include "atomicity/handover.h"
#include "atomicity/model.h"
#include "atomicity/violation.h"
#include "atomicity/window_query.h"
#include "base/limit.h"
#include "base/map.h"

/* A pattern and the execution that shows it, valid during the call only. The places stand in the
 * order of the execution; the first is by thread 1. */
struct match {
    enum violation pattern;
    struct place places[QUESTION_PLACES_MAX];
    uint32_t place_count;
    enum settled_by settled; /* why one of its conflicts always goes this way */
    bool is_rounds;          /* the couple belongs to two operations */
    const struct model *model;
    const struct decider *decider; /* decider->taken is the execution */
};

struct match_options {
    uint32_t state_max; /* per question */
    uint32_t try_max;   /* questions about couples of equal sorts in a model; 0: 2,000 */
    bool looks_around;  /* this and the next: see ask.h */
    uint32_t near;
    bool keeps_rounds;  /* reports also couples of two operations */
    bool keeps_settled; /* tells also where the order of one conflict is settled, see settled.h */
    bool keeps_forced;  /* reports also orders that hold in every execution, see match_single */
    bool skips_stale;   /* does not look for stale reads, which are serializable */
    bool reports_all;   /* reports all variables, and all sorts of accesses that can interrupt a
                         couple; not of one per place */
    void (*found)(void *context, const struct match *m);
    /* Asked before `found`: false for an execution that does not count. NULL: all do. */
    bool (*accepts)(void *context, const struct match *m);
    /* Asked before the first question about a model: it is left out where that is true. NULL: none
     * is. Not asked where the trace is looked at in windows: the model costs more there than the
     * questions. */
    bool (*is_known)(void *context, const struct model *whole, const char *purpose);
    void *context;
    struct limit_watch *watch; /* NULL: no limit */
};

struct match_stats {
    uint64_t candidates; /* of matching types, that no order or common lock rules out at once */
    uint64_t questions;
    uint64_t unknown;
    uint64_t rounds; /* sorts of couples left out because they belong to two operations */
};

/* The results about a sort of couples. */
struct couple_news {
    uint16_t reported; /* the patterns that were found, a bit each */
    bool is_paired;    /* a pattern of two variables was found */
    bool is_rounds;    /* it was left out because it belongs to two operations */
    uint16_t settled;  /* why it was left out where a conflict is settled, a bit each */
};

/* The questions and results of all models of a search. */
struct matcher {
    struct match_options options;
    struct match_stats stats;
    struct sorts sorts;
    struct handover handover;     /* of the frame that was matched last */
    VEC(struct couple_news) news; /* per sort */
    struct map found;             /* where all is reported: two sorts that an answer was yes for */
};

void matcher_init(struct matcher *r, const struct match_options *o);
void matcher_release(struct matcher *r);

/* The frame of the last sketches is about to go. */
void matcher_forget(struct matcher *r);

/* How many sorts of couples were left out for this reason, and nothing else was found for them. */
uint64_t matcher_count_settled(const struct matcher *r, enum settled_by reason);

/* Reports the patterns of x alone, from its sketch. An access that must come between two others in
 * every execution, as a task between its creation and its end, is meant to: it is left out, here
 * and below. */
void match_single(struct matcher *r, const struct sketch *sketch);

/* Reports the patterns of x and y, and stale reads. */
void match_pair(struct matcher *r, const struct sketch *sketch);

/* Reports the patterns of x and y taken as one variable, but for those of one alone. */
void match_merged(struct matcher *r, const struct sketch *sketch);

#endif
