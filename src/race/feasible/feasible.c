#include "race/feasible/feasible.h"

#include "base/mem.h"
#include "base/sort.h"
#include "order/object_key.h"
#include "order/reads_from.h"
#include "race/feasible/feasible_smt.h"
#include "race/feasible/relevant_events.h"
#include "race/linearize.h"
#include "race/lockset.h"
#include "race/sound/closure.h"
#include "solve/solve.h"
#include "trace/kind_table.h"
#include "wire/must.h"

enum {
    STEPS_DEFAULT = 1000000,
    EVENTS_DEFAULT = 20000,
    CLAUSES_DEFAULT = 200000,
    WINDOW_DEFAULT = 64,
};

/* Each window is WINDOW_GROWTH times as wide as the one before. */
enum { WINDOW_GROWTH = 4 };

/* The cost of an event of a cut, and of a question, for the budget. */
enum { CUT_STEPS = 8, DECIDE_STEPS = 128 };

struct feasible {
    const struct hb *hb;
    struct feasible_options options;
    struct feasible_stats stats;
    struct dependencies dependencies;
    struct relevant_events relevant;
    struct prefix prefix;
    struct arena arena;
    struct line line;
    uint32_t *rank; /* per event: its place in the line, NULL when that is the list */
    bool has_cuts;  /* answers of cuts are certain */
    struct cuts cuts;
    uint32_t *cut;
    enum feasible_open open; /* why the last question was */
    struct held held;        /* of contended locks */
    bool has_musts;
    struct hb musts;       /* with an edge to each read from the write it saw */
    dependency_list needs; /* scratch */

    /* Questions about windows, where many are asked. */
    bool can_jump;               /* a closed cut can stand before a window */
    struct line_places places;   /* with can_jump */
    const event_id *write_after; /* per access: the next write listed of its variable */
    uint32_t *done, *wanted;     /* per task */
};

/* ---- preparing ---- */

static uint64_t or_default(uint64_t number, uint64_t otherwise)
{
    return number != 0 ? number : otherwise;
}

static void feed_cuts(struct feasible *f)
{
    f->has_cuts = true;
    cuts_init(&f->cuts, f->hb);
    f->cut = mem_zero(f->hb->trace->tables.tasks.count + 1, sizeof *f->cut);
    for (size_t i = 0; i < f->line.count && !limit_is_over(f->options.watch, CUT_STEPS); i++) {
        cuts_reach(&f->cuts, line_at(&f->line, i));
        cuts_take(&f->cuts, line_at(&f->line, i));
    }
}

/* Adds all dependencies as edges, so that one query of reachability answers whether an event needs
 * another. */
static void build_musts(struct feasible *f)
{
    const struct hb *hb = f->hb;
    struct notes notes = {0};
    struct err e = {0};
    const struct hb_options options = {.model = HB_STRICT, .scope = REACH_ALL};
    const int built = hb_build(&f->musts, hb->trace, &options, &notes, &e);
    must(built == 0);
    notes_release(&notes);
    dependency_list needs = {0};
    for (event_id id = 0; id < hb->trace->events.count && !limit_is_over(f->options.watch, 1);
         id++) {
        vec_clear(&needs);
        dependencies_of(&f->dependencies, id, true, &needs);
        vec_each (&needs, need) {
            if (hb->contexts.of[*need] != hb->contexts.of[id]) {
                edges_add(&f->musts.edges, *need, id, EDGE_GIVEN);
            }
        }
    }
    vec_release(&needs);
    f->has_musts = hb_rebuild(&f->musts) == EVENT_NONE;
    if (!f->has_musts) {
        hb_release(&f->musts);
    }
}

