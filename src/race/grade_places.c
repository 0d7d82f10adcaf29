#include "race/grade_places.h"

#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "order/object_key.h"
#include "order/reads_from.h"
#include "race/data_races.h"
#include "race/feasible/dependencies.h"
#include "race/feasible/feasible.h"
#include "race/lockset.h"
#include "race/race_grade.h"
#include "race/sound/first_race.h"
#include "race/sound/reordered.h"
#include "race/sound/sync_preserving.h"
#include "race/sound/verify.h"
#include "wire/must.h"

enum {
    SHOWN_TRIES_MAX = 64,      /* pairs of a pair of classes that are tried as first races */
    HELD_TRIES_MAX = 100000,   /* pairs of a group that are compared by their locks */
    DECIDE_TRIES_MAX = 200,    /* pairs of a group that are decided */
    DECIDE_STEPS_MAX = 200000, /* of the solver, for one */
    DECIDE_EVENTS_MAX = 4000,
    DECIDE_CLAUSES_MAX = 100000,
    WITNESS_EVENTS_MAX = 100000, /* of a recording whose first races get witnesses */
    ROWS_MAX = 1 << 29,          /* numbers in the clocks of the observed order */
};

struct grading {
    struct race_groups *y;
    const struct place_input *in;
    struct arena arena;
    struct hb observed;
    struct reads_from reads;
    bool has_first_races; /* reads and first are there */
    struct first_races first;
    struct held held;
    struct feasible *feasible;
    struct witness_checker *checker;
    struct reordered reordered; /* recordings */
    sound_order order;
    uint32_t *held_tries; /* per group */
    uint32_t *decide_tries;
    bool has_handlers;
};

/* ---- reads-from ---- */

/* A row of tasks for each event that may join. */
bool place_grade_fits(const struct trace *t)
{
    uint64_t joins = 0;
    trace_each (t, e) {
        joins += !access_is_plain(e);
    }
    return joins * t->tables.tasks.count <= ROWS_MAX;
}

static bool is_stamped(const struct grading *r)
{
    return r->y->t->tables.order == ORDER_STAMPED;
}

/* The needs of an event in every prefix that observed order lacks: the write that a relaxed atomic
 * read saw, and on a stream the earlier bytes. All are listed before the event, so they close no
 * cycle. */
static void add_demands(struct grading *r)
{
    struct dependencies dependencies;
    dependency_list needs = {0};
    const size_t count = r->observed.edges.list.count;
    dependencies_build(&dependencies, r->in->hb);
    for (event_id id = 0; id < r->y->t->events.count; id++) {
        vec_clear(&needs);
        dependencies_of(&dependencies, id, true, &needs);
        vec_each (&needs, need) {
            if (*need < id && !hb_is_before(&r->observed, *need, id)) {
                edges_add(&r->observed.edges, *need, id, EDGE_GIVEN);
            }
        }
    }
    vec_release(&needs);
    dependencies_release(&dependencies);
    if (r->observed.edges.list.count > count) {
        const event_id blocked = hb_rebuild(&r->observed);
        must(blocked == EVENT_NONE);
    }
}

static int read_order(struct grading *r, struct err *e)
{
    struct notes repeated = {0}; /* the strict order has noted the same */
    const struct hb_options options = {
        .model = HB_OBSERVED, .scope = REACH_ALL, .given = r->y->o->given};
    const int result = hb_build(&r->observed, r->y->run, &options, &repeated, e);
    notes_release(&repeated);
    return result;
}

/* From here on, observed order includes the needs of prefixes. */
static void read_reads(struct grading *r)
{
    reads_from_build(&r->reads, &r->observed, &r->arena);
    r->in->hb->reads = &r->reads;
    add_demands(r);
    first_races_init(&r->first, &r->observed, &r->reads);
    r->has_first_races = true;
}

/* ---- first races ---- */

static struct race_pair pair_of(event_id a, event_id b)
{
    return (struct race_pair){
        .first = a < b ? a : b, .second = a < b ? b : a, .send = EVENT_NONE, .receive = EVENT_NONE};
}

