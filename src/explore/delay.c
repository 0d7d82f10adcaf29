/* Delay bounding (Emmi, Qadeer and Rakamaric, POPL 2011): every run that departs from the default
 * order in at most delays_max places, where passing over k operations counts k and a fault counts
 * one. Depth first: a frame for each departure, which keeps the run it departs from. */
#include <stddef.h>

#include "base/map.h"
#include "base/mem.h"
#include "explore/search.h"
#include "explore/step_order.h"
#include "pick/operation_name.h"

struct frame {
    VEC(struct pick_turn) turns; /* the departures that lead here */
    struct execution run;
    uint32_t delays; /* spent on them */
    uint32_t step;   /* where the next departure is, and ... */
    uint32_t choice; /* ... its choice */
    bool is_at_step; /* choices of the step have begun to be tried */
};

/* How a state was reached. */
struct visit {
    uint32_t delays;
    uint32_t steps; /* 0 when runs have no limit of them */
};

struct delay {
    struct search search;
    VEC(struct frame) frames;
    struct frame tried;  /* the run that is being made */
    struct map visit_of; /* state to its visit */
    VEC(struct visit) visits;
    VEC(uint64_t) news;       /* visits since the search was saved: state, delays and steps */
    struct relation relation; /* of the last run, for its data races */
    bool is_begun;
    bool is_cut; /* something was not tried for want of delays */
};

_Static_assert(offsetof(struct delay, search) == 0, "operations cast the search to its struct");

static struct step *step_of(struct frame *f, uint32_t index)
{
    return vec_at(&f->run.steps, index);
}

static const struct pick_operation *pending_of(const struct frame *f, const struct step *s,
                                               uint32_t choice)
{
    must(choice < s->pending_count);
    return vec_at(&f->run.pending, s->pending_first + choice);
}

static uint32_t cost(const struct pick_operation *o, uint32_t choice)
{
    return o->fault != 0 ? 1 : choice;
}

/* A state with its pending operations in order: the same key has the same continuations. */
static uint64_t state_key(struct frame *f, uint32_t index)
{
    const struct step *s = step_of(f, index);
    uint64_t key = index == 0 ? 1 : step_of(f, index - 1)->state;
    for (uint32_t i = 0; i < s->pending_count; i++) {
        key = name_mix(key, pending_of(f, s, i)->action);
    }
    return key;
}

static void note_visit(struct delay *d, uint64_t key, struct visit here)
{
    if (d->search.options.is_kept) {
        vec_push(&d->news, key);
        vec_push(&d->news, map_pair(here.delays, here.steps));
    }
}

/* Whether all that can follow from here was already looked for, with as many delays and steps left.
 */
static bool was_seen(struct delay *d, struct frame *f, uint32_t index)
{
    const struct search_options *o = &d->search.options;
    if (!o->prunes_states || !o->has_states) {
        return false;
    }
    const struct visit here = {.delays = f->delays, .steps = o->depth == 0 ? 0 : index};
    const uint64_t key = state_key(f, index);
    bool is_new = false;
    const uint32_t number = *map_slot(&d->visit_of, key, (uint32_t)d->visits.count, &is_new);
    if (is_new) {
        vec_push(&d->visits, here);
        note_visit(d, key, here);
        return false;
    }
    struct visit *before = vec_at(&d->visits, number);
    if (before->delays <= here.delays && before->steps <= here.steps) {
        return true;
    }
    if (here.delays <= before->delays && here.steps <= before->steps) {
        *before = here;
        note_visit(d, key, here);
    }
    return false;
}

/* The next thing to try at a step: all but the default, which is the first unless that is a fault.
 */
