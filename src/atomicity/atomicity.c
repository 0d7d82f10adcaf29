#include "atomicity/atomicity.h"

#include <string.h>
#include <xxhash.h>

#include "atomicity/atomicity_grade.h"
#include "atomicity/atomicity_report.h"
#include "atomicity/correlate.h"
#include "atomicity/lost_accesses.h"
#include "atomicity/match.h"
#include "atomicity/region.h"
#include "atomicity/unobserved.h"
#include "atomicity/unordered.h"
#include "base/name_glob.h"
#include "trace/kind_table.h"

enum { PAIRS_DEFAULT = 200, COMBINATIONS_MAX = 64, MARKS_DEFAULT = 4096 };

/* Events that are read again without the order of an atomic variable, over all variables. */
#define UNORDERED_EVENTS_MAX UINT64_C(4000000)

struct search {
    const struct trace *t;
    const struct atomicity_options *o;
    struct findings *f;
    struct atomicity_stats *s;
    struct notes *n;
    struct frame frame;
    struct frame free;    /* without the order of an atomic variable ... */
    uint32_t free_of;     /* ... while that is asked about; VARIABLE_NONE: none is */
    uint64_t free_events; /* read for it so far */
    uint64_t ordered;     /* atomic variables that it was too much for */
    uint64_t reported;    /* matches of the variable that is asked about */
    struct matcher matcher;
    struct limit_watch watch;
    uint64_t done, total;  /* variables and pairs */
    uint64_t count;        /* of findings */
    struct names keys;     /* of the findings */
    struct name_glob glob; /* if the options name variables */
};

/* ---- findings ---- */

static void count_kind(struct atomicity_stats *s, enum finding_kind kind)
{
    s->single += kind == FINDING_ATOMICITY_SINGLE || kind == FINDING_LOST_UPDATE;
    s->lost_update += kind == FINDING_LOST_UPDATE;
    s->two_variable += kind == FINDING_ATOMICITY_PAIR;
    s->merged += kind == FINDING_ATOMICITY_MERGED;
    s->stale_read += kind == FINDING_STALE_READ;
    s->regions += kind == FINDING_ATOMICITY_REGION;
}

static bool is_new_key(struct search *s, const char *key)
{
    const size_t known = s->keys.list.count;
    names_intern_text(&s->keys, key);
    return s->keys.list.count > known;
}

static const struct frame *frame_now(const struct search *s)
{
    return s->free_of != VARIABLE_NONE ? &s->free : &s->frame;
}

/* Whether the loads of an atomic variable, without whose order a match was found, would have
 * decided as they did. */
static bool accepts_match(void *context, const struct match *m)
{
    const struct search *s = context;
    if (s->free_of == VARIABLE_NONE) {
        return true;
    }
    struct segments segments = {0};
    event_list events = {0};
    segments_add_steps(&segments, m->model, m->decider->taken.at, m->decider->taken.count);
    segments_events(&segments, &s->free, &events);
    const bool is_so = unordered_keeps_tests(&s->free, s->free_of, events.at, events.count);
    vec_release(&events);
    segments_release(&segments);
    return is_so;
}

/* Every claim is replayed before it is made. */
static void take_match(void *context, const struct match *m)
{
    struct search *s = context;
    s->reported++;
    if (!is_new_key(s, match_key(s->f, m))) {
        return;
    }
    count_kind(s->s, match_kind(m));
    if (s->o->find_max != 0 && s->count >= s->o->find_max) {
        return;
    }
    s->count++;
    struct segments segments = {0};
    event_id places[QUESTION_PLACES_MAX];
    segments_add_steps(&segments, m->model, m->decider->taken.at, m->decider->taken.count);
    for (uint32_t i = 0; i < m->place_count; i++) {
        places[i] = m->model->threads[m->places[i].thread].steps[m->places[i].step].event;
    }
    const struct execution_claim claim = {
        .segments = &segments, .places = places, .place_count = m->place_count};
    struct err e = {0};
    const int checked = execution_check(frame_now(s), &claim, &e);
    must(checked == 0);
    struct match_report_options o = {.input = s->o->input};
    if (!s->o->skips_grades) {
        o.grade = s->free_of != VARIABLE_NONE
                      ? GRADE_MAY
                      : grade_claim(&s->frame, places, m->place_count, &segments, s->o->via);
    }
    event_list events = {0};
    if (s->o->wants_witness) {
        segments_events(&segments, frame_now(s), &events);
        o.witness = events.at;
        o.witness_count = events.count;
    }
    report_match(s->f, m, &o);
    vec_release(&events);
    segments_release(&segments);
}

