/* Optimal dynamic partial order reduction (Abdulla, Aronis, Jonsson and Sagonas, "Source Sets: A
 * Foundation for Optimal Dynamic Partial Order Reduction", JACM 2017): of all executions that
 * differ only in the order of operations that do not conflict, exactly one is run, and no run is
 * cut off as redundant.
 *
 * The stack has a node for each step of the current run, with three parts. The pending operations.
 * The sleep set: operations that runs began with. The wakeup tree: sequences that runs have still
 * to begin with. The search looks for races in each run: pairs of steps that conflict and that
 * nothing else orders. A race gives a sequence: the steps not ordered after the first of the pair,
 * then the second. It is added to the tree of the node before the pair, unless an execution that
 * begins so can as well begin with an operation that sleeps there.
 *
 * Beside the paper: a step also comes after the one that created its operation, and after those
 * that enabled it, which are no race with it; a sequence of which an operation turns out not to be
 * pending goes on without it; an operation that a step disables is tried instead of the step;
 * faults, which happen only when chosen, are tried wherever they are pending; and a run that was
 * ended by a violation, or while tasks had more to do, is searched as if each operation still
 * pending came next.
 *
 * Claims about several nodes at one moment are given all moments (explore/global_states.h). A run
 * that breaks one is made again without checks: a claim that ends a run must not hide the steps
 * behind it. Whether these steps can be reached follows from the moments. Claims about how moments
 * follow each other make all steps conflict. */
#include <stddef.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "explore/global_states.h"
#include "explore/search.h"
#include "explore/step_order.h"
#include "explore/wakeup.h"
#include "wire/kind.h"

struct node {
    VEC(struct pick_operation) pending;
    VEC(struct pick_operation) asleep; /* on arrival, and those tried since */
    struct wakeup_tree wakeup;         /* to be tried, without the current one */
    VEC(uint64_t) crashed; /* names that were tried, and nothing comes after them: no sleep */
    struct pick_operation chosen;
};

struct dpor {
    struct search search;
    VEC(struct node) nodes;
    size_t depth; /* nodes in use */
    struct turns turns;
    VEC(struct pick_operation) asleep; /* of the plan: behind its last turn */
    struct relation relation;
    struct reversal reversal; /* of the race that is looked at */
    bool is_begun;

    /* Of claims about moments alone: */
    struct global_states moments;
    bool is_passing; /* the run is made for the moments that it passes */
    bool is_blind;   /* it does not look at claims, for it was made before and broke one */
};

_Static_assert(offsetof(struct dpor, search) == 0, "operations cast the search to its struct");

static bool has_moments(const struct dpor *d)
{
    return d->search.options.scope == SCOPE_MOMENT;
}

static void node_release(struct node *n)
{
    vec_release(&n->pending);
    vec_release(&n->asleep);
    wakeup_release(&n->wakeup);
    vec_release(&n->crashed);
}

static bool is_asleep(const struct node *n, uint64_t name)
{
    vec_each (&n->asleep, o) {
        if (o->name == name) {
            return true;
        }
    }
    return false;
}

static const struct pick_operation *find_pending(const struct node *n, uint64_t name)
{
    vec_each (&n->pending, o) {
        if (o->name == name) {
            return o;
        }
    }
    return NULL;
}

static bool has_crashed(const struct node *n, uint64_t name)
{
    vec_each (&n->crashed, crashed) {
        if (*crashed == name) {
            return true;
        }
    }
    return false;
}

/* The operation, pending at the node, is to be tried there, if it was not. */
static void want(struct node *n, const struct pick_operation *o)
{
    must_in_tests(find_pending(n, o->name) != NULL);
    if (o->name != n->chosen.name && !has_crashed(n, o->name)) {
        wakeup_add(&n->wakeup, o);
    }
}

/* The next operation to try at the node; NULL when none is left. */
static const struct pick_operation *next_wanted(struct node *n)
{
    while (n->wakeup.sequences.count > 0) {
        const uint64_t name = n->wakeup.sequences.at[0].operations.at[0].name;
        const struct pick_operation *o = find_pending(n, name);
        if (o != NULL && !is_asleep(n, name) && !has_crashed(n, name)) {
            return o;
        }
        wakeup_drop_first(&n->wakeup);
    }
    return NULL;
}

static struct plan plan_of(const struct dpor *d)
{
    struct plan p = search_plan(&d->search.options);
    p.pick.turns = d->turns.list.at;
    p.pick.turn_count = d->turns.list.count;
    p.wants_views = has_moments(d);
    p.is_ordered = d->search.options.scope == SCOPE_ORDER;
    p.is_reduced = !p.is_ordered;
    return p;
}