static const event_id *find_writes_after(const struct trace *t, struct arena *a)
{
    event_id *after = arena_array(a, event_id, t->events.count + 1);
    struct map next_of = {0}; /* variable to its next write */
    for (event_id id = (event_id)t->events.count; id-- > 0;) {
        const struct event *e = &t->events.at[id];
        after[id] = EVENT_NONE;
        if (dependency_reads(e) || dependency_writes(e)) {
            uint32_t *next = map_slot(&next_of, scope_name(t, e, e->object), EVENT_NONE, NULL);
            after[id] = *next;
            *next = dependency_writes(e) ? id : *next;
        }
    }
    map_release(&next_of);
    return after;
}

/* A closed cut is an execution, and the questions after it are about program order, edges, locks
 * and reads alone. */
static void prepare_jumps(struct feasible *f)
{
    const struct hb *hb = f->hb;
    f->can_jump = f->has_cuts && f->has_musts && hb->reads == NULL && f->line.events == NULL &&
                  hb->contexts.count == hb->contexts.task_count && hb->waits.count == 0 &&
                  hb->onces.count == 0 && f->dependencies.sends.count == 0;
    if (f->can_jump) {
        const size_t task_count = hb->trace->tables.tasks.count;
        f->places = line_places_build(&f->line, hb->trace, &f->arena);
        f->write_after = find_writes_after(hb->trace, &f->arena);
        f->done = arena_array(&f->arena, uint32_t, task_count + 1);
        f->wanted = arena_array(&f->arena, uint32_t, task_count + 1);
    }
}

struct feasible *feasible_new(const struct hb *hb, const struct feasible_options *o)
{
    struct feasible *f = mem_zero(1, sizeof *f);
    const size_t event_count = hb->trace->events.count;
    f->hb = hb;
    f->options = *o;
    f->options.step_max = or_default(o->step_max, STEPS_DEFAULT);
    f->options.event_max = or_default(o->event_max, EVENTS_DEFAULT);
    f->options.clause_max = or_default(o->clause_max, CLAUSES_DEFAULT);
    f->options.window_min = (event_id)or_default(o->window_min, WINDOW_DEFAULT);
    dependencies_build(&f->dependencies, hb);
    relevant_init(&f->relevant, &f->dependencies, f->options.event_max);
    prefix_init(&f->prefix, event_count);
    f->line = line_build(hb, &f->arena);
    if (f->line.events != NULL) {
        f->rank = arena_array(&f->arena, uint32_t, event_count + 1);
        for (size_t i = 0; i < f->line.count; i++) {
            f->rank[f->line.events[i]] = (uint32_t)i;
        }
    }
    must(f->options.event_max > 0);
    must(f->options.window_min > 0);
    must(f->line.count <= event_count);
    if (o->is_about_many && sound_is_certain(hb) &&
        hb->trace->tables.tasks.count <= SOUND_TASKS_MAX) {
        feed_cuts(f);
    }
    if (o->is_about_many) {
        held_build(&f->held, hb, HELD_CONTENDED, &f->arena);
        build_musts(f);
        prepare_jumps(f);
        f->prefix.musts = f->has_musts ? &f->musts : NULL;
    }
    return f;
}

void feasible_free(struct feasible *f)
{
    if (f == NULL) {
        return;
    }
    if (f->has_musts) {
        hb_release(&f->musts);
    }
    if (f->has_cuts) {
        cuts_release(&f->cuts);
    }
    mem_free(f->cut);
    vec_release(&f->needs);
    prefix_release(&f->prefix);
    relevant_release(&f->relevant);
    dependencies_release(&f->dependencies);
    arena_release(&f->arena);
    mem_free(f);
}

const struct feasible_stats *feasible_stats(const struct feasible *f)
{
    return &f->stats;
}

/* ---- deciding ---- */

static bool shows_by_cut(struct feasible *f, const struct sound_pair *pair, sound_order *order)
{
    must(f->has_cuts);
    const bool shows = pair->is_message ? cuts_follow(&f->cuts, pair->a, pair->b, f->cut)
                                        : cuts_met(&f->cuts, pair->a, pair->b, f->cut);
    if (shows && order != NULL) {
        const struct sound_race race = {.pair = *pair, .cut = f->cut};
        sound_order_of(f->hb, &race, order);
    }
    return shows;
}

