/* Can accesses of a trace come in a given order? A long trace is asked around the accesses first:
 * all earlier events happen as they are listed, and most possible orders are possible from there.
 * Only where that finds nothing the model of the whole trace is built, once for all questions about
 * its variables, and searched.
 *
 *     struct asker a;
 *     asker_init(&a, &(struct asker_options){.sketch = &sketch});
 *     if (asker_ask(&a, &inquiry) == DECIDE_YES) { ... a.decider->taken is the execution ... }
 *     asker_release(&a);
 */
#ifndef CLEW_ATOMICITY_WINDOW_QUERY_H
#define CLEW_ATOMICITY_WINDOW_QUERY_H

#include <stdbool.h>

#include "atomicity/decide_order.h"

/* A question in terms of the trace: accesses of the sketch. */
struct inquiry {
    uint32_t accesses[QUESTION_PLACES_MAX];
    uint32_t access_count;
    struct question_order orders[QUESTION_ORDERS_MAX]; /* of accesses, by their indices here */
    uint32_t order_count;
};

struct asker_options {
    const struct sketch *sketch;
    uint32_t state_max; /* see decider_init */
    bool looks_around;  /* in windows first; the list must be an execution (execution_is_listed) */
    uint32_t near; /* where accesses are further apart in the list, the task of the earlier ones
                      is held back while the others go on; 0: 4,096 events */
};

/* Open for reading. */
struct asker {
    struct asker_options options;
    struct model window, whole;
    struct decider in_window, in_whole;
    bool has_window, has_whole;
    struct window span;
    uint32_t *waiting; /* tasks that are held back, in the making of a window */
    uint32_t waiting_max;
    struct arena arena;

    /* Of the last answer: */
    const struct model *model;
    const struct decider *decider;
    struct question question; /* of the model */
};

void asker_init(struct asker *a, const struct asker_options *o);
void asker_release(struct asker *a);

/* The model of the whole trace. */
const struct model *asker_whole(struct asker *a);

/* Answers; after YES, a->decider->taken is the execution, in steps of a->model. */
enum decision asker_ask(struct asker *a, const struct inquiry *q);

#endif
