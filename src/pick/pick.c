#include "pick/pick.h"

#include <string.h>

#include "pick/strategy.h"
#include "wire/kind.h"

static const struct strategy *const strategies[] = {
#define STRATEGY(id, name) &strategy_##name,
    PICK_STRATEGY_LIST(STRATEGY)
#undef STRATEGY
};

static const char *const strategy_names[] = {
#define STRATEGY(id, name) #name,
    PICK_STRATEGY_LIST(STRATEGY)
#undef STRATEGY
};

const char *pick_strategy_name(enum pick_strategy strategy)
{
    must(strategy < PICK_STRATEGY_COUNT);
    return strategy_names[strategy];
}

int pick_strategy_find(const char *name)
{
    for (int i = 0; i < PICK_STRATEGY_COUNT; i++) {
        if (strcmp(strategy_names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

static bool touches(const struct pick_operation *o, uint32_t object, bool *is_changed)
{
    bool is_touched = false;
    for (unsigned i = 0; i < 2; i++) {
        if (o->objects[i] == object || (o->objects[i] == PICK_EVERYTHING && object != 0)) {
            is_touched = true;
            *is_changed = *is_changed || (o->writes >> i & 1) != 0;
        }
    }
    return is_touched;
}

/* Whether the two conflict, where one is an access to memory. */
static bool bytes_conflict(const struct pick_operation *a, const struct pick_operation *b)
{
    return a->region == b->region && a->begin < b->end && b->begin < a->end &&
           ((a->writes | b->writes) & 1) != 0;
}

bool pick_conflicts(const struct pick_operation *a, const struct pick_operation *b)
{
    if (a->task == b->task) {
        return true;
    }
    if ((a->is_access || b->is_access) && a->region != 0 && b->region != 0) {
        return bytes_conflict(a, b);
    }
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t object = a->objects[i];
        bool is_changed = (a->writes >> i & 1) != 0;
        if (object == PICK_EVERYTHING) {
            return b->objects[0] != 0 || b->objects[1] != 0;
        }
        if (object != 0 && touches(b, object, &is_changed) && is_changed) {
            return true;
        }
    }
    return false;
}

bool pick_enables(const struct pick_operation *a, const struct pick_operation *b)
{
    return b->needs != 0 && (((a->gives & 1) != 0 && a->objects[0] == b->needs) ||
                             ((a->gives & 2) != 0 && a->objects[1] == b->needs));
}

void *carve(struct carving *c, size_t count, size_t size)
{
    const size_t begin = (c->used + 63) / 64 * 64;
    c->used = begin + count * size;
    return c->at == NULL ? NULL : c->at + begin;
}

/* Lays out p and its memory; p may be a dummy when memory is only measured. */
static void lay_out(struct pick *p, struct carving *c)
{
    const struct pick_limits *l = &p->limits;
    p->allowed = carve(c, l->pending_max, sizeof *p->allowed);
    p->kept = carve(c, l->constraint_max, sizeof *p->kept);
    p->asleep = carve(c, l->asleep_max, sizeof *p->asleep);
    table_init(&p->changed, carve(c, table_entries(l->object_max), sizeof(struct table_entry)),
               l->object_max);
    p->starved = carve(c, l->task_max, sizeof *p->starved);
    wish_init(p, c);
    point_init(p, c);
    pct_init(p, c);
    pos_init(p, c);
    surw_init(p, c);
    coverage_init(p, c);
}

size_t pick_size(const struct pick_limits *limits)
{
    struct pick measured = {.limits = *limits};
    struct carving c = {.used = sizeof measured};
    lay_out(&measured, &c);
    return c.used;
}

struct pick *pick_init(void *memory, const struct pick_limits *limits)
{
    const size_t size = pick_size(limits);
    memset(memory, 0, size);
    struct pick *p = memory;
    p->limits = *limits;
    struct carving c = {.at = memory, .used = sizeof *p};
    lay_out(p, &c);
    must(c.used == size);
    return p;
}

void pick_begin(struct pick *p, const struct pick_plan *plan)
{
    must(plan->constraint_count <= p->limits.constraint_max);
    must(plan->asleep_count <= p->limits.asleep_max);
    must(plan->strategy < PICK_STRATEGY_COUNT);
    p->plan = *plan;
    p->strategy = strategies[plan->strategy];
    p->has_weights = pick_weights_are_any(&plan->weights);
    prng_init(&p->prng, plan->seed);
    p->step = 0;
    p->turn = 0;
    p->where = 0;
    p->external_count = 0;
    p->choice_count = 0;
    p->asleep_count = plan->asleep_count;
    for (size_t i = 0; i < plan->asleep_count; i++) {
        p->asleep[i] = plan->asleep[i];
    }
    if (p->has_starved) {
        memset(p->starved, 0, p->limits.task_max * sizeof *p->starved);
        p->has_starved = false;
    }
    keep_begin(p);
    wish_begin(p);
    point_begin(p);
    if (p->strategy->begin != NULL) {
        p->strategy->begin(p);
    }
}

/* An operation sleeps until one that it conflicts with happens, from the last turn on. */
static void wake(struct pick *p, const struct pick_operation *done)
{
    if (p->turn < p->plan.turn_count) {
        return;
    }
    size_t left = 0;
    for (size_t i = 0; i < p->asleep_count; i++) {
        if (!pick_conflicts(&p->asleep[i], done)) {
            p->asleep[left++] = p->asleep[i];
        }
    }
    p->asleep_count = left;
}

static bool is_asleep(const struct pick *p, const struct pick_operation *o)
{
    for (size_t i = 0; i < p->asleep_count; i++) {
        if (p->asleep[i].name == o->name) {
            return true;
        }
    }
    return false;
}

static int take(struct pick *p, const struct offer *offer, uint32_t chosen)
{
    must_in_tests(chosen < offer->pending_count);
    const struct pick_operation *o = &offer->pending[chosen];
    if (p->strategy->done != NULL) {
        p->strategy->done(p, offer, chosen);
    }
    if (p->plan.constraint_count > 0) {
        keep_done(p, o);
    }
    if (p->plan.wish_count > 0) {
        wish_done(p, o);
    }
    if (p->asleep_count > 0) {
        wake(p, o);
    }
    p->external_count += o->is_external;
    p->choice_count++;
    p->step++;
    return (int)chosen;
}

static int find(const struct pick_operation *pending, uint32_t count, uint64_t name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (pending[i].name == name) {
            return (int)i;
        }
    }
    return -1;
}

/* The operation of the current turn; PICK_REST when there is none. At rest, later turns are taken
 * now, if possible. */
static int take_turn(struct pick *p, const struct offer *offer, bool is_at_rest)
{
    for (; p->turn < p->plan.turn_count; p->turn++) {
        const struct pick_turn *turn = &p->plan.turns[p->turn];
        const bool is_early = turn->step > p->step && !turn->is_optional;
        if (is_early && !is_at_rest) {
            return PICK_REST;
        }
        const int found = is_early && !p->plan.is_lenient
                              ? -1
                              : find(offer->pending, offer->pending_count, turn->name);
        if (found >= 0) {
            p->turn++;
            return take(p, offer, (uint32_t)found);
        }
        if (!p->plan.is_lenient && !turn->is_optional) {
            p->where = p->turn;
            return PICK_DIVERGED;
        }
        if (turn->is_unignorable && !is_at_rest) {
            return take(p, offer, 0);
        }
    }
    return PICK_REST;
}

static bool does_the_same(const struct pick_operation *o, const struct pick_want *want)
{
    return o->action == want->action && o->fault == want->fault;
}

/* The pending operation that matches the request, -1 when there is none. Older ones come first. */
static int find_wanted(const struct offer *offer, const struct pick_want *want)
{
    int same = -1;
    int oldest = -1;
    int newest = -1;
    for (uint32_t i = 0; i < offer->pending_count; i++) {
        const struct pick_operation *o = &offer->pending[i];
        if (!does_the_same(o, want)) {
            continue;
        }
        newest = (int)i;
        oldest = oldest < 0 ? (int)i : oldest;
        same = same < 0 && o->content == want->content ? (int)i : same;
    }
    switch ((enum pick_match)want->match) {
    case PICK_SAME: return same;
    case PICK_SAME_OR_OLDEST: return same >= 0 ? same : oldest;
    case PICK_SAME_OR_NEWEST: return same >= 0 ? same : newest;
    case PICK_OLDEST: return oldest;
    case PICK_NEWEST: return newest;
    }
    return -1;
}

static int take_wanted(struct pick *p, const struct offer *offer, bool is_at_rest)
{
    for (; p->turn < p->plan.want_count; p->turn++) {
        const struct pick_want *want = &p->plan.wants[p->turn];
        const int found = find_wanted(offer, want);
        if (found >= 0) {
            p->turn++;
            return take(p, offer, (uint32_t)found);
        }
        if (want->is_unignorable && !is_at_rest) {
            return take(p, offer, 0);
        }
    }
    return is_at_rest ? PICK_REST : PICK_DONE;
}

const struct pick_want *pick_wanted(const struct pick *p, size_t ahead)
{
    must_in_tests(p->turn <= p->plan.want_count);
    return ahead < p->plan.want_count - p->turn ? &p->plan.wants[p->turn + ahead] : NULL;
}

uint32_t pick_asked(const struct pick *p)
{
    return (uint32_t)p->turn;
}

void pick_skip(struct pick *p, uint32_t want_count, uint32_t step_count)
{
    must(want_count <= p->plan.want_count);
    p->turn = want_count;
    p->step = step_count;
}

bool pick_is_among(const struct pick_want *want, const struct pick_operation *pending,
                   uint32_t count)
{
    const struct offer offer = {.pending = pending, .pending_count = count};
    return find_wanted(&offer, want) >= 0;
}

int pick_choose_wanted(struct pick *p, const struct pick_operation *pending, uint32_t count)
{
    must(p->turn < p->plan.want_count);
    const struct offer offer = {.pending = pending, .pending_count = count, .among = p->allowed};
    const int found = find_wanted(&offer, &p->plan.wants[p->turn++]);
    return found < 0 ? -1 : take(p, &offer, (uint32_t)found);
}

static bool has_action(const struct pick_plan *plan, uint64_t action)
{
    size_t first = 0;
    size_t end = plan->action_count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (plan->actions[middle] == action) {
            return true;
        }
        if (plan->actions[middle] < action) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return false;
}

/* Restricts the offer, which is p->allowed, to the operations that the strategy may choose. */
static void leave_choosable(const struct pick *p, struct offer *offer)
{
    const struct pick_plan *plan = &p->plan;
    const bool is_full = plan->externals_max > 0 && p->external_count >= plan->externals_max;
    uint32_t left = 0;
    for (uint32_t i = 0; i < offer->count; i++) {
        const struct pick_operation *o = &offer->pending[p->allowed[i]];
        const bool is_known = plan->actions == NULL || o->fault != 0 || has_action(plan, o->action);
        if (is_known && (!is_full || !o->is_external)) {
            p->allowed[left++] = p->allowed[i];
        }
    }
    offer->count = left;
}

/* Fills p->allowed with the operations that the constraints allow at this reluctance or less;
 * returns their number. `where` is a constraint that blocks the first of the others. */
static uint32_t allow(struct pick *p, const struct pick_operation *pending, uint32_t count,
                      enum keep most, bool *is_held)
{
    uint32_t allowed = 0;
    *is_held = false;
    if (p->plan.constraint_count == 0) {
        for (; allowed < count; allowed++) {
            p->allowed[allowed] = allowed;
        }
        return count;
    }
    for (uint32_t i = 0; i < count; i++) {
        size_t which = 0;
        if (keep_allows(p, &pending[i], &which) <= most) {
            p->allowed[allowed++] = i;
        } else if (!*is_held) {
            *is_held = true;
            p->where = which;
        }
    }
    return allowed;
}

/* Whether only faults are left, if anything, because the rest is blocked. */
static bool is_stuck(const struct offer *offer, bool is_held)
{
    return is_held && (offer->count == 0 || offer->pending[offer->among[0]].fault != 0);
}

/* The first that is allowed and no fault; a stop when there is none. */
static int take_default(struct pick *p, const struct offer *offer, bool minds_sleep)
{
    bool is_any = false;
    for (uint32_t i = 0; i < offer->count; i++) {
        const struct pick_operation *o = &offer->pending[offer->among[i]];
        if (o->fault != 0) {
            break;
        }
        is_any = true;
        if (!minds_sleep || !is_asleep(p, o)) {
            return take(p, offer, offer->among[i]);
        }
    }
    return is_any ? PICK_ASLEEP : PICK_REST;
}

/* The first allowed fault that a constraint names, where nothing else is possible. */
static int take_bound_fault(struct pick *p, const struct offer *offer, enum pick_stop otherwise)
{
    for (uint32_t i = 0; p->plan.constraint_count > 0 && i < offer->pending_count; i++) {
        const struct pick_operation *o = &offer->pending[i];
        size_t which = 0;
        if (o->fault != 0 && keep_asks_for(p, o) && keep_allows(p, o, &which) == KEEP_ALLOWED) {
            return take(p, offer, i);
        }
    }
    return otherwise;
}

/* One choice in eight is a fault, so that a small budget is not spent at once. */
enum { FAULT_ONE_IN = 8 };

/* Faults come last. */
static struct offer narrow(struct pick *p, const struct offer *offer)
{
    uint32_t plain = offer->count;
    while (plain > 0 && offer->pending[offer->among[plain - 1]].fault != 0) {
        plain--;
    }
    struct offer narrowed = *offer;
    if (plain < offer->count && (plain == 0 || prng_below(&p->prng, FAULT_ONE_IN) == 0)) {
        narrowed.among += plain;
        narrowed.count -= plain;
    } else {
        narrowed.count = plain;
    }
    return narrowed;
}

const char *pick_class_name(enum pick_class which)
{
    static const char *const names[] = {
#define CLASS(id, name) [PICK_CLASS_##id] = (name),
        PICK_CLASS_LIST(CLASS)
#undef CLASS
    };
    must(which < PICK_CLASS_COUNT);
    return names[which];
}

enum pick_class pick_class_of(const struct pick_operation *o)
{
    switch (o->kind) {
    case EVENT_TIMER_FIRE: return PICK_CLASS_TIMER;
    case EVENT_FILE_SYNC: return PICK_CLASS_WRITE;
    case EVENT_HANDLER_BEGIN: return PICK_CLASS_HELPER;
    default: return o->is_external ? PICK_CLASS_REQUEST : PICK_CLASS_MESSAGE;
    }
}

bool pick_weights_are_any(const struct pick_weights *w)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < PICK_CLASS_COUNT; i++) {
        any |= w->of[i];
    }
    return any != 0;
}