/* Whether `first` is needed before `second` can come. */
static bool is_needed(struct feasible *f, event_id first, event_id second)
{
    dependency_list needs = {0};
    bool is_found = false;
    dependencies_of(&f->dependencies, second, false, &needs);
    vec_each (&needs, need) {
        is_found |= *need == first || hb_is_before(&f->musts, first, *need);
    }
    vec_release(&needs);
    return is_found;
}

static bool is_refused_by_reach(struct feasible *f, const struct sound_pair *pair)
{
    if (pair->is_message) {
        return pair->a == pair->b || hb_is_before(&f->musts, pair->b, pair->a);
    }
    return is_needed(f, pair->a, pair->b) || is_needed(f, pair->b, pair->a);
}

/* Whether program order alone puts the event into the section. */
static bool is_inside(const struct feasible *f, const struct section *s, event_id id)
{
    const uint32_t *of = f->hb->contexts.of;
    return of[s->begin] == of[id] && of[s->end] == of[id];
}

/* Whether both accesses are in sections that exclude each other: in a prefix that ends before both,
 * both sections would be open. */
static bool is_refused_by_lock(const struct feasible *f, const struct sound_pair *pair)
{
    const struct held *h = &f->held;
    const uint32_t set_a = h->set_of[pair->a];
    const uint32_t set_b = h->set_of[pair->b];
    for (uint32_t i = h->first[set_a]; set_a != 0 && i < h->first[set_a + 1]; i++) {
        const struct section *a = &f->hb->sections.list[h->sections[i]];
        for (uint32_t k = h->first[set_b]; set_b != 0 && k < h->first[set_b + 1]; k++) {
            const struct section *b = &f->hb->sections.list[h->sections[k]];
            if (sections_exclude(a, b) && is_inside(f, a, pair->a) && is_inside(f, b, pair->b)) {
                return true;
            }
        }
    }
    return false;
}

/* A question about prefixes: a pair, or else a deadlock. */
struct question {
    const struct sound_pair *pair;
    const struct deadlock_state *deadlock;
};

static void end_order(const struct question *q, sound_order *order)
{
    if (q->pair == NULL) {
        for (size_t i = 0; i < q->deadlock->count; i++) {
            vec_push(order, q->deadlock->requests[i]);
        }
        return;
    }
    if (!q->pair->is_message) {
        vec_push(order, q->pair->a);
    }
    vec_push(order, q->pair->b);
}

static enum relevant_state set_scene(struct feasible *f, const struct question *q)
{
    return q->pair != NULL ? relevant_set(&f->relevant, q->pair)
                           : relevant_set_deadlock(&f->relevant, q->deadlock);
}

static int compare_ranks(const void *left, const void *right, const void *context)
{
    const uint32_t *rank = context;
    const event_id a = *(const event_id *)left;
    const event_id b = *(const event_id *)right;
    const uint32_t first = rank == NULL ? a : rank[a];
    const uint32_t second = rank == NULL ? b : rank[b];
    return (first > second) - (first < second);
}

/* The relevant in the order of the execution. */
static void lay_out(const struct feasible *f, const struct question *q, sound_order *order)
{
    vec_clear(order);
    vec_each (&f->relevant.events, id) {
        vec_push(order, *id);
    }
    sort_stable(order->at, order->count, sizeof *order->at, compare_ranks, f->rank);
    end_order(q, order);
}

static enum race_verdict leave_open(struct feasible *f, enum feasible_open reason)
{
    f->open = reason;
    return RACE_UNKNOWN;
}