/* The group of two classes, NULL when none of their pairs is a race or they are decided. */
static struct race_group *group_of(const struct grading *r, const struct access_class *first,
                                   const struct access_class *second)
{
    const event_id *events = r->in->accesses->events;
    const struct race_pair pair = pair_of(events[first->first], events[second->first]);
    struct race_group *group = race_groups_find(r->y, &pair);
    return group == NULL || group->grade == GRADE_SOUND ? NULL : group;
}

static void checker_begin(struct grading *r)
{
    if (r->checker == NULL) {
        r->checker = proof_checker_new(r->in->hb);
    }
}

/* A first race is shown by the events that are known to come before its accesses, in the order of
 * the list. Plain accesses of a recording have no exact position in it, so the witness is kept only
 * if it replays. */
static void keep_first_race(struct grading *r, struct race_group *group, event_id a, event_id b)
{
    const struct trace *t = r->observed.trace;
    const struct sound_pair pair = {.a = a, .b = b};
    group->grade = GRADE_SOUND;
    group->pair = pair_of(a, b);
    if (!r->y->o->wants_witness || t->events.count > WITNESS_EVENTS_MAX) {
        return;
    }
    vec_clear(&r->order);
    for (event_id e = 0; e < t->events.count; e++) {
        if (e != a && e != b &&
            (hb_is_before(&r->observed, e, a) || hb_is_before(&r->observed, e, b))) {
            vec_push(&r->order, e);
        }
    }
    vec_push(&r->order, a);
    vec_push(&r->order, b);
    must(r->order.count >= 2);
    must(a != b);
    checker_begin(r);
    if (grade_holds(r->checker, &pair, &r->order)) {
        grade_keep_order(r->y, group, &pair, &r->order);
    }
}

/* Looks at the earliest pairs of the two classes that the order, as it is known so far, leaves
 * concurrent: any makes the group observed, and with first races known, one of these sound. */
static void show_classes(void *context, const struct access_class *first,
                         const struct access_class *second)
{
    struct grading *r = context;
    struct race_group *group = group_of(r, first, second);
    const event_id *a = r->in->accesses->events + first->first;
    const event_id *b = r->in->accesses->events + second->first;
    const uint32_t tries_max = r->has_first_races ? SHOWN_TRIES_MAX : 1;
    uint32_t tries = 0;
    uint32_t from = 0; /* accesses of the first class before this one come before b[k] */
    if (group == NULL || limit_is_over(&r->y->watch, 1)) {
        return;
    }
    for (uint32_t k = 0; k < second->count && tries < tries_max; k++) {
        while (from < first->count && hb_is_before(&r->observed, a[from], b[k])) {
            from++;
        }
        if (from == first->count || hb_is_before(&r->observed, b[k], a[from])) {
            continue;
        }
        tries++;
        if (!r->has_first_races) {
            group->pair = group->is_observed ? group->pair : pair_of(a[from], b[k]);
            group->is_observed = true;
        } else if (first_races_show(&r->first, a[from], b[k], FIRST_RACE_PLACES)) {
            keep_first_race(r, group, a[from], b[k]);
            return;
        }
    }
}

static void show_pair(struct grading *r, struct race_group *group)
{
    const struct race_pair *pair = &group->pair;
    if (pair->send != EVENT_NONE) {
        return;
    }
    if (!r->has_first_races) {
        group->is_observed = hb_is_concurrent(&r->observed, pair->first, pair->second);
    } else if (first_races_show(&r->first, pair->first, pair->second, FIRST_RACE_PAIR)) {
        keep_first_race(r, group, pair->first, pair->second);
    }
}

static void show_observed(struct grading *r)
{
    if (!r->y->o->wants_pairs) {
        data_each_conflict(r->in->accesses, show_classes, r);
        return;
    }
    vec_each (&r->y->groups, group) {
        show_pair(r, group);
    }
}

/* ---- refuting ---- */

static enum race_open why_open(const struct grading *r)
{
    switch (feasible_why_open(r->feasible)) {
    case FEASIBLE_DECIDED: return RACE_OPEN_NOT;
    case FEASIBLE_BUDGET: return r->y->watch.is_over ? RACE_OPEN_BUDGET : RACE_OPEN_LARGE;
    case FEASIBLE_HARD: return r->y->watch.is_over ? RACE_OPEN_BUDGET : RACE_OPEN_HARD;
    case FEASIBLE_TOO_LARGE: return RACE_OPEN_LARGE;
    case FEASIBLE_DOUBT: return RACE_OPEN_DOUBT;
    case FEASIBLE_REORDERED: return RACE_OPEN_REORDER;
    }
    bug("why a question is open");
}