/* Wakes the operations that conflict with the chosen one. */
static void plan_sleep(struct dpor *d, const struct pick_operation *done)
{
    size_t left = 0;
    vec_each (&d->asleep, o) {
        if (!pick_conflicts(o, done)) {
            d->asleep.at[left++] = *o;
        }
    }
    d->asleep.count = left;
}

/* The sequence that the last node is tried with goes on below it. */
static void plan_sequence(struct dpor *d, const struct node *branch)
{
    vec_clear(&d->asleep);
    vec_each (&branch->asleep, o) {
        vec_push(&d->asleep, *o);
    }
    const struct wakeup_sequence *s = wakeup_find(&branch->wakeup, branch->chosen.name);
    for (size_t i = 1; s != NULL && i < s->operations.count; i++) {
        const struct pick_turn turn = {.name = s->operations.at[i].name,
                                       .step = (uint32_t)d->turns.list.count,
                                       .is_optional = true};
        plan_sleep(d, &s->operations.at[i - 1]);
        vec_push(&d->turns.list, turn);
    }
}

static void make_plan(struct dpor *d, struct plan *p)
{
    vec_clear(&d->turns.list);
    for (uint32_t i = 0; i < d->depth; i++) {
        vec_push(&d->turns.list, (struct pick_turn){.name = d->nodes.at[i].chosen.name, .step = i});
    }
    if (d->depth > 0) {
        plan_sequence(d, &d->nodes.at[d->depth - 1]);
    }
    *p = plan_of(d);
    p->pick.asleep = d->asleep.at;
    p->pick.asleep_count = d->depth == 0 ? 0 : d->asleep.count;
    p->wants_pending = true;
    p->is_blind = d->is_blind;
}

static bool next(struct search *search, uint64_t run_index, struct plan *p)
{
    (void)run_index;
    struct dpor *d = (struct dpor *)search;
    d->is_passing = !d->is_blind && global_states_next(&d->moments, &d->relation, &d->turns);
    if (d->is_passing) {
        *p = plan_of(d);
        return true;
    }
    while (d->is_begun && !d->is_blind) {
        if (d->depth == 0) {
            return false;
        }
        struct node *top = &d->nodes.at[d->depth - 1];
        /* A tried operation sleeps for those that come after it. */
        if (top->chosen.name != 0 && !has_crashed(top, top->chosen.name)) {
            vec_push(&top->asleep, top->chosen);
        }
        const struct pick_operation *o = next_wanted(top);
        if (o != NULL) {
            top->chosen = *o;
            break;
        }
        d->depth--;
    }
    d->is_begun = true;
    make_plan(d, p);
    return true;
}

static struct node *push_node(struct dpor *d)
{
    must(d->depth <= d->nodes.count);
    if (d->depth == d->nodes.count) {
        vec_push(&d->nodes, (struct node){0});
    }
    struct node *n = &d->nodes.at[d->depth++];
    vec_clear(&n->pending);
    vec_clear(&n->asleep);
    wakeup_clear(&n->wakeup);
    vec_clear(&n->crashed);
    n->chosen = (struct pick_operation){0};
    return n;
}

/* The node before a step, or after the last (chosen is NULL). An operation that slept at the
 * node above and does not conflict with the chosen one there still sleeps. */
static void add_node(struct dpor *d, const struct pick_operation *pending, size_t count,
                     const struct pick_operation *chosen)
{
    struct node *n = push_node(d);
    for (size_t i = 0; i < count; i++) {
        vec_push(&n->pending, pending[i]);
    }
    if (d->depth > 1) {
        struct node *above = &d->nodes.at[d->depth - 2];
        vec_each (&above->asleep, o) {
            if (!pick_conflicts(o, &above->chosen)) {
                vec_push(&n->asleep, *o);
            }
        }
        wakeup_descend(&above->wakeup, above->chosen.name, &n->wakeup);
    }
    if (chosen != NULL) {
        n->chosen = *chosen;
    }
    vec_each (&n->pending, o) {
        if (o->fault != 0) {
            want(n, o);
        }
    }
}

