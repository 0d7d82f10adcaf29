/* A random walk among executions that show the violation and are about as long as the best. Where
 * no single removal, move or insertion makes the best shorter, several changes in a row may, each
 * of which keeps the length. The walk runs each change, and continues from executions that show the
 * violation and are not too long. */
#include "minimize/engine/trial.h"
#include "minimize/stages/stages.h"
#include "pick/operation_name.h"
#include "wire/prng.h"

enum {
    /* Then it begins at the best again. */
    TRIES_PER_ROUND_MAX = 6000,
    TRIES_PER_ROUND_MAX_SLOW = 100, /* where a run takes milliseconds */
    TRIES_PER_PAIR = 10,            /* of steps */
    ROUNDS_FRUITLESS_MAX = 12,
    ROUNDS_FRUITLESS_MAX_IN_TRIAL = 1,
    ROUNDS_FRUITLESS_MAX_AGAIN = 3,
    SLACK_MAX = 2, /* steps that it may be longer than the best on the way */
    PUT_IN_MAX = 3,
    REACH = 10, /* of a step that is moved */
};

/* One change. */
struct change {
    uint32_t put_in_count;
    struct {
        uint32_t before; /* which step of the execution */
        struct pick_want want;
    } put_in[PUT_IN_MAX];
    enum pick_match match;
};

struct walk {
    struct reducer *at; /* whose best is where it stands */
    struct prng prng;
    struct change change;
};

static uint32_t draw(struct walk *w, uint32_t below)
{
    return (uint32_t)prng_below(&w->prng, below);
}

/* Something that was pending and not done, where it was. */
static void put_in_pending(struct walk *w)
{
    must(w->change.put_in_count < PUT_IN_MAX);
    const struct execution *x = &w->at->result->best;
    const uint32_t before = draw(w, (uint32_t)x->steps.count);
    const struct step *step = &x->steps.at[before];
    const struct pick_operation *o =
        &x->pending.at[step->pending_first + draw(w, step->pending_count)];
    if (o->fault == 0 && o->name != step->operation.name) {
        w->change.put_in[w->change.put_in_count].before = before;
        w->change.put_in[w->change.put_in_count++].want = (struct pick_want){
            .action = o->action, .content = o->content, .match = PICK_SAME_OR_OLDEST};
    }
}

static void leave_out_any(struct walk *w, bool *is_out)
{
    const uint32_t step = draw(w, reducer_size(w->at));
    is_out[step] = is_out[w->at->partner_of.at[step]] = true;
}

/* Faults stay where they are: a restart has to come after its crash. */
static void move_any(struct walk *w, bool *is_out)
{
    const uint32_t size = reducer_size(w->at);
    const uint32_t step = draw(w, size);
    const uint32_t first = step > REACH ? step - REACH : 0;
    const uint32_t before = first + draw(w, 2 * REACH + 1);
    if (before < size && w->at->result->best.steps.at[step].operation.fault == 0) {
        must(w->change.put_in_count < PUT_IN_MAX);
        w->change.put_in[w->change.put_in_count].before = before;
        w->change.put_in[w->change.put_in_count++].want =
            reducer_want(w->at, step, PICK_SAME_OR_OLDEST);
        is_out[step] = true;
    }
}

static void draw_change(struct walk *w, bool *is_out, uint32_t room)
{
    static const enum pick_match matches[] = {PICK_SAME_OR_OLDEST, PICK_SAME_OR_OLDEST,
                                              PICK_SAME_OR_OLDEST, PICK_SAME_OR_NEWEST,
                                              PICK_NEWEST,         PICK_OLDEST};
    w->change.put_in_count = 0;
    w->change.match = matches[draw(w, sizeof matches / sizeof *matches)];
    const uint32_t put_in = draw(w, PUT_IN_MAX);
    for (uint32_t i = 0; i < put_in; i++) {
        put_in_pending(w);
    }
    if (draw(w, 2) == 0) {
        move_any(w, is_out);
    }
    const uint32_t least = put_in > room ? put_in - room : 0;
    const uint32_t out = least + draw(w, 3);
    for (uint32_t i = 0; i < out; i++) {
        leave_out_any(w, is_out);
    }
}