static bool advance_choice(struct delay *d, struct frame *f)
{
    const struct step *s = step_of(f, f->step);
    if (f->is_at_step) {
        f->choice++;
    } else {
        f->is_at_step = true;
        f->choice = s->pending_count > 0 && pending_of(f, s, 0)->fault == 0 ? 1 : 0;
    }
    for (; f->choice < s->pending_count; f->choice++) {
        if (f->delays + cost(pending_of(f, s, f->choice), f->choice) <=
            d->search.options.delays_max) {
            return true;
        }
        d->is_cut = true;
    }
    return false;
}

/* Moves to the next departure from the frame's run; false when there is none. */
static bool advance(struct delay *d, struct frame *f)
{
    for (; f->step < f->run.steps.count; f->step++, f->is_at_step = false) {
        if (!f->is_at_step && was_seen(d, f, f->step)) {
            return false;
        }
        if (advance_choice(d, f)) {
            return true;
        }
    }
    return false;
}

static void frame_release(struct frame *f)
{
    vec_release(&f->turns);
    execution_release(&f->run);
}

/* The run that follows the frame's departures and then the one it stands at. */
static void depart(struct delay *d, struct frame *f)
{
    const struct step *s = step_of(f, f->step);
    const struct pick_operation *o = pending_of(f, s, f->choice);
    struct frame *tried = &d->tried;
    vec_clear(&tried->turns);
    vec_each (&f->turns, turn) {
        vec_push(&tried->turns, *turn);
    }
    vec_push(&tried->turns, (struct pick_turn){.name = o->name, .step = f->step});
    tried->delays = f->delays + cost(o, f->choice);
    must(tried->delays <= d->search.options.delays_max);
    tried->step = f->step + 1;
    tried->is_at_step = false;
}

static struct plan plan_of(const struct delay *d, const struct frame *f)
{
    struct plan p = search_plan(&d->search.options);
    p.pick.turns = f->turns.at;
    p.pick.turn_count = f->turns.count;
    p.wants_pending = true;
    p.wants_states = d->search.options.has_states;
    return p;
}

static bool next(struct search *search, uint64_t run_index, struct plan *p)
{
    struct delay *d = (struct delay *)search;
    if (d->is_begun) {
        while (d->frames.count > 0 && !advance(d, vec_last(&d->frames))) {
            frame_release(vec_last(&d->frames));
            (void)vec_pop(&d->frames);
        }
        if (d->frames.count == 0) {
            return false;
        }
        depart(d, vec_last(&d->frames));
    }
    d->is_begun = true;
    *p = plan_of(d, &d->tried);
    p->is_learning = search_is_learning(&search->options, p->pick.strategy, run_index);
    return true;
}

/* Only faults are pending at the end of a run: one more step to depart at. */
static void add_end(struct execution *x)
{
    if (x->outcome == OUTCOME_PASSED && x->pending.count > x->pending_last) {
        vec_push(&x->steps,
                 (struct step){.pending_first = x->pending_last,
                               .pending_count = (uint32_t)x->pending.count - x->pending_last});
    }
}

/* Long runs are not looked at: the relation takes time quadratic in their length, and a search
 * that makes them seldom ends. */
static void look_for_data_races(struct delay *d, const struct execution *x)
{
    enum { STEPS_MAX = 400 };
    if (!d->search.options.is_mixed) {
        return; /* nothing that is no program has plain accesses */
    }
    if (d->search.has_data_races || x->steps.count > STEPS_MAX) {
        d->search.has_data_races = true;
        return;
    }
    relation_build(&d->relation, x, 0);
    vec_each (&d->relation.races, race) {
        d->search.has_data_races = d->search.has_data_races || relation_is_data_race(x, race);
    }
}

static void learn(struct search *search, const struct plan *p, struct execution *x)
{
    (void)p;
    struct delay *d = (struct delay *)search;
    look_for_data_races(d, x);
    add_end(x);
    must(d->tried.run.steps.count == 0);
    d->tried.run = *x;
    *x = (struct execution){0};
    vec_push(&d->frames, d->tried);
    d->tried = (struct frame){0};
}

static bool is_complete(const struct search *search)
{
    return !((const struct delay *)search)->is_cut;
}

