/* Runs that begin alike. Minimizing leaves steps out of an execution again and again: the prefix
 * before them is the same run, which need not be repeated. So while a run of requests goes on,
 * points of it are put aside, and the next run with the same requests up to a point goes on from
 * there.
 *
 *     requests of a run    a b c d e f g h i j k l m
 *     points                   .     .     .            the memory, and how many steps there were
 *     the next, without h  a b c d e f g i j k l m      goes on from e
 *
 * A point is put aside only as far as the plan says that runs to come share its requests, and never
 * after a timer has fired: the resting timers then depend on the next request. Each way to match
 * has its own points, since each is tried in turn. */
#include "sim/prefix_cache.h"

#include <string.h>

#include "base/mem.h"
#include "pick/operation_name.h"
#include "sim/net.h"
#include "sim/requested_steps.h"
#include "sim/state_hash.h"
#include "sim/system_memory.h"
#include "spec/checker.h"

/* Going back to a point takes as long as some ten steps, or as copying this many bytes for each. */
enum { SPACING_LEAST = 8, STEP_BYTES = 4096, POINTS_MAX = 32 };

/* Of all points together. */
static const size_t size_max = (size_t)64 << 20;

struct point {
    void *memory;
    void *claims; /* the state of the specification's checker; NULL: there is none */
    size_t size;
    uint64_t hash; /* of the execution */
    uint32_t want_count;
    uint32_t step_count;
};

/* The common beginning of runs of one way to match. */
struct beginning {
    VEC(struct pick_want) wants; /* at least up to the last point */
    VEC(struct step) steps;      /* up to the last point */
    VEC(struct point) points;    /* the first before any want */
};

struct beginnings {
    struct beginning of[PICK_NEWEST + 1]; /* by the match of the first want */
    uint64_t key;                         /* of all that runs depend on besides their wants */
    size_t size;                          /* of all points */
    struct beginning *open; /* of this run: points are put aside; NULL: they are not */
    uint32_t spacing;
    uint32_t next; /* how many wants are asked for when the next point is put aside, or more */
};

void beginning_open(struct sim *s)
{
    s->prefixes.beginnings = mem_zero(1, sizeof *s->prefixes.beginnings);
}

/* Leaves the first points. */
static void forget(struct beginnings *all, struct beginning *b, size_t kept)
{
    while (b->points.count > kept) {
        const struct point point = vec_pop(&b->points);
        must(all->size >= point.size);
        all->size -= point.size;
        mem_free(point.memory);
        mem_free(point.claims);
    }
    must(b->points.count == 0 || kept > 0);
    b->steps.count = kept == 0 ? 0 : vec_last(&b->points)->step_count;
}

void beginning_close(struct sim *s)
{
    for (size_t i = 0; s->prefixes.beginnings != NULL && i <= PICK_NEWEST; i++) {
        struct beginning *b = &s->prefixes.beginnings->of[i];
        forget(s->prefixes.beginnings, b, 0);
        vec_release(&b->wants);
        vec_release(&b->steps);
        vec_release(&b->points);
    }
    mem_free(s->prefixes.beginnings);
}

/* Transitions of nodes are changes of variables, once any are known. */
static uint64_t key_of(const struct sim *s)
{
    const struct plan *p = s->plan;
    const uint64_t transitions = !p->wants_transitions ? 0 : s->reported.count == 0 ? 1 : 2;
    uint64_t key = name_mix(name_mix(p->pick.seed, p->content_count), transitions);
    for (size_t i = 0; i < FAULT_LIMIT; i++) {
        key = name_mix(key, p->faults.most[i]);
    }
    for (size_t i = 0; i < p->without_count; i++) {
        key = name_mix(key, p->without[i]);
    }
    for (size_t i = 0; i < p->content_count; i++) {
        const struct plan_content *c = &p->contents[i];
        key = name_mix(name_mix(key, c->name), name_text(c->bytes, c->size));
    }
    return key;
}

/* Whether a run of the plan does no more than it wants, and points know all of how far it is. */
static bool can_share(const struct sim *s)
{
    const struct plan *p = s->plan;
    return wanted_is_enough(s) && !p->is_whole && p->pick.want_count > 0 &&
           p->pick.strategy == PICK_FIRST && p->pick.constraint_count == 0 &&
           p->pick.asleep_count == 0 && !p->wants_states && !p->wants_views && !p->is_blind &&
           !p->is_ordered && !p->is_reduced;
}

static bool is_same(const struct pick_want *a, const struct pick_want *b)
{
    return a->action == b->action && a->content == b->content && a->fault == b->fault &&
           a->match == b->match && a->is_unignorable == b->is_unignorable;
}

/* How many points of it are on the way of the plan. */
static size_t count_points(const struct beginning *b, const struct pick_plan *p)
{
    size_t shared = 0;
    while (shared < b->wants.count && shared < p->want_count &&
           is_same(&b->wants.at[shared], &p->wants[shared])) {
        shared++;
    }
    size_t count = b->points.count;
    while (count > 0 && b->points.at[count - 1].want_count > shared) {
        count--;
    }
    return count;
}

