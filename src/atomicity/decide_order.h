/* Can accesses of a model come in a given order? Decides by search for an execution of the model
 * that has them so; exact, up to a number of states.
 *
 *     struct decider d;
 *     decider_init(&d, &model, 0);
 *     const struct question q = {.places = {x1, x2, y2, y1}, .place_count = 4,
 *                                .orders = {{0, 1}, {2, 3}}, .order_count = 2};
 *     if (decider_ask(&d, &q) == DECIDE_YES) { ... d.taken is the execution ... }
 *     decider_release(&d);
 */
#ifndef CLEW_ATOMICITY_DECIDE_ORDER_H
#define CLEW_ATOMICITY_DECIDE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "atomicity/model.h"
#include "base/names.h"
#include "base/vec.h"

enum { QUESTION_PLACES_MAX = 4, QUESTION_ORDERS_MAX = 3 };

struct question_order {
    uint8_t before, after; /* indices of places */
};

/* Is there an execution that has these steps, and of each order the first place before the second?
 */
struct question {
    struct place places[QUESTION_PLACES_MAX];
    uint32_t place_count;
    struct question_order orders[QUESTION_ORDERS_MAX];
    uint32_t order_count;
};

enum decision { DECIDE_NO, DECIDE_YES, DECIDE_UNKNOWN };

/* Steps of a thread, one after the other: [first, end). */
struct stretch {
    uint32_t thread;
    uint32_t first, end;
};

struct lock_state {
    uint32_t owner; /* thread plus one that holds it alone, 0: none */
    uint32_t depth; /* how often: sections of one version check may overlap in a thread */
    uint32_t shared_count;
};

/* A step that may only be taken behind another. */
struct gate {
    struct place before, after;
};

/* Open for reading. */
struct decider {
    const struct model *m;
    uint32_t state_max;
    const struct question *question;
    struct gate gates[QUESTION_ORDERS_MAX]; /* the orders of the question */
    uint32_t *cut;                          /* per thread: how many of its steps are taken */
    uint32_t *need;                         /* per thread: how many are needed at least */
    uint32_t *reach;                        /* per thread: beyond this number, none help */
    uint32_t *limit;                        /* per thread: how many it may take */
    bool has_versions;                      /* limits matter */
    uint32_t *held_count;                   /* per thread: locks it holds */
    struct lock_state *locks;               /* per lock */
    uint32_t **calm;           /* per thread and step: the last step at or before it that the thread
                                  reaches by itself from the start, and where it holds nothing */
    VEC(struct stretch) taken; /* the steps, in the order they were taken */
    size_t taken_count;        /* how many steps that is */
    bool is_full;              /* threads go on beyond the steps needed */
    struct names seen;         /* cuts from which nothing was found */
    uint64_t state_count;      /* of the question */
    struct arena arena;
};

/* state_max 0: 20,000. */
void decider_init(struct decider *d, const struct model *m, uint32_t state_max);
void decider_release(struct decider *d);

/* Answers; after YES, d->taken is the execution, and d->cut how far each thread got. */
enum decision decider_ask(struct decider *d, const struct question *q);

/* Whether some execution has accesses of these kinds in this order, anywhere: walks all states,
 * step by step. For comparison with other judges; the kinds are by which * 2 + is_write. */
struct sequence {
    uint32_t threads[QUESTION_PLACES_MAX];
    uint8_t kinds[QUESTION_PLACES_MAX];
    uint32_t count;
};

enum decision decider_occurs(struct decider *d, const struct sequence *q);

#endif