/* A recording's formula is weaker than the truth, so that a model proves nothing. */
static enum race_verdict leave_recording_open(struct feasible *f)
{
    vec_each (&f->relevant.events, id) {
        if (!reads_from_is_certain(f->hb->reads, *id)) {
            return leave_open(f, FEASIBLE_DOUBT);
        }
    }
    return leave_open(f, FEASIBLE_REORDERED);
}

static enum race_verdict ask_solver(struct feasible *f, const struct question *q,
                                    sound_order *order)
{
    if (!prefix_build(&f->prefix, &f->relevant, f->options.clause_max)) {
        return leave_open(f, FEASIBLE_BUDGET);
    }
    struct err e = {0};
    struct solver *solver =
        solver_new(&(struct solver_options){.way = SOLVE_NATIVE}, &f->prefix.problem, &e);
    if (solver == NULL) {
        return leave_open(f, FEASIBLE_BUDGET);
    }
    f->stats.by_solver++;
    const struct limit *limit = f->options.watch == NULL ? NULL : f->options.watch->limit;
    const uint64_t time_ns = limit == NULL ? UINT64_MAX : limit_time_left_ns(limit);
    const struct solve_question question = {
        .budget = {.step_count_max = f->options.step_max,
                   .time_ns_max = time_ns == UINT64_MAX ? 0 : time_ns + 1}};
    struct solve_answer answer;
    solver_decide(solver, &question, &answer);
    f->stats.steps += answer.step_count;
    if (answer.verdict == SOLVE_SAT && order != NULL) {
        prefix_order(&f->prefix, answer.model, order);
        end_order(q, order);
    }
    solver_free(solver);
    switch (answer.verdict) {
    case SOLVE_UNKNOWN: return leave_open(f, FEASIBLE_HARD);
    case SOLVE_SAT: return f->hb->reads == NULL ? RACE_YES : leave_recording_open(f);
    case SOLVE_UNSAT: return RACE_NO;
    }
    bug("verdict of a solver");
}

/* Decides by the events that the question is about. */
static enum race_verdict decide_scene(struct feasible *f, const struct question *q,
                                      sound_order *order)
{
    enum relevant_state state = set_scene(f, q);
    if (state == RELEVANT_POSSIBLE && f->hb->reads == NULL && sound_is_certain(f->hb)) {
        if (relevant_keep_order(&f->relevant) == RELEVANT_POSSIBLE) {
            f->stats.by_order++;
            if (order != NULL) {
                lay_out(f, q, order);
            }
            return RACE_YES;
        }
        state = set_scene(f, q);
    }
    if (state == RELEVANT_POSSIBLE) {
        state = relevant_widen(&f->relevant);
    }
    switch (state) {
    case RELEVANT_POSSIBLE: return ask_solver(f, q, order);
    case RELEVANT_IMPOSSIBLE: return RACE_NO;
    case RELEVANT_TOO_LARGE: return leave_open(f, FEASIBLE_TOO_LARGE);
    }
    bug("state of a scene");
}

/* ---- windows ---- */

/* The first events of each task that the pair needs and that are listed before the floor, and the
 * events that close them. False if those include the pair. */
static bool jump(struct feasible *f, const struct sound_pair *pair, event_id floor)
{
    const struct contexts *c = &f->hb->contexts;
    for (uint32_t task = 0; task < c->task_count; task++) {
        const uint32_t a = feasible_needed_of(f, pair->a, task);
        const uint32_t b = feasible_needed_of(f, pair->b, task);
        const uint32_t listed = line_places_before(&f->places, task, floor);
        const uint32_t needed = a > b ? a : b;
        f->wanted[task] = needed < listed ? needed : listed;
        f->done[task] = 0;
    }
    return cuts_extend(&f->cuts, f->wanted, pair, f->done);
}

static bool is_done(const struct feasible *f, event_id id)
{
    const struct contexts *c = &f->hb->contexts;
    return c->position[id] < f->done[c->of[id]];
}

