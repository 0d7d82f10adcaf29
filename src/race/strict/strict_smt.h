/* The strict rules as a formula for a solver: an integer per event that matters, its place in an
 * order.
 *
 * Events that neither edges nor sections, handlers or waits name have no variable: such an access
 * is anywhere between its neighbours that have one, and a question about it is one about them. */
#ifndef CLEW_RACE_STRICT_STRICT_SMT_H
#define CLEW_RACE_STRICT_STRICT_SMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/limit.h"
#include "order/hb.h"
#include "solve/problem.h"

/* {0} is without end. */
struct formula_bounds {
    size_t clause_max;
    struct limit_watch *watch;
};

struct formula {
    const struct hb *hb;
    struct formula_bounds bounds; /* while it is built */
    struct problem p;
    const uint32_t *marks;      /* positions of events with a variable, context by context */
    const uint32_t *mark_first; /* per context, and one more: a mark's number is its variable */
};

/* Writes the rules of hb as clauses, without those that hb's order already satisfies. False when a
 * bound was reached: the formula then lacks rules, and the caller may only release it. O(events +
 * edges + pairs of sections, of handlers, and of waits and notifies). */
MUST_USE bool formula_build(struct formula *f, const struct hb *hb,
                            const struct formula_bounds *bounds, struct arena *a);
void formula_release(struct formula *f);

enum { FORMULA_ATOMS_MAX = 2 };

/* Writes the atoms that together say: the two events are side by side, in either order. None when
 * that is so anyway. */
size_t formula_adjacent(const struct formula *f, event_id a, event_id b, struct solve_atom *atoms);

/* The same for: a comes before b. */
size_t formula_before(const struct formula *f, event_id a, event_id b, struct solve_atom *atoms);

/* The properties of the event that decide a question about it: equal numbers, equal answers. */
uint64_t formula_gap(const struct formula *f, event_id id);

#endif