/* Decides one question of the group; an answer other than yes or no leaves the group open. */
static void decide(struct grading *r, struct race_group *group, const struct sound_pair *pair)
{
    enum race_verdict verdict = feasible_decide(r->feasible, pair, &r->order);
    if (feasible_why_open(r->feasible) == FEASIBLE_REORDERED) {
        const size_t tail = pair->is_message ? 1 : 2;
        must(r->order.count >= tail);
        const bool is_proof = reordered_is_proof(&r->reordered, r->order.at, r->order.count - tail);
        verdict = is_proof ? RACE_YES : RACE_UNKNOWN;
    }
    if (verdict == RACE_YES && grade_holds(r->checker, pair, &r->order)) {
        grade_keep_order(r->y, group, pair, &r->order);
    } else if (verdict != RACE_NO) {
        group->open = why_open(r) == RACE_OPEN_NOT ? RACE_OPEN_LARGE : why_open(r);
    }
}

/* Decides two accesses that nothing needed puts in order. */
static void decide_pair(struct grading *r, struct race_group *group, event_id a, event_id b)
{
    const size_t number = (size_t)(group - r->y->groups.at);
    const struct judge *strict = r->in->strict;
    if (group->open != RACE_OPEN_NOT || group->grade == GRADE_SOUND) {
        return;
    }
    if (limit_is_over(&r->y->watch, 1)) {
        group->open = RACE_OPEN_BUDGET;
    } else if (r->held_tries[number]++ == HELD_TRIES_MAX) {
        group->open = RACE_OPEN_LARGE;
    } else if (held_excludes(&r->held, r->in->hb, a, b)) {
        return;
    } else if (r->decide_tries[number]++ == DECIDE_TRIES_MAX) {
        group->open = RACE_OPEN_LARGE;
    } else if (strict == NULL || strict->data(strict->self, a, b) != RACE_NO) {
        const struct race_pair pair = pair_of(a, b);
        decide(r, group, &(struct sound_pair){.a = pair.first, .b = pair.second});
    }
}

/* One class as the other's task needs it. */
struct side {
    const event_id *events;
    uint32_t count;
    const uint32_t *needs; /* per event: how many events of the other's task come before; rises */
};

static struct side side_of(struct grading *r, const struct access_class *class, uint32_t other_task,
                           struct arena *arena)
{
    uint32_t *needs = arena_array(arena, uint32_t, class->count);
    const struct side side = {
        .events = r->in->accesses->events + class->first, .count = class->count, .needs = needs};
    for (uint32_t i = 0; i < class->count; i++) {
        needs[i] = feasible_needed_of(r->feasible, side.events[i], other_task);
        must(i == 0 || needs[i - 1] <= needs[i]);
    }
    return side;
}

static uint32_t position_of(const struct grading *r, event_id id)
{
    return r->in->hb->contexts.position[id];
}

/* Decides the pairs of the two classes in which neither is needed before the other. Both rise, so
 * for each of b they are neighbours in a. */
static void decide_lines(struct grading *r, struct race_group *group, const struct side *a,
                         const struct side *b)
{
    uint32_t from = 0;
    for (uint32_t k = 0; k < b->count && group->open == RACE_OPEN_NOT; k++) {
        while (from < a->count && position_of(r, a->events[from]) < b->needs[k]) {
            from++;
        }
        for (uint32_t i = from; i < a->count && a->needs[i] <= position_of(r, b->events[k]) &&
                                group->open == RACE_OPEN_NOT && group->grade != GRADE_SOUND;
             i++) {
            decide_pair(r, group, a->events[i], b->events[k]);
        }
    }
}

/* The same where handlers are contexts of their own: pair by pair. */
static void decide_product(struct grading *r, struct race_group *group,
                           const struct access_class *first, const struct access_class *second)
{
    const event_id *events = r->in->accesses->events;
    for (uint32_t i = 0; i < first->count; i++) {
        for (uint32_t k = 0; k < second->count && group->open == RACE_OPEN_NOT; k++) {
            const event_id a = events[first->first + i];
            const event_id b = events[second->first + k];
            if (!feasible_is_refused(r->feasible, a, b)) {
                decide_pair(r, group, a, b);
            }
        }
    }
}