/* The requests after the change. */
static void make_candidate(struct walk *w, const bool *is_out)
{
    struct candidate *c = &w->at->candidate;
    vec_clear(&c->wants);
    for (uint32_t i = 0; i < reducer_size(w->at); i++) {
        for (uint32_t k = 0; k < w->change.put_in_count; k++) {
            if (w->change.put_in[k].before == i) {
                vec_push(&c->wants, w->change.put_in[k].want);
            }
        }
        if (!is_out[i] || !reducer_may_go(w->at, i)) {
            vec_push(&c->wants, reducer_want(w->at, i, w->change.match));
        }
    }
}

/* One change, tried; the nodes draw other random numbers now and then. */
static void take_step(struct walk *w, uint32_t steps_max)
{
    struct plan *plan = &w->at->result->plan;
    const uint64_t seed = plan->pick.seed;
    bool *is_out = reducer_marks(w->at);
    must(reducer_size(w->at) <= steps_max); /* a walk never stands at a longer execution */
    draw_change(w, is_out, steps_max - reducer_size(w->at));
    make_candidate(w, is_out);
    if (draw(w, 16) == 0) {
        plan->pick.seed = 1 + draw(w, 1000);
    }
    if (!reducer_drift(w->at, &w->at->candidate, steps_max)) {
        plan->pick.seed = seed;
    }
}

static bool begin_at_best(struct reducer *r, struct reducer *trial)
{
    vec_clear(&r->candidate.wants);
    for (uint32_t i = 0; i < reducer_size(r); i++) {
        vec_push(&r->candidate.wants, reducer_want(r, i, PICK_SAME));
    }
    return reducer_take_another(trial, &r->result->plan, &r->candidate);
}

static uint32_t tries_per_round(const struct reducer *r)
{
    const uint32_t size = reducer_size(r);
    const uint32_t most =
        r->world->ops->checkpoint == NULL ? TRIES_PER_ROUND_MAX_SLOW : TRIES_PER_ROUND_MAX;
    return TRIES_PER_PAIR * size * size < most ? TRIES_PER_PAIR * size * size : most;
}

/* True when the walk found a better execution. */
static bool walk_once(struct reducer *r, uint32_t round)
{
    struct minimized found = {0};
    struct reducer trial = {.result = &found};
    const uint32_t size = reducer_size(r);
    reducer_begin_trial(&trial, r);
    trial.keeps_pending = true;
    struct walk w = {.at = &trial};
    prng_init(&w.prng, name_mix(r->result->best.hash + r->walk.number, round));
    const bool is_there = begin_at_best(r, &trial);
    const uint32_t tries = is_there ? tries_per_round(r) : 0;
    for (uint32_t i = 0; i < tries && reducer_size(&trial) >= size && reducer_goes_on(&trial);
         i++) {
        take_step(&w, size + round % (SLACK_MAX + 1));
    }
    const bool is_better = reducer_end_trial(r, &trial);
    minimized_release(&found);
    return is_better;
}

/* How many rounds in a row may be fruitless. */
static uint32_t rounds_max(const struct reducer *r)
{
    if (r->walk.number > 0) {
        return ROUNDS_FRUITLESS_MAX_AGAIN;
    }
    return reducer_is_trial(r) ? ROUNDS_FRUITLESS_MAX_IN_TRIAL : ROUNDS_FRUITLESS_MAX;
}

void random_walk_stage(struct reducer *r)
{
    const bool is_fit = !reducer_is_bound(r) && !reducer_is_longer(r, WALK_STEPS_MAX);
    uint32_t fruitless = 0;
    for (uint32_t round = 0;
         fruitless < rounds_max(r) && is_fit && reducer_size(r) > 0 && reducer_goes_on(r);
         round++) {
        fruitless = walk_once(r, round) ? 0 : fruitless + 1;
    }
}
