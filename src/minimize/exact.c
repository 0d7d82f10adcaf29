/* The exact finish: every execution that is shorter than the best, as far as they can be told
 * apart. First those made of the best's own steps, none more often than there; then of its kinds of
 * steps, as often as one likes; then all; and where requests bring less than they would, all with
 * what they would bring, for less may take longer. Depth first with a checkpoint for each step; a
 * state that was seen with as many steps left is not entered again. What comes to its end is a
 * proof.
 *
 * Messages that may not be ignored come as often as in the best, or in the first run if that had
 * fewer. */
#include "base/map.h"
#include "base/mem.h"
#include "minimize/reduce.h"
#include "pick/name.h"

enum phase { PHASE_MULTISET, PHASE_KINDS, PHASE_ALL, PHASE_UNSHRUNK };

enum { STEPS_MAX = 2000000, DEPTH_MAX = 200 };

struct exact {
    struct reducer *reducer;
    enum phase phase;
    struct plan plan; /* its faults, and what requests bring */
    struct execution x;
    struct map left_of;   /* what was done before with a state: so many steps were left */
    struct map allowance; /* operation to how often it may still come */
    struct map owed;      /* what may not be ignored to how often it has still to come */
    uint32_t bound;       /* steps of an execution, at most */
    uint64_t steps;
    bool is_cut;   /* something was not looked at */
    bool is_found; /* something shorter: begin anew */
};

static uint64_t kind_of(const struct pick_operation *o)
{
    return name_mix(o->action, o->fault);
}

static void count_kinds(struct exact *s)
{
    vec_each (&s->reducer->result->best.steps, step) {
        bool is_new = false;
        ++*map_slot(&s->allowance, kind_of(&step->operation), 0, &is_new);
        const uint32_t *first = map_get(&s->reducer->unignorable, step->operation.action);
        if (step->operation.is_unignorable && first != NULL) {
            uint32_t *owed = map_slot(&s->owed, step->operation.action, 0, &is_new);
            *owed += *owed < *first;
        }
    }
}

static bool is_allowed(const struct exact *s, const struct pick_operation *o)
{
    if (s->phase >= PHASE_ALL) {
        return true;
    }
    const uint32_t *left = map_get(&s->allowance, kind_of(o));
    return left != NULL && (s->phase == PHASE_KINDS || *left > 0);
}

static void spend(struct exact *s, uint64_t kind, int change)
{
    if (s->phase == PHASE_MULTISET) {
        *map_get(&s->allowance, kind) += (uint32_t)change;
    }
}

/* Whether the operation is one that has to come, which it has now. */
static bool pay(struct exact *s, const struct pick_operation *o)
{
    uint32_t *owed = o->is_unignorable ? map_get(&s->owed, o->action) : NULL;
    if (owed == NULL || *owed == 0) {
        return false;
    }
    --*owed;
    return true;
}

static bool is_owing(const struct exact *s)
{
    vec_each (&s->owed.entries, entry) {
        if (entry->value > 0) {
            return true;
        }
    }
    return false;
}

/* The state with what may and must still come: equal ones go on alike. */
static uint64_t key_of(const struct exact *s)
{
    uint64_t key = s->reducer->world->ops->state_hash(s->reducer->world);
    if (s->phase == PHASE_MULTISET) {
        vec_each (&s->allowance.entries, entry) {
            key = name_mix(key, entry->value);
        }
    }
    vec_each (&s->owed.entries, entry) {
        key = name_mix(key, entry->value);
    }
    return key;
}

static bool was_seen(struct exact *s, uint32_t left)
{
    bool is_new = false;
    uint32_t *before = map_slot(&s->left_of, key_of(s), left, &is_new);
    if (!is_new && *before >= left) {
        return true;
    }
    *before = left;
    return false;
}

/* Tries the candidate as part of the search's plan; the best keeps its own when that fails. */
static void try_in_plan(struct exact *s, const struct candidate *found)
{
    struct minimized *m = s->reducer->result;
    const struct plan plan = m->plan;
    struct contents contents = m->contents;
    m->plan = s->plan;
    if (s->phase == PHASE_UNSHRUNK) {
        m->contents = (struct contents){0};
    }
    if (!reducer_try(s->reducer, found)) {
        m->plan = plan;
        m->contents = contents;
    } else if (s->phase == PHASE_UNSHRUNK) {
        contents_release(&contents);
    }
}

/* Runs what was found once more, as all that becomes the best is. That ends the search: the world
 * stands elsewhere then. */
static void take_found(struct exact *s)
{
    if (is_owing(s) || !reducer_is_same(s->reducer, &s->x)) {
        return;
    }
    struct candidate found = {0};
    vec_each (&s->x.steps, step) {
        const struct pick_operation *o = &step->operation;
        vec_push(&found.wants, (struct pick_want){.action = o->action,
                                                  .content = o->content,
                                                  .fault = o->fault,
                                                  .match = PICK_SAME});
    }
    s->is_found = true;
    try_in_plan(s, &found);
    vec_release(&found.wants);
}

