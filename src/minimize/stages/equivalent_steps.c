/* One step left out, and others replaced by equivalent ones. Where several pending operations match
 * the next request, a candidate takes one of them; the others are points for backtracking, as in
 * DEMi's search among ambiguous matches (Scott et al., NSDI 2016, section 3.2.1, algorithm 1). The
 * prefix up to such a point is run again, another operation is taken there, and the rest is
 * requested as before. Candidates with the fewest such choices come first, for they are nearest to
 * the best execution; none is tried twice. */
#include "minimize/stages/stages.h"
#include "pick/operation_name.h"

enum {
    MATCHES_STEPS_MAX = 250,
    TRIES_MAX = 300, /* with one step left out */
};

/* The requests. The first `fixed` repeat a prefix in which other operations were tried already. */
struct point {
    struct candidate candidate;
    uint32_t fixed;
};

struct matching {
    struct reducer *reducer;
    VEC(struct point) points; /* for backtracking, in the order they were found */
    struct map seen;          /* keys of tried candidates */
    uint32_t tries;
};

/* Removes all points. */
static void forget_points(struct matching *m)
{
    vec_each (&m->points, point) {
        vec_release(&point->candidate.wants);
    }
    vec_clear(&m->points);
    map_clear(&m->seen);
    m->tries = 0;
}

/* The index behind the request that the step has met, of those from `next` on. A step that meets
 * none leads to an unignorable message. */
static uint32_t pass_want(const struct candidate *c, uint32_t next, const struct pick_operation *o)
{
    must(next <= c->wants.count);
    for (uint32_t i = next; i < c->wants.count; i++) {
        const struct pick_want *want = &c->wants.at[i];
        if (want->action == o->action && want->fault == o->fault &&
            (want->match != PICK_SAME || want->content == o->content)) {
            return i + 1;
        }
    }
    return next;
}

/* The steps of x up to one, another operation there, and the requests behind it. */
static struct candidate come_back(const struct candidate *c, const struct execution *x,
                                  uint32_t step, const struct pick_operation *other, uint32_t rest)
{
    struct candidate back = {0};
    for (uint32_t i = 0; i < step; i++) {
        vec_push(&back.wants, reducer_want_of(&x->steps.at[i].operation, PICK_SAME));
    }
    vec_push(&back.wants, reducer_want_of(other, PICK_SAME));
    for (uint32_t i = rest; i < c->wants.count; i++) {
        vec_push(&back.wants, c->wants.at[i]);
    }
    return back;
}

static uint64_t key_of(const struct candidate *c)
{
    uint64_t key = c->wants.count;
    vec_each (&c->wants, want) {
        key = name_mix(name_mix(key, want->action), want->match == PICK_SAME ? want->content : 1);
        key = name_mix(key, want->fault);
    }
    return key;
}

/* Tries the candidate of a point, and keeps the point for further backtracking; true when it is
 * better. */
static bool try_point(struct matching *m, struct candidate back, uint32_t fixed)
{
    bool is_new = false;
    (void)map_slot(&m->seen, key_of(&back), 1, &is_new);
    if (!is_new || m->tries >= TRIES_MAX) {
        vec_release(&back.wants);
        return false;
    }
    m->tries++;
    must(fixed <= back.wants.count);
    vec_push(&m->points, (struct point){.candidate = back, .fixed = fixed});
    return reducer_try(m->reducer, &back);
}

/* Which of several that do the same: those that are tried first find the most. */
enum rank { RANK_NEWEST, RANK_OLDEST, RANK_BETWEEN, RANK_COUNT };

/* Of an operation that was pending at a step and could have been taken there instead, for it does
 * the same and brings something else; RANK_COUNT: it could not, or another brings the same. */
static enum rank rank_of(const struct execution *x, const struct step *step, uint32_t which)
{
    const struct pick_operation *pending = &x->pending.at[step->pending_first];
    const struct pick_operation *o = &pending[which];
    must(which < step->pending_count);
    if (o->action != step->operation.action || o->fault != step->operation.fault ||
        o->content == step->operation.content) {
        return RANK_COUNT;
    }
    bool is_oldest = true; /* older ones come first */
    bool is_newest = true;
    for (uint32_t i = 0; i < step->pending_count; i++) {
        if (i == which || pending[i].action != o->action || pending[i].fault != o->fault) {
            continue;
        }
        if (i < which && pending[i].content == o->content) {
            return RANK_COUNT;
        }
        is_oldest = is_oldest && i > which;
        is_newest = is_newest && i < which;
    }
    return is_newest ? RANK_NEWEST : is_oldest ? RANK_OLDEST : RANK_BETWEEN;
}

/* Tries the operations of one rank that could have been taken instead, at each step of the point's
 * execution. */
static bool try_rank(struct matching *m, const struct point *point, const struct execution *x,
                     enum rank rank)
{
    const struct candidate *c = &point->candidate;
    uint32_t next = 0;
    for (uint32_t i = 0; i < x->steps.count; i++) {
        const struct step *step = &x->steps.at[i];
        next = pass_want(c, next, &step->operation);
        for (uint32_t k = 0; i >= point->fixed && k < step->pending_count; k++) {
            const struct pick_operation *o = &x->pending.at[step->pending_first + k];
            if (rank_of(x, step, k) == rank && try_point(m, come_back(c, x, i, o, next), i + 1)) {
                return true;
            }
        }
    }
    return false;
}

static bool try_others(struct matching *m, size_t number)
{
    const struct point point = m->points.at[number];
    const struct execution *x = reducer_look_at(m->reducer, &point.candidate);
    for (int rank = 0; x != NULL && rank < RANK_COUNT; rank++) {
        if (try_rank(m, &point, x, (enum rank)rank)) {
            return true;
        }
    }
    return false;
}

/* The best without the step, in all ways that few other choices make of it. */
static bool try_without(struct matching *m, uint32_t out)
{
    struct reducer *r = m->reducer;
    struct candidate first = {0};
    for (uint32_t i = 0; i < reducer_size(r); i++) {
        if (i != out && i != r->partner_of.at[out]) {
            vec_push(&first.wants, reducer_want(r, i, r->ways.at[0]));
        }
    }
    bool is_better = try_point(m, first, 0);
    for (size_t i = 0; i < m->points.count && m->tries < TRIES_MAX && !is_better; i++) {
        is_better = reducer_goes_on(r) && try_others(m, i);
    }
    forget_points(m);
    return is_better;
}

void equivalent_steps_stage(struct reducer *r)
{
    struct matching m = {.reducer = r};
    const uint32_t count = reducer_size(r);
    const bool is_fit = !reducer_is_longer(r, MATCHES_STEPS_MAX);
    for (uint32_t out = 0; out < count && is_fit && reducer_goes_on(r); out++) {
        if (reducer_may_go(r, out) && try_without(&m, out)) {
            break;
        }
    }
    vec_release(&m.points);
    map_release(&m.seen);
}