/* Nodes for the steps that this run has added, and for its end. */
static void extend(struct dpor *d, const struct execution *x)
{
    for (size_t i = d->depth; i < x->steps.count; i++) {
        const struct step *s = &x->steps.at[i];
        add_node(d, x->pending.at + s->pending_first, s->pending_count, &s->operation);
    }
    /* At rest, or where all that could go on sleeps, there may still be faults. */
    if (x->outcome == OUTCOME_PASSED || x->outcome == OUTCOME_REDUNDANT) {
        add_node(d, x->pending.at + x->pending_last, x->pending.count - x->pending_last, NULL);
    }
    must(d->depth >= x->steps.count);
}

/* Whether runs that begin with the reversal at the node are made in any case: it may begin with
 * an operation that sleeps there, or it begins with one that ends the run. */
static bool is_needless(const struct node *n, const struct reversal *v)
{
    vec_each (&n->asleep, o) {
        if (reversal_may_begin(v, o)) {
            return true;
        }
    }
    vec_each (&n->crashed, name) {
        const struct pick_operation *o = find_pending(n, *name);
        if (o != NULL && reversal_may_begin(v, o)) {
            return true;
        }
    }
    return false;
}

/* The first step of v must be pending; false when no step that may begin v is. */
static bool begin_pending(const struct node *n, struct reversal *v)
{
    for (size_t i = 0; i < v->steps.count; i++) {
        const uint32_t step = v->steps.at[i];
        const struct pick_operation *o = &v->x->steps.at[step].operation;
        if (find_pending(n, o->name) != NULL && reversal_may_begin(v, o)) {
            memmove(v->steps.at + 1, v->steps.at, i * sizeof *v->steps.at);
            v->steps.at[0] = step;
            return true;
        }
    }
    return false;
}

/* Whether the operation became possible between the two steps, by one that need not come after the
 * first: a signal that was sent. */
static bool is_enabled_between(const struct dpor *d, size_t first, size_t second, uint64_t name)
{
    if (second >= d->depth || find_pending(&d->nodes.at[second], name) == NULL) {
        return false;
    }
    size_t enabler = second - 1;
    while (enabler > first && find_pending(&d->nodes.at[enabler], name) != NULL) {
        enabler--;
    }
    return enabler > first && !relation_is_before(&d->relation, first, enabler);
}

/* Whether the operation of the step could have come before the other, if nothing else is asked. */
static bool is_reversible(const struct dpor *d, const struct execution *x, size_t first,
                          size_t second)
{
    const struct step *a = &x->steps.at[first];
    const struct step *b = &x->steps.at[second];
    if (a->operation.task == b->operation.task && !b->operation.is_overtaking &&
        b->operation.kind != EVENT_HANDLER_BEGIN) {
        return false;
    }
    const bool is_created_between = b->cause != STEP_NONE && b->cause > first;
    return is_created_between || find_pending(&d->nodes.at[first], b->operation.name) != NULL ||
           is_enabled_between(d, first, second, b->operation.name);
}

/* The races that the relation was asked for. */
static void reverse_races(struct dpor *d, const struct execution *x)
{
    struct reversal *v = &d->reversal;
    v->x = x;
    v->relation = &d->relation;
    vec_each (&d->relation.races, race) {
        must(race->first < d->depth);
        struct node *n = &d->nodes.at[race->first];
        if (!is_reversible(d, x, race->first, race->second)) {
            continue;
        }
        d->search.has_data_races = d->search.has_data_races || relation_is_data_race(x, race);
        reversal_build(v, race);
        if (!is_needless(n, v) && begin_pending(n, v)) {
            wakeup_insert(&n->wakeup, v);
        }
    }
}

static bool is_made_later(const struct execution *x, size_t from, uint64_t name)
{
    for (size_t i = from; i < x->steps.count; i++) {
        if (x->steps.at[i].operation.name == name) {
            return true;
        }
    }
    return false;
}

/* An operation was pending before a step and is not after it: a timer that was set again or
 * cancelled. It will never race with the step, and could have come instead. */
static void reverse_disabled(struct dpor *d, const struct execution *x, size_t new_first)
{
    for (size_t i = new_first; i < x->steps.count && i + 1 < d->depth; i++) {
        struct node *n = &d->nodes.at[i];
        vec_each (&n->pending, o) {
            if (o->name != n->chosen.name && find_pending(n + 1, o->name) == NULL &&
                !is_made_later(x, i + 1, o->name)) {
                want(n, o);
            }
        }
    }
}

/* A task that takes a signal could have gone on instead, and one that went on could have taken it.
 */
