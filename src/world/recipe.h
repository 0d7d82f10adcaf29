/* Recipes: executions as schedules and back, so that a run can be reproduced.
 *
 *     struct recipe r = {0};
 *     recipe_parse(&r, &schedule, e);
 *     world_run(w, &r.plan, &x, e);
 *     recipe_release(&r);
 */
#ifndef CLEW_WORLD_RECIPE_H
#define CLEW_WORLD_RECIPE_H

#include "world/world.h"

/* Whether the payloads of the plan's requests fit into a schedule. */
bool recipe_has_room(const struct plan *p);

/* Writes the execution into s, which must be fresh from schedule_init: the header, and the choices
 * that were not the default. The payloads of the plan's requests must fit. */
void recipe_write(struct schedule *s, struct world *w, const struct plan *p,
                  const struct execution *x);

/* The same with every step, for users to read. */
void recipe_write_whole(struct schedule *s, struct world *w, const struct plan *p,
                        const struct execution *x);

/* A plan, and the memory it points to. {0} is none. */
struct recipe {
    struct plan plan;
    VEC(struct pick_turn) turns;
    VEC(struct pick_constraint) constraints;
    VEC(struct plan_content) contents;
    VEC(uint32_t) without;
    VEC(uint8_t) content_bytes;
};

/* Makes the plan of a schedule. Fails on lines without an equivalent in a plan: an unknown
 * strategy, choices out of order, kinds of choices that worlds do not make. */
MUST_USE int recipe_parse(struct recipe *r, const struct schedule *s, struct err *e);
void recipe_release(struct recipe *r);

/* Explains the limit at which the run of a recipe ended, if it did: its steps are over. */
void recipe_explain(struct execution *x);

#endif