static void decide_classes(void *context, const struct access_class *first,
                           const struct access_class *second)
{
    struct grading *r = context;
    struct race_group *group = group_of(r, first, second);
    const struct judge *strict = r->in->strict;
    if (group == NULL || group->open != RACE_OPEN_NOT || group->is_observed ||
        (strict != NULL && strict->excludes != NULL &&
         strict->excludes(strict->self, first, second))) {
        return;
    }
    if (r->has_handlers) {
        decide_product(r, group, first, second);
        return;
    }
    struct arena arena = {0};
    const struct side a = side_of(r, first, second->task, &arena);
    const struct side b = side_of(r, second, first->task, &arena);
    decide_lines(r, group, &a, &b);
    arena_release(&arena);
}

/* A group of messages is decided by the pair that stands for it; several are not all refuted by
 * it. */
static void decide_messages(struct grading *r, struct race_group *group)
{
    decide(
        r, group,
        &(struct sound_pair){.is_message = true, .a = group->pair.send, .b = group->pair.receive});
    if (group->grade != GRADE_SOUND && group->open == RACE_OPEN_NOT && group->pair_count > 1) {
        group->open = RACE_OPEN_LARGE;
    }
}

static void refute(struct grading *r)
{
    struct race_groups *y = r->y;
    const struct feasible_options options = {.step_max = DECIDE_STEPS_MAX,
                                             .event_max = DECIDE_EVENTS_MAX,
                                             .clause_max = DECIDE_CLAUSES_MAX,
                                             .is_about_many = true,
                                             .watch = &y->watch};
    r->feasible = feasible_new(r->in->hb, &options);
    checker_begin(r);
    if (is_stamped(r)) {
        reordered_init(&r->reordered, &r->observed, &r->reads);
    }
    r->has_handlers = r->in->hb->contexts.count > r->in->hb->contexts.task_count;
    held_build(&r->held, r->in->hb, HELD_CONTENDED, &r->arena);
    r->held_tries = arena_array(&r->arena, uint32_t, y->groups.count + 1);
    r->decide_tries = arena_array(&r->arena, uint32_t, y->groups.count + 1);
    vec_each (&y->groups, group) {
        if (group->grade == GRADE_SOUND || group->is_observed) {
            continue;
        }
        if (group->pair.send != EVENT_NONE) {
            decide_messages(r, group);
        } else if (y->o->wants_pairs) {
            decide_pair(r, group, group->pair.first, group->pair.second);
        }
    }
    if (!y->o->wants_pairs) {
        data_each_conflict(r->in->accesses, decide_classes, r);
    }
    reordered_release(&r->reordered);
    feasible_free(r->feasible);
}

/* ---- addresses that depend on descriptor numbers ---- */

/* Whether the variable's name is that of an element or of a part of a heap block: code that
 * accesses it may have chosen it by a number. */
static bool is_selected(const struct trace *t, event_id id)
{
    return strpbrk(trace_name(t, trace_at(t, id)->object), "[#") != NULL;
}

static bool is_not_after(const struct hb *hb, event_id a, event_id b)
{
    return a == b || hb_is_before(hb, a, b);
}

/* Whether a descriptor number was closed behind the first access and given out again ahead of the
 * second. Another schedule gives out another number, and the second access may then be to another
 * element. */
static bool follows_reuse(const struct grading *r, event_id first, event_id second)
{
    const struct trace *t = r->y->t;
    struct map closed = {0}; /* object to the last close that the first access comes before */
    bool is_reused = false;
    for (event_id id = first; id <= second && !is_reused; id++) {
        const struct event *e = trace_at(t, id);
        if (event_class(e) != CLASS_ANNOTATION || e->mode != ANNOTATION_OBSERVED) {
            continue;
        }
        const uint64_t object = scope_name(t, e, e->object);
        if (e->kind == EVENT_HAPPENS_BEFORE && is_not_after(&r->observed, first, id)) {
            map_put(&closed, object, id);
        } else if (e->kind == EVENT_HAPPENS_AFTER && map_get(&closed, object) != NULL) {
            is_reused = is_not_after(&r->observed, id, second);
        }
    }
    map_release(&closed);
    return is_reused;
}