/* ---- models ---- */

/* Whether an earlier run had the very same model; if not, it is known from now on. */
static bool is_known(void *context, const struct model *whole, const char *purpose)
{
    struct search *s = context;
    struct out out;
    out_open_memory(&out);
    out_text(&out, purpose);
    model_print(whole, &out);
    const XXH128_hash_t hash = XXH3_128bits(out.buffer, out.used);
    out_abandon(&out);
    const size_t before = s->o->seen->list.count;
    names_intern(s->o->seen, (const char *)&hash, sizeof hash);
    const bool is_same = s->o->seen->list.count == before;
    s->s->same += is_same;
    return is_same;
}

static bool is_wanted(struct search *s, uint32_t variable)
{
    return s->o->variable == NULL || name_glob_matches(&s->glob, &s->t->tables.names,
                                                       s->frame.variables.list.at[variable].name);
}

/* Whether another resource lies above or below, so that not only a variable's own accesses
 * conflict. */
static bool has_related(const struct search *s, uint32_t variable)
{
    const struct variables *v = &s->frame.variables;
    const char *name = trace_name(s->t, v->list.at[variable].name);
    for (size_t i = 0; variable_is_resource(name) && i < v->list.count; i++) {
        if (variable_is_below_or_above(name, trace_name(s->t, v->list.at[i].name))) {
            return true;
        }
    }
    return false;
}

/* Whether there is time for one more variable or pair. */
static bool may_go_on(struct search *s)
{
    if (limit_is_over(&s->watch, LIMIT_STEPS)) {
        return false;
    }
    if (s->o->progress != NULL) {
        s->o->progress(s->o->context, s->done, s->total);
    }
    s->done++;
    return true;
}

static void match_variable(struct search *s, uint32_t variable)
{
    struct sketch sketch;
    sketch_build(&sketch, frame_now(s), variable, VARIABLE_NONE);
    match_single(&s->matcher, &sketch);
    sketch_release(&sketch);
}

/* Whether the variable is loaded, and written without a decision by the value that is found. */
static bool has_acts(const struct search *s, uint32_t variable)
{
    const struct variables *v = &s->frame.variables;
    bool has_loads = false;
    bool has_acts = false;
    for (uint32_t i = v->list.at[variable].first;
         i < v->list.at[variable].first + v->list.at[variable].count; i++) {
        const struct access *a = &v->accesses.at[v->by_variable.at[i]];
        has_loads |= !a->is_write;
        has_acts |= a->is_write && (!a->is_read || event_is_kept(trace_at(s->t, a->event)));
    }
    return has_loads && has_acts;
}

/* Asks about an atomic variable once more, without the order that its own loads make. */
static void search_unordered(struct search *s, uint32_t variable)
{
    s->free_events += s->t->events.count;
    if (s->free_events > UNORDERED_EVENTS_MAX) {
        s->ordered++;
        return;
    }
    if (unordered_build(&s->free, &s->frame, variable)) {
        s->free_of = variable;
        match_variable(s, variable);
        s->free_of = VARIABLE_NONE;
        matcher_forget(&s->matcher);
        frame_release(&s->free);
    }
}

static void search_single(struct search *s)
{
    const struct variables *v = &s->frame.variables;
    for (uint32_t i = 0; i < v->list.count; i++) {
        const bool is_shared = variable_is_shared(&v->list.at[i]);
        s->s->variables += is_shared;
        if (s->o->skips_single || !is_wanted(s, i) || !(is_shared || has_related(s, i)) ||
            !may_go_on(s)) {
            continue;
        }
        s->reported = 0;
        match_variable(s, i);
        if (v->list.at[i].is_atomic && s->reported == 0 && has_acts(s, i)) {
            search_unordered(s, i);
        }
    }
}

static bool is_resource(const struct search *s, uint32_t variable)
{
    return variable_is_resource(trace_name(s->t, s->frame.variables.list.at[variable].name));
}