/* Where timers are rare, one choice in this many is of anything. */
enum { TIMER_ONE_IN = 8 };

/* Removes timers from the offer, which begins with p->allowed, unless it has nothing else. */
static void leave_untimed(struct pick *p, struct offer *offer)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < offer->count; i++) {
        const uint32_t own = p->allowed[i];
        if (offer->pending[own].kind != EVENT_TIMER_FIRE) {
            p->allowed[i] = p->allowed[left];
            p->allowed[left++] = own;
        }
    }
    offer->count = left > 0 ? left : offer->count;
}

/* Draws a class by the weights of its operations, and removes the others from the offer, which
 * begins with p->allowed. A class of weight 0 is drawn only when there is no other. */
static void leave_class(struct pick *p, struct offer *offer)
{
    uint64_t weights[PICK_CLASS_COUNT] = {0};
    uint64_t total = 0;
    for (uint32_t i = 0; i < offer->count; i++) {
        const enum pick_class class = pick_class_of(&offer->pending[p->allowed[i]]);
        weights[class] += p->plan.weights.of[class];
        total += p->plan.weights.of[class];
    }
    uint32_t class = 0;
    for (uint64_t left = total == 0 ? 0 : prng_below(&p->prng, total);
         total > 0 && left >= weights[class]; class ++) {
        left -= weights[class];
    }
    uint32_t left = 0;
    for (uint32_t i = 0; i < offer->count; i++) {
        const uint32_t own = p->allowed[i];
        if (pick_class_of(&offer->pending[own]) == class) {
            p->allowed[i] = p->allowed[left];
            p->allowed[left++] = own;
        }
    }
    offer->count = left > 0 ? left : offer->count;
}