/* A prefix shows the pair with the addresses of this run; where they may depend on the order that
 * it changes, it proves nothing. */
static void doubt_numbers(struct grading *r)
{
    vec_each (&r->y->groups, group) {
        const struct race_pair *pair = &group->pair;
        if (group->grade == GRADE_SOUND && !group->is_observed && pair->send == EVENT_NONE &&
            is_selected(r->y->t, pair->first) && follows_reuse(r, pair->first, pair->second)) {
            group->grade = GRADE_MAY;
            group->open = RACE_OPEN_NUMBER;
        }
    }
}

/* ---- orders that a recording does not have ---- */

static bool is_change_of_file(const struct event *e)
{
    return e->kind == EVENT_FILE_WRITE || e->kind == EVENT_FILE_UNLINK ||
           e->kind == EVENT_FILE_RENAME;
}

/* Whether the event makes a datagram or listening socket ready. */
static bool is_arrival(const struct event *e)
{
    return e->kind == EVENT_CONNECT || (e->kind == EVENT_SEND && e->message != 0);
}

/* Whether a wait for descriptors is not followed by what says which one was ready: a look at it, or
 * a receive. */
static bool is_unexplained(const struct trace *t, event_id ready)
{
    const struct event *r = trace_at(t, ready);
    for (event_id id = ready + 1; r->kind == EVENT_READY && id < t->events.count; id++) {
        const struct event *e = trace_at(t, id);
        if (e->task == r->task && !access_is_plain(e) && event_class(e) != CLASS_REGION) {
            return e->kind != EVENT_RECV && e->kind != EVENT_ACCEPT &&
                   e->kind != EVENT_HAPPENS_AFTER && e->kind != EVENT_SEM_WAIT;
        }
    }
    return r->kind == EVENT_READY;
}

/* Whether a file was changed behind the first access and used ahead of the second, such as a lock
 * file, or something was sent to a socket that a wait may have found ready. */
static bool follows_unseen(const struct grading *r, event_id first, event_id second)
{
    const struct trace *t = r->y->t;
    struct map changed = {0}; /* paths */
    bool has_arrived = false, is_ordered = false;
    for (event_id id = first; id <= second && !is_ordered; id++) {
        const struct event *e = trace_at(t, id);
        const bool is_file = event_class(e) == CLASS_FILE;
        if (!is_file && !is_arrival(e) && e->kind != EVENT_READY) {
            continue;
        }
        const bool is_used = (is_file && map_get(&changed, e->object) != NULL) ||
                             (has_arrived && is_unexplained(t, id));
        is_ordered = is_used && is_not_after(&r->observed, id, second);
        if (is_not_after(&r->observed, first, id)) {
            has_arrived |= is_arrival(e);
            if (is_change_of_file(e)) {
                map_put(&changed, e->object, 1);
                map_put(&changed, e->text, 1); /* the new name */
            }
        }
    }
    map_release(&changed);
    return is_ordered;
}

/* No prefix of a recording holds such an order; one that shows the pair proves nothing then. */
static void doubt_unseen(struct grading *r)
{
    bool is_any = false;
    trace_each (r->y->t, e) {
        is_any |= is_change_of_file(e) || is_arrival(e);
    }
    if (!is_any) {
        return;
    }
    vec_each (&r->y->groups, group) {
        const struct race_pair *pair = &group->pair;
        if (group->grade == GRADE_SOUND && pair->send == EVENT_NONE &&
            follows_unseen(r, pair->first, pair->second)) {
            group->grade = GRADE_MAY; /* and observed, if it is */
            group->open = RACE_OPEN_UNSEEN;
        }
    }
}

/* ---- all together ---- */

static bool has_open(const struct race_groups *y)
{
    vec_each (&y->groups, group) {
        if (group->grade != GRADE_SOUND && !group->is_observed) {
            return true;
        }
    }
    return false;
}

static void leave_all_open(struct race_groups *y, enum race_open reason)
{
    vec_each (&y->groups, group) {
        group->open = reason;
    }
}

