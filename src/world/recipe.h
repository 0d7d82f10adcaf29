/* Executions as schedules and back: how a run is written down so that it can be had again.
 *
 *     struct recipe r = {0};
 *     recipe_parse(&r, &schedule, e);
 *     world_run(w, &r.plan, &x, e);
 *     recipe_release(&r);
 */
#ifndef CLEW_WORLD_RECIPE_H
#define CLEW_WORLD_RECIPE_H

#include "world/world.h"

/* Whether a schedule can say what the plan's requests bring. */
bool recipe_has_room(const struct plan *p);

/* Writes what happened into s, which must be fresh from schedule_init: the header, and the choices
 * that were not the default. There must be room for what the plan's requests bring. */
void recipe_write(struct schedule *s, struct world *w, const struct plan *p,
                  const struct execution *x);

/* The same with every step, for people to read. */
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

/* Makes the plan that a schedule says. Fails on what no plan can say: a strategy nobody knows,
 * choices out of order, kinds of choices that worlds do not make. */
MUST_USE int recipe_parse(struct recipe *r, const struct schedule *s, struct err *e);
void recipe_release(struct recipe *r);

/* What the limit means at which the run of a recipe has ended, if it has: its steps are over. */
void recipe_explain(struct execution *x);

#endif