static void reverse_interruptions(struct dpor *d, const struct execution *x, size_t new_first)
{
    for (size_t i = new_first; i < x->steps.count; i++) {
        struct node *n = &d->nodes.at[i];
        vec_each (&n->pending, o) {
            if (o->task == n->chosen.task &&
                (o->kind == EVENT_HANDLER_BEGIN) != (n->chosen.kind == EVENT_HANDLER_BEGIN)) {
                want(n, o);
            }
        }
    }
}

static bool is_within_step(enum outcome outcome)
{
    return outcome == OUTCOME_ASSERTION || outcome == OUTCOME_CRASH ||
           outcome == OUTCOME_SANITIZER || outcome == OUTCOME_HANG;
}

/* A run that was cut short: the operations pending beside its last step might have come next. Where
 * that step did not complete, nothing comes after it, and all else must come without it. */
static void reverse_pending(struct dpor *d, const struct execution *x)
{
    if (x->steps.count == 0 || x->outcome == OUTCOME_PASSED || x->outcome == OUTCOME_REDUNDANT) {
        return;
    }
    struct node *last = &d->nodes.at[x->steps.count - 1];
    if (is_within_step(x->outcome)) {
        vec_push(&last->crashed, last->chosen.name);
    }
    vec_each (&last->pending, o) {
        if (is_within_step(x->outcome)) {
            want(last, o);
        }
        for (size_t i = x->steps.count; i-- > 0;) {
            struct node *n = &d->nodes.at[i];
            if (o->name != n->chosen.name && pick_conflicts(o, &n->chosen) &&
                find_pending(n, o->name) != NULL) {
                want(n, o);
            }
        }
    }
}

/* The next operations of tasks when the run was over, each as if it came next. Those of blocked
 * tasks are among them: the blocking task could have come later. */
static void reverse_unfinished(struct dpor *d, struct execution *x)
{
    vec_each (&x->unfinished, u) {
        vec_push(&x->steps, *u);
        relation_build(&d->relation, x, x->steps.count - 1);
        reverse_races(d, x);
        (void)vec_pop(&x->steps);
    }
}

static void learn_run(struct dpor *d, struct execution *x)
{
    const size_t new_first = d->depth == 0 ? 0 : d->depth - 1;
    extend(d, x);
    relation_build(&d->relation, x, new_first);
    reverse_races(d, x);
    reverse_disabled(d, x, new_first);
    reverse_interruptions(d, x, new_first);
    reverse_pending(d, x);
    reverse_unfinished(d, x);
}

/* Runs that are not the first of their kind are not counted as executions. */
static void learn(struct search *search, const struct plan *p, struct execution *x)
{
    (void)p;
    struct dpor *d = (struct dpor *)search;
    must(!d->is_passing || !d->is_blind);
    if (d->is_passing) {
        global_states_learn(&d->moments, x);
        search->tally.redundant_runs += x->outcome != OUTCOME_REDUNDANT;
        return;
    }
    if (has_moments(d) && !d->is_blind) {
        global_states_note(&d->moments, x);
    }
    if (has_moments(d) && x->is_early && x->steps.count > 0) {
        d->is_blind = true;
        search->tally.redundant_runs++;
        return;
    }
    learn_run(d, x);
    /* Redundant runs have their moments elsewhere. Where runs are limited, not all moments can be
     * passed, and nobody says that they were. */
    if (has_moments(d) && x->outcome != OUTCOME_LIMIT && x->outcome != OUTCOME_REDUNDANT) {
        global_states_take(&d->moments, x, !d->is_blind);
    }
    d->is_blind = false;
}

static bool is_complete(const struct search *search)
{
    return !((const struct dpor *)search)->moments.is_unsure;
}

/* Saved: for each node the chosen operation, the sleep set and the wakeup tree. The pending
 * operations are known again when the current run is made once more. */

static void save(struct search *search, struct out *whole, struct out *more)
{
    struct dpor *d = (struct dpor *)search;
    global_states_save(&d->moments, more);
    saved_put(whole, d->is_begun);
    saved_put(whole, d->is_blind);
    saved_put(whole, d->moments.is_unsure);
    saved_put(whole, d->moments.has_steps);
    saved_put(whole, d->moments.wants_end);
    saved_put(whole, d->depth);
    for (size_t i = 0; i < d->depth; i++) {
        const struct node *n = &d->nodes.at[i];
        saved_put(whole, n->chosen.name);
        wakeup_save(&n->wakeup, whole);
        saved_put(whole, n->asleep.count);
        vec_each (&n->asleep, o) {
            operation_save(o, whole);
        }
        saved_put(whole, n->crashed.count);
        vec_each (&n->crashed, name) {
            saved_put(whole, *name);
        }
    }
}