static int grade(struct grading *r, struct notes *n, struct err *e)
{
    if (read_order(r, e) < 0) {
        return -1;
    }
    if (is_stamped(r) && !reads_from_can_know(&r->observed)) {
        leave_all_open(r->y, RACE_OPEN_TORN);
        hb_release(&r->observed);
        return 0;
    }
    show_observed(r);
    if (is_stamped(r)) {
        read_reads(r);
        show_observed(r);
        grade_by_cuts(r->y, r->in->hb, n);
    } else {
        grade_groups(r->y, r->in->hb, n);
    }
    if (has_open(r->y)) {
        refute(r);
    }
    doubt_numbers(r);
    if (is_stamped(r)) {
        doubt_unseen(r);
    }
    r->in->hb->reads = NULL;
    first_races_release(&r->first);
    hb_release(&r->observed);
    return 0;
}

/* Keeps of a relaxed trace's groups those that it allows and the run did not: they are open. */
static void count_relaxed(struct race_groups *y)
{
    size_t kept = 0;
    vec_each (&y->groups, group) {
        const bool is_refuted =
            group->grade != GRADE_SOUND && !group->is_observed && group->open == RACE_OPEN_NOT;
        const bool is_of_one_node = trace_node_of(y->t, trace_at(y->t, group->pair.first)) ==
                                    trace_node_of(y->t, trace_at(y->t, group->pair.second));
        const bool is_of_one_task =
            trace_at(y->run, group->pair.first)->task == trace_at(y->run, group->pair.second)->task;
        bool is_new = false;
        if (!is_refuted && !is_of_one_task && (is_of_one_node || y->relaxed != RACE_OPEN_OWNER)) {
            (void)map_slot(&y->before->judged, race_groups_key(y->before, &group->pair), 1,
                           &is_new);
        }
        if (is_new) {
            group->grade = GRADE_MAY;
            group->open = y->relaxed;
            y->stats->places_open[y->relaxed]++;
            y->groups.at[kept++] = *group;
        }
    }
    y->groups.count = kept;
    y->stats->location_pairs = kept;
    y->stats->has_decided_places = true;
}

static void count_groups(struct race_groups *y)
{
    const bool keeps_all = y->o->wants_all && y->o->model == RACE_STRICT;
    size_t kept = 0;
    y->stats->has_decided_places = true;
    y->stats->data_races = keeps_all ? y->stats->data_races : 0;
    vec_each (&y->groups, group) {
        if (group->grade != GRADE_SOUND && group->is_observed) {
            group->grade = GRADE_OBSERVED;
            group->open = RACE_OPEN_NOT;
        }
        const bool is_shown = group->grade != GRADE_MAY; /* or as good as */
        group->is_infeasible = !is_shown && group->open == RACE_OPEN_NOT;
        if (!group->is_infeasible) {
            map_put(&y->judged, race_groups_key(y, &group->pair), 1);
        }
        y->stats->places_sound += group->grade == GRADE_SOUND;
        y->stats->places_observed += group->grade == GRADE_OBSERVED;
        y->stats->places_refuted += group->is_infeasible;
        y->stats->places_open[is_shown ? RACE_OPEN_NOT : group->open] +=
            !is_shown && !group->is_infeasible;
        if (is_shown || keeps_all) {
            y->stats->data_races +=
                !keeps_all && group->pair.send == EVENT_NONE ? group->pair_count : 0;
            y->groups.at[kept++] = *group;
        }
    }
    y->groups.count = kept;
    y->stats->location_pairs = kept;
}

int place_grade(struct race_groups *y, const struct place_input *in, struct notes *n, struct err *e)
{
    struct grading r = {.y = y, .in = in};
    int result = 0;
    vec_each (&y->groups, group) {
        group->grade = GRADE_MAY;
        group->open = RACE_OPEN_NOT;
    }
    if (is_stamped(&r) && !place_grade_fits(y->t)) {
        leave_all_open(y, RACE_OPEN_LARGE);
    } else if (y->groups.count > 0) {
        result = grade(&r, n, e);
    }
    vec_release(&r.order);
    if (r.checker != NULL) {
        witness_checker_free(r.checker);
    }
    arena_release(&r.arena);
    if (y->before != NULL) {
        count_relaxed(y);
    } else {
        count_groups(y);
    }
    return result;
}
