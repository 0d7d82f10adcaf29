/* A schedule, run again. */
#ifndef CLEW_EXPLORE_REPLAY_H
#define CLEW_EXPLORE_REPLAY_H

#include "world/world.h"

struct replay_options {
    bool is_lenient;     /* go on where the schedule cannot be followed */
    struct trace *trace; /* empty: is written; NULL: none */
    bool wants_states;   /* keep the state's hash after each step, where the world has one */
};

struct replayed {
    struct execution execution;
    bool is_same;         /* the execution's hash is the one that the schedule has; where it has
                             none, the schedule was followed to its end */
    char divergence[300]; /* where it could not be followed; "": nowhere */
};

/* Whether the schedule is one for this world and its system; fails when it is not. */
MUST_USE int replay_check(const struct world *w, const struct schedule *s, struct err *e);

/* Why the schedule, whose run this is, could not be followed; "" when it was. */
void replay_say_divergence(const struct schedule *s, const struct execution *x, char *text,
                           size_t size);

/* Runs the schedule in the world. Fails on a schedule for another world or net, and on one that no
 * plan can say. */
MUST_USE int replay(struct world *w, const struct schedule *s, const struct replay_options *o,
                    struct replayed *r, struct err *e);
void replayed_release(struct replayed *r);

#endif
