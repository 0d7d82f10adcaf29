/* Which executions show the same, and which of two that do is better. */
#include <stdio.h>
#include <string.h>

#include "minimize/engine/reducer.h"

uint32_t minimize_externals(const struct execution *x)
{
    uint32_t count = 0;
    vec_each (&x->steps, step) {
        count += step->operation.is_external;
    }
    return count;
}

uint32_t minimize_switches(const struct execution *x)
{
    uint32_t count = 0;
    vec_each (&x->steps, step) {
        count += step->choice != 0;
    }
    return count;
}

int minimize_compare(const struct world *w, const struct execution *a, const struct execution *b)
{
    if (w->has_tasks && minimize_switches(a) != minimize_switches(b)) {
        return minimize_switches(a) < minimize_switches(b) ? -1 : 1;
    }
    if (a->steps.count != b->steps.count) {
        return a->steps.count < b->steps.count ? -1 : 1;
    }
    const uint32_t externals_a = minimize_externals(a);
    const uint32_t externals_b = minimize_externals(b);
    return externals_a < externals_b ? -1 : externals_a > externals_b;
}

/* On which node it went wrong. */
static uint16_t node_of(const struct execution *x)
{
    return x->steps.count == 0 ? 0 : x->steps.at[x->steps.count - 1].operation.node;
}

void reducer_keep(struct reducer *r, const struct execution *x)
{
    must(outcome_is_violation(x->outcome));
    r->violation.outcome = x->outcome;
    r->violation.node = node_of(x);
    (void)snprintf(r->violation.key, sizeof r->violation.key, "%s", x->key);
    vec_each (&x->steps, step) {
        map_put(&r->first.transitions, step->transition, 1);
        if (step->operation.is_unignorable) {
            ++*map_slot(&r->first.unignorable, step->operation.action, 0, NULL);
        }
    }
}

/* Whether each node changed only as it did in the first run. */
static bool is_known(const struct reducer *r, const struct execution *x)
{
    const struct map *transitions = &reducer_of_all(r)->first.transitions;
    vec_each (&x->steps, step) {
        if (step->transition != 0 && map_get(transitions, step->transition) == NULL) {
            return false;
        }
    }
    return true;
}

static uint32_t count_unignorable(const struct execution *x, uint64_t action)
{
    uint32_t count = 0;
    vec_each (&x->steps, step) {
        count += step->operation.is_unignorable && step->operation.action == action;
    }
    return count;
}

/* Whether all that may not be ignored has come as often as in the first run. */
static bool has_unignorable(const struct reducer *r, const struct execution *x)
{
    vec_each (&reducer_of_all(r)->first.unignorable.entries, first) {
        if (count_unignorable(x, first->key) < first->value) {
            return false;
        }
    }
    return true;
}

bool reducer_is_same(const struct reducer *r, const struct execution *x)
{
    const enum same same = r->options->same;
    return x->outcome == r->violation.outcome &&
           (same == SAME_KIND || strcmp(x->key, r->violation.key) == 0) &&
           (same != SAME_EXACT || node_of(x) == r->violation.node) &&
           (!r->options->no_diverge || is_known(r, x)) && has_unignorable(r, x);
}
