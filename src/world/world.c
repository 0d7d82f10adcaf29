#include "world/world.h"

#include <stdio.h>

static const struct {
    const char *name; /* NULL: it is a violation, with the name of its finding */
    enum finding_kind finding;
} outcomes[] = {
#define OUTCOME(id, words) {.name = (words)},
#define VIOLATION(id) {.finding = FINDING_##id},
    OUTCOME_LIST(OUTCOME, VIOLATION)
#undef OUTCOME
#undef VIOLATION
};

const char *outcome_name(enum outcome outcome)
{
    return outcome_is_violation(outcome) ? finding_kind_name(outcomes[outcome].finding)
                                         : outcomes[outcome].name;
}

bool outcome_is_violation(enum outcome outcome)
{
    must(outcome < OUTCOME_COUNT);
    return outcomes[outcome].name == NULL;
}

enum finding_kind outcome_finding(enum outcome violation)
{
    must(outcome_is_violation(violation));
    return outcomes[violation].finding;
}

bool outcome_is_cut(enum outcome outcome, enum finding_severity severity)
{
    return outcome == OUTCOME_HANG && severity == SEVERITY_NOTE;
}

const char *world_order_words(enum world_order order)
{
    static const char *const words[] = {
#define ORDER(id, words) (words),
        ORDER_LIST(ORDER)
#undef ORDER
    };
    must(order < ORDER_COUNT);
    return words[order];
}

void execution_clear(struct execution *x)
{
    x->outcome = OUTCOME_PASSED;
    x->what[0] = '\0';
    x->key[0] = '\0';
    x->severity = SEVERITY_ERROR;
    x->hash = 0;
    x->where = 0;
    x->is_faithful = true;
    x->is_early = false;
    x->has_changed = false;
    x->steps_reused = 0;
    vec_clear(&x->steps);
    vec_clear(&x->event_steps);
    vec_clear(&x->without);
    vec_clear(&x->pending);
    vec_clear(&x->unfinished);
    vec_clear(&x->blocks);
    x->pending_last = 0;
}

void execution_release(struct execution *x)
{
    vec_release(&x->steps);
    vec_release(&x->event_steps);
    vec_release(&x->without);
    vec_release(&x->pending);
    vec_release(&x->unfinished);
    vec_release(&x->blocks);
}

void execution_end(struct execution *x, enum outcome outcome, const char *what)
{
    x->outcome = outcome;
    (void)snprintf(x->what, sizeof x->what, "%s", what);
}

void execution_stop(struct execution *x, enum pick_stop stop, uint64_t where)
{
    x->where = where;
    switch (stop) {
    case PICK_DIVERGED:
        execution_end(x, OUTCOME_DIVERGED, "an operation of the schedule is not pending");
        return;
    case PICK_STUCK:
        execution_end(x, OUTCOME_UNSATISFIED, "a constraint holds all that is pending back");
        return;
    case PICK_ASLEEP:
        execution_end(x, OUTCOME_REDUNDANT, "what follows is explored elsewhere");
        return;
    case PICK_DONE: execution_end(x, OUTCOME_LIMIT, "all that was wanted has come"); return;
    case PICK_REST: return;
    }
}

int world_run(struct world *w, const struct plan *p, struct execution *x, struct err *e)
{
    execution_clear(x);
    const int result = w->ops->run(w, p, x, e);
    must(result < 0 || x->steps_reused <= x->steps.count);
    return result;
}

void world_close(struct world *w)
{
    if (w != NULL) {
        w->ops->close(w);
    }
}
