/* The exact finish: every execution that is shorter than the best, up to equivalence. First the
 * executions made of the best's own steps, none more often than there; then those of its kinds of
 * steps, any number of times; then all; and where requests carry smaller payloads, all with the
 * original payloads, for a smaller payload may take longer. Depth first with a checkpoint for each
 * step; no state is searched twice, and of equivalent orders one is taken (sleep_sets.h). A search
 * that reaches its end is a proof. */
#include "base/map.h"
#include "base/mem.h"
#include "minimize/engine/contents.h"
#include "minimize/engine/sleep_sets.h"
#include "minimize/stages/stages.h"
#include "pick/operation_name.h"

enum phase { PHASE_MULTISET, PHASE_KINDS, PHASE_ALL, PHASE_UNSHRUNK };

enum { STEPS_MAX = 2000000, DEPTH_MAX = 200, DEEPENING = 2 };

struct exact {
    struct reducer *reducer;
    enum phase phase;
    struct plan plan; /* its faults, and the payloads of requests */
    struct execution x;
    struct sleep_sets visits;
    VEC(uint64_t)
    asleep; /* ids of sleeping operations, of each state on the way behind those before */
    struct map allowance; /* operation to how often it may still come */
    struct map owed;      /* unignorable operation to how often it has still to come */
    uint32_t bound;       /* steps of an execution, at most */
    uint64_t steps;
    bool can_sleep;    /* orders of operations that do not conflict make no difference */
    bool is_bound_met; /* there are longer executions than that */
    bool is_cut;       /* something was not looked at */
    bool is_found;     /* something shorter: restart */
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
    }
    vec_each (&s->reducer->first.unignorable.entries, first) {
        map_put(&s->owed, first->key, first->value);
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
        uint32_t *left = map_get(&s->allowance, kind);
        must(change > 0 || *left > 0);
        *left += (uint32_t)change;
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

/* The state with the operations that may and must still come: equal keys have equal continuations.
 */
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

/* Tries the candidate as part of the search's plan; the best keeps its own when that fails. */
static void try_in_plan(struct exact *s, const struct candidate *found)
{
    struct minimized *m = s->reducer->result;
    const struct plan plan = m->plan;
    struct contents contents = m->contents;
    m->plan = s->plan;
    m->plan.wants_shared = false;
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

/* Runs the found execution once more, as every new best is. That ends the search: the world stands
 * elsewhere then. */
static void take_found(struct exact *s)
{
    if (!reducer_is_same(s->reducer, &s->x)) {
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

static void descend(struct exact *s, size_t asleep_first);

/* Operations that sleep or were tried, and do not conflict with the taken one, sleep after it. */
static void lull(struct exact *s, const struct branches *b, const struct branch *taken)
{
    vec_each (&b->list, other) {
        if (other->is == BRANCH_ASLEEP && !pick_conflicts(&other->operation, &taken->operation)) {
            vec_push(&s->asleep, other->id);
        }
    }
}

/* Takes one step from the world's state, and searches on from there. A step that changes variables
 * that all nodes see conflicts with everything: nothing sleeps after it, and it does not sleep. Nor
 * does a step that ended the run, for all other executions must come without it. */
static void enter(struct exact *s, const struct branches *b, struct branch *taken)
{
    struct world *w = s->reducer->world;
    const struct pick_operation *o = &taken->operation;
    const size_t asleep_first = s->asleep.count;
    must(taken->is == BRANCH_AWAKE);
    s->steps++;
    const bool is_paid = pay(s, o);
    taken->is = BRANCH_LEFT_OUT;
    if (w->ops->step(w, taken->choice, &s->x)) {
        if (s->can_sleep && !vec_last(&s->x.steps)->is_shared) {
            lull(s, b, taken);
            taken->is = taken->is_alike ? BRANCH_LEFT_OUT : BRANCH_ASLEEP;
        }
        spend(s, kind_of(o), -1);
        descend(s, asleep_first);
        spend(s, kind_of(o), 1);
        s->asleep.count = asleep_first;
    } else {
        take_found(s);
    }
    if (is_paid) {
        ++*map_get(&s->owed, o->action);
    }
}

static bool is_asleep(const struct exact *s, size_t asleep_first, uint64_t id)
{
    for (size_t i = asleep_first; i < s->asleep.count; i++) {
        if (s->asleep.at[i] == id) {
            return true;
        }
    }
    return false;
}

/* The operations that can be next in the world's state, and may be. */
static void list_branches(const struct exact *s, size_t asleep_first, struct branches *b)
{
    struct world *w = s->reducer->world;
    const struct pick_operation *pending = NULL;
    const uint32_t count = w->ops->pending(w, &pending);
    vec_reserve(&b->list, count);
    for (uint32_t i = 0; i < count; i++) {
        if (is_allowed(s, &pending[i])) {
            vec_push(&b->list, (struct branch){.operation = pending[i], .choice = i});
        }
    }
    branches_identify(b);
    vec_each (&b->list, branch) {
        const bool sleeps = !branch->is_alike && is_asleep(s, asleep_first, branch->id);
        branch->is = sleeps ? BRANCH_ASLEEP : BRANCH_AWAKE;
    }
}

/* Most states have one successor, and need no checkpoint. */
static void enter_all(struct exact *s, struct branches *b)
{
    struct world *w = s->reducer->world;
    const size_t depth = s->x.steps.count;
    uint32_t awake_count = 0;
    vec_each (&b->list, branch) {
        awake_count += branch->is == BRANCH_AWAKE;
    }
    void *checkpoint = awake_count > 1 ? w->ops->checkpoint(w) : NULL;
    bool is_moved = false;
    vec_each (&b->list, branch) {
        if (branch->is != BRANCH_AWAKE || !goes_on(s)) {
            continue;
        }
        if (is_moved) {
            w->ops->restore(w, checkpoint);
            s->x.steps.count = depth;
        }
        is_moved = true;
        enter(s, b, branch);
    }
    mem_free(checkpoint);
}

static void descend(struct exact *s, size_t asleep_first)
{
    const uint32_t depth = (uint32_t)s->x.steps.count;
    must(depth <= s->bound);
    if (depth >= s->bound) {
        s->is_bound_met = true;
        return;
    }
    const uint64_t state = key_of(s);
    if (sleep_sets_has_all(&s->visits, state, s->bound - depth)) {
        return;
    }
    struct branches b = {0};
    list_branches(s, asleep_first, &b);
    sleep_sets_enter(&s->visits, state, s->bound - depth, &b);
    enter_all(s, &b);
    vec_release(&b.list);
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

/* Everything up to the bound; false when there is no more to look at, or for. */
static bool look(struct exact *s)
{
    struct world *w = s->reducer->world;
    s->is_bound_met = false;
    sleep_sets_clear(&s->visits);
    execution_clear(&s->x);
    w->ops->begin(w, &s->plan, &s->x);
    if (s->x.outcome == OUTCOME_PASSED) {
        descend(s, 0);
    }
    must(s->asleep.count == 0);
    return s->is_bound_met && !s->is_cut && !s->is_found;
}

/* Iterative deepening, so that the shortest is found first and a search that gives up has covered
 * all executions up to some length. The best's own steps are few: there it goes to the end at once.
 */
static void look_deeper(struct exact *s)
{
    const uint32_t deepest = reducer_size(s->reducer) - 1;
    s->bound = s->phase == PHASE_MULTISET ? deepest : deepest % DEEPENING;
    while (look(s) && s->bound < deepest) {
        s->bound += DEEPENING;
    }
}

/* Whether steps that do not conflict may come in any order: none sees the other, no claim is about
 * it, and it is not asked on which node the violation showed, which is where the last step was. */
static bool is_order_free(const struct reducer *r)
{
    return r->world->scope != SCOPE_ORDER &&
           (r->options->same != SAME_EXACT || r->violation.outcome != OUTCOME_PROPERTY);
}

/* True when every execution of the phase was looked at and none was shorter. */
static bool search(struct reducer *r, enum phase phase)
{
    struct exact s = {
        .reducer = r, .phase = phase, .plan = plan_of(r, phase), .can_sleep = is_order_free(r)};
    s.plan.wants_shared = s.can_sleep;
    count_kinds(&s);
    look_deeper(&s);
    if (s.can_sleep && !is_order_free(r)) { /* as it turned out on the way */
        s.can_sleep = s.plan.wants_shared = false;
        look_deeper(&s);
    }
    r->result->stages[r->stage].searched += s.steps;
    if (s.steps >= STEPS_MAX) {
        reducer_note(r, "incomplete: gave up after %d steps", STEPS_MAX);
    }
    execution_release(&s.x);
    sleep_sets_release(&s.visits);
    vec_release(&s.asleep);
    map_release(&s.allowance);
    map_release(&s.owed);
    return !s.is_cut && !s.is_found;
}

/* A violation that shows only at the end of a run is not seen on the way; nor is one of a property
 * that looks then, or not after each step. */
static bool can_be_seen(const struct reducer *r)
{
    const struct world *w = r->world;
    if (r->violation.outcome == OUTCOME_PROPERTY) {
        const bool may_look_at_rest = r->options->same == SAME_KIND && w->looks_at_rest;
        return r->result->best.is_early && w->check_every <= 1 && !may_look_at_rest;
    }
    return r->violation.outcome != OUTCOME_LIVENESS && r->violation.outcome != OUTCOME_LIVELOCK &&
           r->violation.outcome != OUTCOME_DEADLOCK && r->violation.outcome != OUTCOME_HANG;
}

void exact_stage(struct reducer *r)
{
    const struct world_ops *ops = r->world->ops;
    if (reducer_size(r) == 0) {
        return; /* there is nothing shorter */
    }
    if (!r->options->keeps_checkpoints) {
        reducer_note(r, "skipped: a property may depend on earlier states");
        return;
    }
    if (ops->checkpoint == NULL || ops->state_hash == NULL) {
        reducer_note(r, "skipped: there are no checkpoints");
        return;
    }
    if (!can_be_seen(r)) {
        reducer_note(r, "skipped: the violation is not visible after a single step");
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