static void resume_node(struct dpor *d, struct saved *s)
{
    struct node *n = push_node(d);
    n->chosen.name = saved_take(s);
    wakeup_resume(&n->wakeup, s);
    const uint64_t asleep_count = saved_take_count(s);
    for (uint64_t i = 0; i < asleep_count; i++) {
        vec_push(&n->asleep, operation_resume(s));
    }
    const uint64_t crashed_count = saved_take_count(s);
    for (uint64_t i = 0; i < crashed_count; i++) {
        vec_push(&n->crashed, saved_take(s));
    }
}

/* Restores the pending operations. */
static int refill_node(struct node *n, const struct pick_operation *pending, size_t count,
                       struct err *e)
{
    must(n->pending.count == 0);
    for (size_t i = 0; i < count; i++) {
        vec_push(&n->pending, pending[i]);
    }
    if (n->chosen.name == 0) {
        return 0;
    }
    const struct pick_operation *chosen = find_pending(n, n->chosen.name);
    if (chosen == NULL) {
        return err_set(e, "a run of the search does not go as it went");
    }
    n->chosen = *chosen;
    return 0;
}

static int refill(struct dpor *d, const struct execution *x, struct err *e)
{
    for (size_t i = 0; i < d->depth; i++) {
        struct node *n = &d->nodes.at[i];
        const struct step *s = i < x->steps.count ? &x->steps.at[i] : NULL;
        /* The node behind the last step, where nothing was chosen. */
        const size_t first = s == NULL ? x->pending_last : s->pending_first;
        const size_t count = s == NULL ? x->pending.count - x->pending_last : s->pending_count;
        if (refill_node(n, x->pending.at + first, count, e) < 0) {
            return -1;
        }
    }
    return 0;
}

/* The current run once more, without looking, so that it goes as far as it went. */
static int remake(struct dpor *d, struct world *w, struct execution *x, struct err *e)
{
    for (uint32_t i = 0; i < d->depth && d->nodes.at[i].chosen.name != 0; i++) {
        vec_push(&d->turns.list, (struct pick_turn){.name = d->nodes.at[i].chosen.name, .step = i});
    }
    struct plan p = plan_of(d);
    p.steps_max = (uint32_t)d->turns.list.count;
    p.wants_pending = true;
    p.is_blind = true;
    return world_run(w, &p, x, e) < 0 ? -1 : refill(d, x, e);
}

static int resume(struct search *search, struct world *w, struct saved *whole, struct saved *more,
                  struct err *e)
{
    struct dpor *d = (struct dpor *)search;
    struct execution x = {0};
    d->is_begun = saved_take(whole) != 0;
    d->is_blind = saved_take(whole) != 0;
    d->moments.is_unsure = saved_take(whole) != 0;
    const bool has_steps = saved_take(whole) != 0;
    const bool wants_end = saved_take(whole) != 0;
    const uint64_t depth = saved_take_count(whole);
    for (uint64_t i = 0; i < depth && !whole->is_short; i++) {
        resume_node(d, whole);
    }
    global_states_resume(&d->moments, more);
    const int result = d->depth == 0 ? 0 : remake(d, w, &x, e);
    if (result == 0 && has_steps) {
        relation_build(&d->relation, &x, SIZE_MAX);
        global_states_take(&d->moments, &x, !wants_end);
    }
    execution_release(&x);
    return result;
}

static void free_dpor(struct search *search)
{
    struct dpor *d = (struct dpor *)search;
    vec_each (&d->nodes, n) {
        node_release(n);
    }
    vec_release(&d->nodes);
    vec_release(&d->turns.list);
    vec_release(&d->asleep);
    vec_release(&d->reversal.steps);
    relation_release(&d->relation);
    global_states_release(&d->moments);
    mem_free(d);
}

struct search *search_dpor(const struct search_options *o)
{
    static const struct search_ops ops = {.next = next,
                                          .learn = learn,
                                          .is_complete = is_complete,
                                          .free = free_dpor,
                                          .save = save,
                                          .resume = resume};
    struct dpor *d = mem_zero(1, sizeof *d);
    d->search = (struct search){.ops = &ops, .options = *o};
    d->reversal.may_vanish = !o->has_tasks;
    d->moments.is_kept = o->is_kept;
    d->moments.check_every = o->check_every == 0 ? 1 : o->check_every;
    return &d->search;
}