/* The last event, as listed, among those done. */
static event_id last_done(const struct feasible *f)
{
    const struct contexts *c = &f->hb->contexts;
    event_id end = 0;
    for (uint32_t task = 0; task < c->task_count; task++) {
        if (f->done[task] > 0) {
            const event_id last = context_event(c, task, f->done[task] - 1);
            end = last > end ? last : end;
        }
    }
    return end;
}

/* Whether a write of its variable that is listed behind the event is done already, or behind the
 * write that it saw, if that is still to come. */
static bool is_overtaken(const struct feasible *f, event_id id, event_id end)
{
    const struct event *e = &f->hb->trace->events.at[id];
    if (!dependency_reads(e) && !event_is_update(e)) {
        return false;
    }
    const event_id writer = f->dependencies.writer[id];
    const bool is_ahead = dependency_reads(e) && writer != EVENT_NONE && !is_done(f, writer);
    event_id w = f->write_after[is_ahead ? writer : id];
    while (w != EVENT_NONE && w <= end && !is_done(f, w)) {
        w = f->write_after[w];
    }
    return w != EVENT_NONE && w <= end;
}

/* An event overtaken by a write that is done can no longer happen: a read would see that write, and
 * blind updates that do not commute keep their order. False if such an event is needed. */
static bool bar_overtaken(struct feasible *f)
{
    const event_id end = last_done(f);
    vec_each (&f->relevant.events, id) {
        if (!is_overtaken(f, *id, end)) {
            continue;
        }
        if (f->relevant.part[*id] == RELEVANT_NEEDED) {
            return false;
        }
        vec_push(&f->relevant.barred, *id);
    }
    return true;
}

/* Adds the sections that are open after the events done. */
static void take_open_sections(struct feasible *f)
{
    const struct contexts *c = &f->hb->contexts;
    for (uint32_t task = 0; task < c->task_count; task++) {
        const uint32_t set =
            f->done[task] == 0 ? 0 : f->held.set_of[context_event(c, task, f->done[task] - 1)];
        for (uint32_t i = f->held.first[set]; i < f->held.first[set + 1]; i++) {
            const uint32_t number = f->held.sections[i];
            if (!is_done(f, f->hb->sections.list[number].end)) {
                vec_push(&f->relevant.sections, number);
            }
        }
    }
}

/* Puts the events done before the order, as listed. */
static void put_done_before(const struct feasible *f, sound_order *order)
{
    sound_order whole = {0};
    for (event_id id = 0; id < f->hb->trace->events.count; id++) {
        if (is_done(f, id)) {
            vec_push(&whole, id);
        }
    }
    vec_each (order, id) {
        vec_push(&whole, *id);
    }
    vec_release(order);
    *order = whole;
}

static enum race_verdict decide_window(struct feasible *f, const struct sound_pair *pair,
                                       struct relevant_window window, sound_order *order)
{
    f->relevant.window = window;
    enum relevant_state state = relevant_set(&f->relevant, pair);
    if (state == RELEVANT_POSSIBLE && window.done != NULL) {
        take_open_sections(f);
    }
    state = state == RELEVANT_POSSIBLE ? relevant_widen(&f->relevant) : state;
    enum race_verdict verdict = RACE_UNKNOWN;
    if (state == RELEVANT_IMPOSSIBLE) {
        verdict = RACE_NO;
    } else if (state == RELEVANT_POSSIBLE && (window.done == NULL || bar_overtaken(f))) {
        verdict = ask_solver(f, &(struct question){.pair = pair}, order);
    }
    if (verdict == RACE_YES && order != NULL) {
        put_done_before(f, order);
    }
    return verdict;
}