static bool is_of_time(const struct pick_operation *o)
{
    return o->kind == EVENT_TIMER_FIRE || o->kind == EVENT_SLEEP;
}

/* The operation of a task that too many timers have starved; -1 when there is none. */
static int find_starved(const struct pick *p, const struct offer *offer)
{
    for (uint32_t i = 0; p->plan.is_fair && i < offer->count; i++) {
        const struct pick_operation *o = &offer->pending[offer->among[i]];
        if (!is_of_time(o) && p->starved[o->task] >= FAIR_TIMERS) {
            return (int)offer->among[i];
        }
    }
    return -1;
}

/* Counts a timer against all operations that could have been chosen instead. */
static void starve(struct pick *p, const struct offer *offer, uint32_t chosen)
{
    const struct pick_operation *done = &offer->pending[chosen];
    for (uint32_t i = 0; is_of_time(done) && i < offer->count; i++) {
        const struct pick_operation *o = &offer->pending[offer->among[i]];
        p->starved[o->task] += !is_of_time(o);
        p->has_starved = true;
    }
    p->starved[done->task] = 0;
}

int pick_choose(struct pick *p, const struct pick_operation *pending, uint32_t count)
{
    must(count <= p->limits.pending_max);
    const bool is_at_rest = count == 0 || pending[0].fault != 0;
    struct offer offer = {.pending = pending, .pending_count = count, .among = p->allowed};
    if (p->plan.wants != NULL) {
        return take_wanted(p, &offer, is_at_rest);
    }
    if (p->turn < p->plan.turn_count) {
        const int chosen = take_turn(p, &offer, is_at_rest);
        if (chosen != PICK_REST) {
            return chosen;
        }
    }
    if (is_at_rest) {
        return take_bound_fault(p, &offer, PICK_REST);
    }
    bool is_held = false;
    keep_look(p, pending, count);
    offer.count = allow(p, pending, count, KEEP_ALLOWED, &is_held);
    if (is_stuck(&offer, is_held)) {
        offer.count = allow(p, pending, count, KEEP_RATHER_NOT, &is_held);
    }
    if (is_stuck(&offer, is_held)) {
        return take_bound_fault(p, &offer, PICK_STUCK);
    }
    if (p->plan.wish_count > 0) {
        wish_narrow(p, &offer);
    }
    const bool is_planned = p->turn < p->plan.turn_count || p->step < p->plan.steps_first;
    if (is_planned || p->plan.strategy == PICK_FIRST) {
        return take_default(p, &offer, !is_planned);
    }
    if (p->plan.actions != NULL || p->plan.externals_max > 0) {
        leave_choosable(p, &offer);
        if (offer.count == 0) {
            return PICK_DONE;
        }
    }
    const int starved = find_starved(p, &offer);
    if (starved >= 0) {
        starve(p, &offer, (uint32_t)starved);
        return take(p, &offer, (uint32_t)starved);
    }
    struct offer narrowed = narrow(p, &offer);
    if (p->plan.has_rare_timers && narrowed.among == p->allowed &&
        prng_below(&p->prng, TIMER_ONE_IN) != 0) {
        leave_untimed(p, &narrowed);
    }
    if (narrowed.count > 1 && narrowed.among == p->allowed && p->has_weights) {
        leave_class(p, &narrowed);
    }
    must_in_tests(narrowed.count > 0);
    const uint32_t chosen = p->strategy->choose(p, &narrowed);
    if (p->plan.is_fair) {
        starve(p, &offer, chosen);
    }
    return take(p, &offer, chosen);
}

void pick_learn(struct pick *p, const struct pick_operation *done, const struct pick_block *blocks,
                uint32_t block_count)
{
    if (p->strategy->learn != NULL) {
        p->strategy->learn(p, done, blocks, block_count);
    }
}

void pick_end(struct pick *p)
{
    if (p->strategy->end != NULL) {
        p->strategy->end(p);
    }
}

size_t pick_where(const struct pick *p)
{
    return p->where;
}