static bool goes_on(struct exact *s)
{
    if (s->steps % 1024 == 0 && !reducer_goes_on(s->reducer)) {
        s->is_cut = true;
    }
    if (s->steps >= STEPS_MAX) {
        s->is_cut = true;
    }
    return !s->is_cut && !s->is_found;
}

static void descend(struct exact *s);

/* Takes one step from where the world stands, and what follows from it. */
static void enter(struct exact *s, const struct pick_operation *o, uint32_t choice)
{
    struct world *w = s->reducer->world;
    s->steps++;
    const bool is_paid = pay(s, o);
    if (w->ops->step(w, choice, &s->x)) {
        spend(s, kind_of(o), -1);
        descend(s);
        spend(s, kind_of(o), 1);
    } else {
        take_found(s);
    }
    if (is_paid) {
        ++*map_get(&s->owed, o->action);
    }
}

static void descend(struct exact *s)
{
    struct world *w = s->reducer->world;
    const uint32_t depth = (uint32_t)s->x.steps.count;
    if (depth >= s->bound || was_seen(s, s->bound - depth)) {
        return;
    }
    const struct pick_operation *pending = NULL;
    const uint32_t count = w->ops->pending(w, &pending);
    struct pick_operation *mine = mem_zero(count + 1, sizeof *mine);
    for (uint32_t i = 0; i < count; i++) {
        mine[i] = pending[i];
    }
    void *checkpoint = w->ops->checkpoint(w);
    bool is_moved = false;
    for (uint32_t i = 0; i < count && goes_on(s); i++) {
        if (!is_allowed(s, &mine[i])) {
            continue;
        }
        if (is_moved) {
            w->ops->restore(w, checkpoint);
            s->x.steps.count = depth;
        }
        is_moved = true;
        enter(s, &mine[i], i);
    }
    mem_free(checkpoint);
    mem_free(mine);
}

static struct plan plan_of(const struct reducer *r, enum phase phase)
{
    struct plan plan = r->result->plan;
    if (phase >= PHASE_ALL) {
        plan.faults = r->faults;
    }
    if (phase == PHASE_UNSHRUNK) {
        plan.contents = NULL;
        plan.content_count = 0;
    }
    return plan;
}

/* True when every execution of the phase was looked at and none was shorter. */
static bool search(struct reducer *r, enum phase phase)
{
    struct world *w = r->world;
    struct exact s = {
        .reducer = r, .phase = phase, .plan = plan_of(r, phase), .bound = reducer_size(r) - 1};
    count_kinds(&s);
    w->ops->begin(w, &s.plan, &s.x);
    if (s.x.outcome == OUTCOME_PASSED) {
        descend(&s);
    }
    r->result->stages[r->stage].searched += s.steps;
    if (s.steps >= STEPS_MAX) {
        reducer_note(r, "not all: given up after %d steps", STEPS_MAX);
    }
    execution_release(&s.x);
    map_release(&s.left_of);
    map_release(&s.allowance);
    map_release(&s.owed);
    return !s.is_cut && !s.is_found;
}

/* What shows only at the end of a run is not seen on the way: nor is a property that looks then, or
 * not after each step. */
static bool can_be_seen(const struct reducer *r)
{
    const struct world *w = r->world;
    if (r->outcome == OUTCOME_PROPERTY) {
        const bool may_look_at_rest = r->options->same == SAME_KIND && w->looks_at_rest;
        return r->result->best.is_early && w->check_every <= 1 && !may_look_at_rest;
    }
    return r->outcome != OUTCOME_LIVENESS && r->outcome != OUTCOME_LIVELOCK &&
           r->outcome != OUTCOME_DEADLOCK && r->outcome != OUTCOME_HANG;
}

void exact_stage(struct reducer *r)
{
    const struct world_ops *ops = r->world->ops;
    const uint32_t size = reducer_size(r);
    if (size == 0) {
        r->result->proof = PROOF_OPTIMAL;
        return;
    }
    if (!r->options->keeps_checkpoints) {
        reducer_note(r, "a property may look back");
        return;
    }
    if (ops->checkpoint == NULL || ops->state_hash == NULL) {
        reducer_note(r, "there are no checkpoints");
        return;
    }
    if (!can_be_seen(r)) {
        reducer_note(r, "the violation does not show between two steps");
        return;
    }
    if (reducer_is_longer(r, DEPTH_MAX)) {
        return;
    }
    const int last = r->result->plan.content_count > 0 ? PHASE_UNSHRUNK : PHASE_ALL;
    for (int phase = 0; phase <= last; phase++) {
        if (!reducer_goes_on(r) || !search(r, (enum phase)phase)) {
            return;
        }
        if (phase >= PHASE_KINDS && !r->world->has_bound_events) {
            r->result->proof = phase == last ? PROOF_OPTIMAL : PROOF_KINDS;
        }
    }
}