enum race_verdict feasible_decide_near(struct feasible *f, const struct sound_pair *pair,
                                       sound_order *order)
{
    must(f->options.is_about_many);
    must(!pair->is_message);
    const event_id first = pair->a < pair->b ? pair->a : pair->b;
    enum race_verdict verdict = RACE_UNKNOWN;
    for (event_id width = f->options.window_min;
         verdict == RACE_UNKNOWN && width < first && !limit_is_over(f->options.watch, DECIDE_STEPS);
         width *= WINDOW_GROWTH) {
        const event_id floor = first - width;
        if (decide_window(f, pair, (struct relevant_window){.floor = floor}, NULL) == RACE_NO) {
            verdict = RACE_NO;
        } else if (f->can_jump && jump(f, pair, floor) &&
                   decide_window(f, pair, (struct relevant_window){.done = f->done}, order) ==
                       RACE_YES) {
            verdict = RACE_YES;
        }
        f->stats.by_window += verdict != RACE_UNKNOWN;
    }
    f->relevant.window = (struct relevant_window){0};
    f->open = FEASIBLE_DECIDED;
    return verdict;
}

enum race_verdict feasible_decide(struct feasible *f, const struct sound_pair *pair,
                                  sound_order *order)
{
    f->open = FEASIBLE_DECIDED;
    if (sound_refusal(f->hb) != NULL || limit_is_over(f->options.watch, DECIDE_STEPS)) {
        f->stats.unknown++;
        return leave_open(f, FEASIBLE_BUDGET);
    }
    if (f->options.is_about_many && !pair->is_message && is_refused_by_lock(f, pair)) {
        f->stats.by_lock++;
        return RACE_NO;
    }
    if (f->has_musts && is_refused_by_reach(f, pair)) {
        f->stats.by_reach++;
        return RACE_NO;
    }
    if (f->has_cuts && shows_by_cut(f, pair, order)) {
        f->stats.by_cut++;
        return RACE_YES;
    }
    enum race_verdict verdict = RACE_UNKNOWN;
    if (f->options.is_about_many && !pair->is_message) {
        verdict = feasible_decide_near(f, pair, order);
    }
    if (verdict == RACE_UNKNOWN) {
        verdict = decide_scene(f, &(struct question){.pair = pair}, order);
    }
    f->stats.unknown += verdict == RACE_UNKNOWN;
    return verdict;
}

enum race_verdict feasible_decide_deadlock(struct feasible *f, const struct deadlock_state *d,
                                           sound_order *order)
{
    must(d->count >= 2);
    if (sound_refusal(f->hb) != NULL || limit_is_over(f->options.watch, DECIDE_STEPS)) {
        f->stats.unknown++;
        return RACE_UNKNOWN;
    }
    const enum race_verdict verdict = decide_scene(f, &(struct question){.deadlock = d}, order);
    f->stats.unknown += verdict == RACE_UNKNOWN;
    return verdict;
}

enum feasible_open feasible_why_open(const struct feasible *f)
{
    return f->open;
}

bool feasible_is_refused(struct feasible *f, event_id a, event_id b)
{
    return f->has_musts && is_refused_by_reach(f, &(struct sound_pair){.a = a, .b = b});
}

uint32_t feasible_needed_of(struct feasible *f, event_id id, uint32_t task)
{
    uint32_t count = 0;
    if (!f->has_musts) {
        return 0;
    }
    vec_clear(&f->needs);
    dependencies_of(&f->dependencies, id, false, &f->needs);
    vec_each (&f->needs, need) {
        must(!context_is_handler(&f->hb->contexts, f->hb->contexts.of[*need]));
        const uint32_t known = reach_count(&f->musts.before, *need, task);
        count = known > count ? known : count;
    }
    return count;
}

static enum race_verdict judge_data(void *self, event_id a, event_id b)
{
    return feasible_decide(self, &(struct sound_pair){.a = a, .b = b}, NULL);
}

static enum race_verdict judge_message(void *self, event_id send, event_id receive)
{
    return feasible_decide(self, &(struct sound_pair){.is_message = true, .a = send, .b = receive},
                           NULL);
}

struct judge feasible_judge(struct feasible *f)
{
    return (struct judge){.data = judge_data, .message = judge_message, .self = f};
}