/* Saved: flags, then a row for each frame, without its run. */

static void save(struct search *search, struct out *whole, struct out *more)
{
    struct delay *d = (struct delay *)search;
    saved_put(whole, d->is_begun);
    saved_put(whole, d->is_cut);
    saved_put(whole, d->frames.count);
    vec_each (&d->frames, f) {
        saved_put(whole, f->delays);
        saved_put(whole, f->step);
        saved_put(whole, f->choice);
        saved_put(whole, f->is_at_step);
        saved_put(whole, f->turns.count);
        vec_each (&f->turns, turn) {
            saved_put(whole, turn->name);
            saved_put(whole, turn->step);
        }
    }
    vec_each (&d->news, number) {
        saved_put(more, *number);
    }
    vec_clear(&d->news);
}

/* Makes the run that the frame departs from once more. */
static int remake(struct delay *d, struct world *w, struct frame *f, struct err *e)
{
    const struct plan p = plan_of(d, f);
    if (world_run(w, &p, &f->run, e) < 0) {
        return -1;
    }
    add_end(&f->run);
    const bool is_same = f->run.outcome != OUTCOME_DIVERGED && f->step <= f->run.steps.count &&
                         (!f->is_at_step || f->step < f->run.steps.count);
    return is_same ? 0 : err_set(e, "a run of the search does not go as it went");
}

static int resume_frame(struct delay *d, struct world *w, struct saved *s, struct err *e)
{
    vec_push(&d->frames, (struct frame){0});
    struct frame *f = vec_last(&d->frames);
    f->delays = (uint32_t)saved_take(s);
    f->step = (uint32_t)saved_take(s);
    f->choice = (uint32_t)saved_take(s);
    f->is_at_step = saved_take(s) != 0;
    const uint64_t turn_count = saved_take_count(s);
    for (uint64_t i = 0; i < turn_count; i++) {
        const uint64_t name = saved_take(s);
        vec_push(&f->turns, (struct pick_turn){.name = name, .step = (uint32_t)saved_take(s)});
    }
    return remake(d, w, f, e);
}

static int resume(struct search *search, struct world *w, struct saved *whole, struct saved *more,
                  struct err *e)
{
    struct delay *d = (struct delay *)search;
    d->is_begun = saved_take(whole) != 0;
    d->is_cut = saved_take(whole) != 0;
    const uint64_t frame_count = saved_take_count(whole);
    for (uint64_t i = 0; i < frame_count && !whole->is_short; i++) {
        if (resume_frame(d, w, whole, e) < 0) {
            return -1;
        }
    }
    while (more->left > 0 && !more->is_short) {
        const uint64_t key = saved_take(more);
        const uint64_t pair = saved_take(more);
        const struct visit here = {.delays = (uint32_t)(pair >> 32), .steps = (uint32_t)pair};
        bool is_new = false;
        const uint32_t at = *map_slot(&d->visit_of, key, (uint32_t)d->visits.count, &is_new);
        if (is_new) {
            vec_push(&d->visits, here);
        }
        *vec_at(&d->visits, at) = here;
    }
    return 0;
}

static void free_delay(struct search *search)
{
    struct delay *d = (struct delay *)search;
    vec_each (&d->frames, frame) {
        frame_release(frame);
    }
    vec_release(&d->frames);
    frame_release(&d->tried);
    relation_release(&d->relation);
    map_release(&d->visit_of);
    vec_release(&d->visits);
    vec_release(&d->news);
    mem_free(d);
}

struct search *search_delay(const struct search_options *o)
{
    static const struct search_ops ops = {.next = next,
                                          .learn = learn,
                                          .is_complete = is_complete,
                                          .free = free_delay,
                                          .save = save,
                                          .resume = resume};
    struct delay *d = mem_zero(1, sizeof *d);
    d->search = (struct search){.ops = &ops, .options = *o};
    return &d->search;
}
