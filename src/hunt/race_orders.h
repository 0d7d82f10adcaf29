/* A race in both orders: two runs of a program with the same beginning, in which the two operations
 * stand side by side, once either way; and whether the order matters. */
#ifndef CLEW_HUNT_RACE_ORDERS_H
#define CLEW_HUNT_RACE_ORDERS_H

#include "explore/step_order.h"
#include "world/world.h"

/* The effect of the order of the two. */
enum race_harm {
    HARM_UNKNOWN, /* both orders pass with other values, or fail whichever is first */
    HARM_BENIGN,  /* here both orders give the same steps, the same values and the same last writes
                   */
    HARM_HARMFUL, /* a run fails after one order, and none after the other */
};
const char *race_harm_name(enum race_harm harm);

struct race_orders {
    bool is_shown; /* some run has both side by side */
    enum race_harm harm;
    char reason[300];  /* why it is harmful, benign or unknown: a sentence */
    char failure[400]; /* of a harmful race: the violation */
    struct {           /* the same in parts */
        enum outcome outcome;
        enum finding_severity severity;
        char what[400];
        char key[120];
    } violation;
    uint32_t shown_steps; /* the first steps of schedules[0] that show it; 0: not known */
    char *schedules[2];   /* texts: the run as found and the reversed one; of a harmful race the
                             failing one first; NULL: none. Freed with mem_free */
    uint64_t run_count;
};

/* Runs the race of x, which the plan with this seed gave, in both orders: each in the default order
 * to its end, and by sampling while none fails. {0} is fresh. Fails when the world breaks. */
MUST_USE int race_orders_run(struct world *w, const struct plan *plan, const struct execution *x,
                             const struct relation *r, struct step_race race, struct race_orders *o,
                             struct err *e);
void race_orders_release(struct race_orders *o);

/* Takes note of the violation of a run. */
void race_orders_blame(struct race_orders *o, const struct execution *x);

/* The text of the schedule that repeats x; freed with mem_free. */
MUST_USE char *race_schedule_text(struct world *w, const struct plan *plan,
                                  const struct execution *x);

#endif