static void search_pair(struct search *s, uint32_t x, uint32_t y)
{
    if ((!is_wanted(s, x) && !is_wanted(s, y)) || !may_go_on(s)) {
        return;
    }
    s->s->pairs++;
    struct sketch sketch;
    sketch_build(&sketch, &s->frame, x, y);
    s->matcher.options.skips_stale = s->o->skips_stale_memory && !is_resource(s, x);
    match_pair(&s->matcher, &sketch);
    if (!s->o->skips_merged) {
        match_merged(&s->matcher, &sketch);
    }
    sketch_release(&sketch);
}

/* ---- which pairs ---- */

static uint64_t class_key(const struct variables *v, const struct pairing *p)
{
    return map_pair(v->list.at[p->x].class, v->list.at[p->y].class);
}

/* Where the pairings of these classes begin. O(log). */
static size_t find_pairings(const struct variables *v, const struct pairings *p, uint64_t key)
{
    size_t low = 0;
    size_t high = p->list.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (class_key(v, &p->list.at[middle]) < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Pairs that never came close to each other, but were asked for. */
static void search_combinations(struct search *s, uint32_t class_x, uint32_t class_y)
{
    const struct variables *v = &s->frame.variables;
    uint32_t count = 0;
    for (uint32_t x = 0; x < v->list.count; x++) {
        for (uint32_t y = 0; v->list.at[x].class == class_x && y < v->list.count; y++) {
            if (x != y && v->list.at[y].class == class_y && !v->list.at[x].is_atomic &&
                !v->list.at[y].is_atomic && count < COMBINATIONS_MAX) {
                search_pair(s, x, y);
                count++;
            }
        }
    }
}

static void search_classes(struct search *s, const struct pairings *p, const char *x, const char *y)
{
    const struct variables *v = &s->frame.variables;
    const uint32_t one = names_find(&v->classes, x, strlen(x));
    const uint32_t other = names_find(&v->classes, y, strlen(y));
    if (one == 0 || other == 0) {
        if (s->o->notes_absent) {
            notes_add(s->n, one == 0 ? x : y,
                      "pairs with a variable that the trace does not have: left out");
        }
        return;
    }
    const uint64_t key = one < other ? map_pair(one, other) : map_pair(other, one);
    size_t at = find_pairings(v, p, key);
    if (at == p->list.count || class_key(v, &p->list.at[at]) != key) {
        search_combinations(s, one, other);
    }
    for (; at < p->list.count && class_key(v, &p->list.at[at]) == key; at++) {
        search_pair(s, p->list.at[at].x, p->list.at[at].y);
    }
}

static size_t pair_max(const struct atomicity_options *o)
{
    return o->wants_all_pairs ? SIZE_MAX : o->pair_max != 0 ? o->pair_max : PAIRS_DEFAULT;
}

static void search_pairs(struct search *s)
{
    const struct atomicity_options *o = s->o;
    struct pairings p;
    pairings_build(&p, s->t, &s->frame.variables, &s->watch);
    for (size_t i = 0; o->pairs != NULL && i < o->pair_count; i++) {
        search_classes(s, &p, o->pairs[i].x, o->pairs[i].y);
    }
    if (o->pairs == NULL) {
        struct correlation *c = correlation_new();
        struct correlated_list ranked = {0};
        correlation_add_pairings(c, &s->frame.variables, &p, &s->watch);
        correlation_rank(c, &ranked);
        const size_t max = pair_max(o) < ranked.list.count ? pair_max(o) : ranked.list.count;
        s->total = s->done + max;
        for (size_t i = 0; i < max; i++) {
            search_classes(s, &p, ranked.list.at[i].x, ranked.list.at[i].y);
        }
        vec_release(&ranked.list);
        correlation_free(c);
    }
    pairings_release(&p);
}

/* ---- regions ---- */

static void take_region(void *context, const struct region_found *r)
{
    struct search *s = context;
    if (!is_new_key(s, region_key(s->f, s->t, r))) {
        return;
    }
    count_kind(s->s, FINDING_ATOMICITY_REGION);
    if (s->o->find_max == 0 || s->count < s->o->find_max) {
        s->count++;
        report_region(s->f, s->t, r, s->o->input);
    }
}

static void search_regions(struct search *s)
{
    bool has_regions = false;
    trace_each (s->t, event) {
        has_regions |= event->kind == EVENT_ATOMIC_BEGIN;
    }
    if (!has_regions || s->o->skips_regions) {
        return;
    }
    struct regions *r =
        regions_new(&s->t->tables, &(struct region_options){.found = take_region, .context = s});
    regions_feed(r, s->t->events.at, s->t->events.count);
    regions_free(r);
}

/* ---- the whole ---- */

static void note_limits(struct search *s, struct notes *n)
{
    if (s->t->tables.order == ORDER_STAMPED && s->count > 0 && !s->o->skips_grades) {
        notes_add(n, "",
                  "plain accesses have no stamps: which write a read saw is not known, and "
                  "nothing is graded sound");
    }
    if (s->matcher.stats.unknown > 0) {
        notes_add_many(n, s->matcher.stats.unknown, "",
                       "accesses at some places were not decided within the limits");
    }
    if (s->ordered > 0) {
        notes_add_many(n, s->ordered, "",
                       "atomic variables were looked at with the order that their own loads make "
                       "alone: the trace is long");
    }
    if (s->watch.is_over) {
        notes_add(n, "", "%s before everything was looked at",
                  limit_is_stopped(s->o->budget) ? "it was stopped" : "the budget ended");
    }
}

/* The number of variables and pairs to look at, as far as it is known before correlation. */
static uint64_t count_work(const struct search *s)
{
    const struct atomicity_options *o = s->o;
    uint64_t count = 0;
    vec_each (&s->frame.variables.list, variable) {
        count += !o->skips_single && variable_is_shared(variable);
    }
    const size_t pairs = o->pairs != NULL ? o->pair_count : pair_max(o);
    return count + (o->skips_pairs || pairs == SIZE_MAX ? 0 : pairs);
}

static void search_begin(struct search *s)
{
    const struct atomicity_options *o = s->o;
    const uint32_t mark_count = s->frame.first[s->t->tables.tasks.count];
    const uint32_t mark_max = o->mark_max != 0 ? o->mark_max : MARKS_DEFAULT;
    const bool is_long = mark_count > mark_max && execution_is_listed(&s->frame);
    names_init(&s->keys);
    s->total = count_work(s);
    matcher_init(&s->matcher, &(struct match_options){.state_max = o->state_max,
                                                      .try_max = o->try_max,
                                                      .looks_around = is_long,
                                                      .keeps_rounds = o->wants_rounds,
                                                      .keeps_settled = o->wants_settled,
                                                      .reports_all = o->wants_all,
                                                      .found = take_match,
                                                      .accepts = accepts_match,
                                                      .is_known = o->seen == NULL ? NULL : is_known,
                                                      .context = s,
                                                      .watch = &s->watch});
}

int atomicity_find(const struct trace *t, const struct atomicity_options *o, struct findings *f,
                   struct atomicity_stats *stats, struct notes *n, struct err *e)
{
    must(t->is_sealed);
    struct search s = {.t = t,
                       .o = o,
                       .f = f,
                       .s = stats,
                       .n = n,
                       .glob.text = o->variable,
                       .free_of = VARIABLE_NONE,
                       .watch.limit = o->budget};
    if (frame_build(&s.frame, t, n, e) < 0) {
        return -1;
    }
    search_begin(&s);
    search_regions(&s);
    search_single(&s);
    if (!o->skips_pairs && !s.watch.is_over) {
        search_pairs(&s);
    }
    stats->unseen += s.watch.is_over && s.total > s.done ? s.total - s.done : 0;
    stats->candidates += s.matcher.stats.candidates;
    stats->questions += s.matcher.stats.questions;
    stats->unknown += s.matcher.stats.unknown;
    stats->rounds += s.matcher.stats.rounds;
    for (int i = SETTLED_NOT + 1; i < SETTLED_COUNT; i++) {
        stats->settled[i] += matcher_count_settled(&s.matcher, (enum settled_by)i);
    }
    stats->is_cut |= s.watch.is_over;
    stats->unobserved += unobserved_count(t, n);
    stats->lost += lost_count(&s.frame, n);
    note_limits(&s, n);
    matcher_release(&s.matcher);
    name_glob_release(&s.glob);
    names_release(&s.keys);
    frame_release(&s.frame);
    return 0;
}