/* The last place for a point: not where the default goes on until the requested operation is
 * pending. */
static uint32_t count_kept(const struct plan *p)
{
    uint32_t count = 0;
    while (count < p->wants_kept && count < p->pick.want_count &&
           !p->pick.wants[count].is_unignorable) {
        count++;
    }
    const bool is_waited_for = count < p->pick.want_count && p->pick.wants[count].is_unignorable;
    must(count <= p->pick.want_count);
    return is_waited_for && count > 0 ? count - 1 : count;
}

/* Has points put aside in this run: after the last of those kept, or from the start. */
static void put_aside(struct beginnings *all, struct beginning *b, const struct plan *p)
{
    const uint32_t wants_kept = count_kept(p);
    const uint32_t least = (uint32_t)(p->pick.want_count / POINTS_MAX);
    all->spacing = least < SPACING_LEAST ? SPACING_LEAST : least;
    all->next = b->points.count == 0 ? 0 : vec_last(&b->points)->want_count + all->spacing;
    if (all->next > wants_kept) {
        return;
    }
    vec_reserve(&b->wants, wants_kept + 1);
    memcpy(b->wants.at, p->pick.wants, wants_kept * sizeof *p->pick.wants);
    b->wants.count = wants_kept;
    all->open = b;
}

const struct point *beginning_find(struct sim *s)
{
    struct beginnings *all = s->prefixes.beginnings;
    all->open = NULL;
    if (!can_share(s)) {
        return NULL;
    }
    const uint64_t key = key_of(s);
    if (key != all->key) {
        all->key = key;
        for (size_t i = 0; i <= PICK_NEWEST; i++) {
            forget(all, &all->of[i], 0);
        }
        return NULL; /* points are worth it where it comes twice */
    }
    struct beginning *b = &all->of[s->plan->pick.wants[0].match];
    const size_t count = count_points(b, &s->plan->pick);
    const bool goes_further =
        count == 0 || s->plan->wants_kept > b->points.at[count - 1].want_count;
    if (goes_further) {
        forget(all, b, count);
        put_aside(all, b, s->plan);
    }
    return count == 0 ? NULL : &b->points.at[count - 1];
}

void beginning_resume(struct sim *s, const struct point *point)
{
    struct execution *x = s->execution;
    must(point->want_count <= s->plan->pick.want_count);
    const struct beginning *b = &s->prefixes.beginnings->of[s->plan->pick.wants[0].match];
    memory_restore(s, point->memory);
    if (point->claims != NULL) {
        checker_restore(s->claims.checker, point->claims);
    }
    must(point->step_count <= b->steps.count);
    vec_reserve(&x->steps, point->step_count + 1);
    if (point->step_count > 0) {
        memcpy(x->steps.at, b->steps.at, point->step_count * sizeof *b->steps.at);
    }
    x->steps.count = x->steps_reused = point->step_count;
    x->hash = point->hash;
    s->run.now = point->step_count == 0 ? STEP_NONE : point->step_count - 1;
    pick_skip(s->world.pick, point->want_count, point->step_count);
}

static size_t point_size(const struct sim *s)
{
    return memory_size(s) + (s->claims.checker == NULL ? 0 : checker_copy_size(s->claims.checker));
}

static void add_point(struct sim *s, struct beginning *b, uint32_t want_count)
{
    const struct execution *x = s->execution;
    must(b->steps.count <= x->steps.count);
    must(want_count <= b->wants.count);
    s->prefixes.beginnings->size += point_size(s);
    for (size_t i = b->steps.count; i < x->steps.count; i++) {
        vec_push(&b->steps, x->steps.at[i]);
    }
    vec_push(
        &b->points,
        (struct point){.memory = memory_checkpoint(s),
                       .claims = s->claims.checker == NULL ? NULL : checker_copy(s->claims.checker),
                       .size = point_size(s),
                       .hash = x->hash,
                       .want_count = want_count,
                       .step_count = (uint32_t)x->steps.count});
}

void beginning_look(struct sim *s)
{
    struct beginnings *all = s->prefixes.beginnings;
    const uint32_t asked = pick_asked(s->world.pick);
    if (all->open == NULL || asked < all->next) {
        return;
    }
    const struct execution *x = s->execution;
    if (asked > all->open->wants.count || all->open->points.count > POINTS_MAX ||
        all->size + point_size(s) > size_max) {
        all->open = NULL;
    } else if (x->steps.count == 0 || vec_last(&x->steps)->operation.kind != EVENT_TIMER_FIRE) {
        const uint32_t worth = (uint32_t)(point_size(s) / STEP_BYTES);
        add_point(s, all->open, asked);
        all->next = asked + (worth > all->spacing ? worth : all->spacing);
    }
}
