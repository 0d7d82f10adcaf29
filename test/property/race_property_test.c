/* The race engine against its slow twins, on random executions, whole and damaged. */
#include "race/race.h"

#include <stdio.h>

#include "race/witness/witness.h"
#include "race_slow.h"
#include "random_trace.h"
#include "shrink.h"
#include "test.h"
#include "trace_text.h"

/* ---- asking the engine ---- */

struct answers {
    VEC(struct race_decided) list;
};

static void remember(void *context, const struct race_decided *d)
{
    struct answers *answers = context;
    vec_push(&answers->list, *d);
}

static struct race_stats ask(const struct trace *t, struct race_options options,
                             struct answers *answers, struct findings *findings)
{
    struct race_stats stats = {0};
    struct notes notes = {0};
    struct err e;
    options.decided = remember;
    options.context = answers;
    if (race_find(t, &options, findings, &stats, &notes, &e) < 0) {
        fail_msg("%s", e.text);
    }
    notes_release(&notes);
    return stats;
}

/* The engine's verdict on a pair, given in either order; RACE_UNKNOWN + 1 when it is none of its
 * candidates. */
static int verdict_of(const struct answers *answers, bool is_message, struct rules_pair pair)
{
    vec_each (&answers->list, d) {
        if (d->is_message == is_message && ((d->a == pair.a && d->b == pair.b) ||
                                            (!is_message && d->a == pair.b && d->b == pair.a))) {
            return (int)d->verdict;
        }
    }
    return RACE_UNKNOWN + 1;
}

/* ---- one property of one trace ---- */

static char difference[256];

struct property {
    /* The fault in the trace, NULL if there is none. */
    const char *(*broken)(const struct trace *t, struct property *p);
    struct race_options options;
    enum slow_model model;
    uint64_t candidates, races, asked, pruned;
};

static const char *compare(const struct answers *answers, const struct rules *r, bool is_message,
                           const bool *wanted, struct property *p)
{
    const size_t count = is_message ? r->message_candidates.count : r->data_candidates.count;
    for (size_t i = 0; i < count; i++) {
        const struct rules_pair pair =
            is_message ? r->message_candidates.at[i] : r->data_candidates.at[i];
        const int verdict = verdict_of(answers, is_message, pair);
        p->candidates++;
        p->races += wanted[i];
        if (verdict != (wanted[i] ? RACE_YES : RACE_NO)) {
            (void)snprintf(difference, sizeof difference,
                           "%s race of events %u and %u: engine says %d, should be %d",
                           is_message ? "message" : "data", pair.a, pair.b, verdict,
                           wanted[i] ? RACE_YES : RACE_NO);
            return difference;
        }
    }
    return NULL;
}

static const char *compare_all(const struct trace *t, const struct rules *r,
                               const struct slow_answer *wanted, struct property *p)
{
    struct answers answers = {0};
    struct findings findings = {0};
    p->asked += ask(t, p->options, &answers, &findings).asked;
    const char *wrong = NULL;
    if (answers.list.count != r->data_candidates.count + r->message_candidates.count) {
        (void)snprintf(difference, sizeof difference, "%zu candidates, should be %zu and %zu",
                       answers.list.count, r->data_candidates.count, r->message_candidates.count);
        wrong = difference;
    }
    if (wrong == NULL) {
        wrong = compare(&answers, r, false, wanted->data, p);
    }
    if (wrong == NULL) {
        wrong = compare(&answers, r, true, wanted->message, p);
    }
    vec_release(&answers.list);
    findings_release(&findings);
    return wrong;
}

/* Every verdict equals that of the model's twin. If no order is allowed at all nothing is compared:
 * the engine may answer anything but "no race". */
static const char *differs_from_twin(const struct trace *t, struct property *p)
{
    struct arena arena = {0};
    struct rules r;
    rules_read(&r, t);
    struct slow_answer wanted = slow_answer_take(&arena, &r);
    const char *wrong = NULL;
    if (!slow_by_states(&r, p->model, &wanted)) {
        slow_by_z3(&r, p->model, &wanted);
    }
    if (wanted.has_order) {
        wrong = compare_all(t, &r, &wanted, p);
    }
    rules_release(&r);
    arena_release(&arena);
    return wrong;
}

/* ---- many traces ---- */

static bool is_broken(const struct trace *t, void *context)
{
    struct property *p = context;
    return p->broken(t, p) != NULL;
}

struct range {
    uint64_t traces;
    uint32_t size_min, size_max;
    bool is_damaged;
    bool is_tangled; /* many tasks, locks in locks, messages between sections: hard to decide */
    bool is_handled; /* one node: handlers against threads and against handlers of other threads */
};

static struct random_shape pick_shape(struct prng *prng, struct range range)
{
    const uint32_t spread = range.size_max - range.size_min;
    struct random_shape shape =
        random_shape(prng, range.size_min + (uint32_t)prng_below(prng, spread));
    if (range.is_tangled) {
        shape.node_count = 1;
        shape.root_count = 3 + (uint32_t)prng_below(prng, 3);
        shape.task_max = shape.root_count + 1;
        shape.variable_count = 1;
        shape.lock_count = 2 + (uint32_t)prng_below(prng, 3);
        shape.features = RANDOM_ACCESS | RANDOM_LOCK | RANDOM_MESSAGE;
        shape.features |= prng_below(prng, 2) == 0 ? RANDOM_WAIT : RANDOM_HANDLER;
    }
    if (range.is_handled) {
        shape.node_count = 1;
        shape.root_count = 3 + (uint32_t)prng_below(prng, 2);
        shape.task_max = shape.root_count;
        shape.variable_count = 1;
        shape.lock_count = 1;
        shape.features = RANDOM_ACCESS | RANDOM_HANDLER | RANDOM_MESSAGE;
        shape.features |= prng_below(prng, 3) == 0 ? RANDOM_STREAM : 0;
        shape.features |= prng_below(prng, 4) == 0 ? RANDOM_LOCK : 0;
    }
    return shape;
}

static void check(struct property *p, struct range range)
{
    for (uint64_t seed = test_seed(); seed < test_seed() + range.traces; seed++) {
        struct trace t;
        struct prng prng;
        prng_init(&prng, seed);
        const struct random_shape shape = pick_shape(&prng, range);
        random_trace(&t, &prng, &shape);
        if (range.is_damaged) {
            struct trace damaged;
            random_damage(&damaged, &t, &prng);
            trace_release(&t);
            t = damaged;
        }
        if (is_broken(&t, p)) {
            struct trace small;
            trace_shrink(&small, &t, is_broken, p);
            const char *wrong = p->broken(&small, p);
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, wrong, trace_text(&small));
        }
        trace_release(&t);
    }
    print_message(
        "# %llu traces, %llu candidates, %llu races; %llu asked of a solver, %llu pruned\n",
        (unsigned long long)range.traces, (unsigned long long)p->candidates,
        (unsigned long long)p->races, (unsigned long long)p->asked, (unsigned long long)p->pruned);
}

TEST(strict_equals_its_twin)
{
    struct property p = {.broken = differs_from_twin, .model = SLOW_STRICT};
    check(&p, (struct range){.traces = test_count(250, 10000), .size_min = 4, .size_max = 30});
}

TEST(strict_equals_its_twin_on_longer_traces)
{
    struct property p = {.broken = differs_from_twin, .model = SLOW_STRICT};
    check(&p, (struct range){.traces = test_count(30, 2000), .size_min = 30, .size_max = 80});
}

TEST(strict_equals_its_twin_on_damaged_traces)
{
    struct property p = {.broken = differs_from_twin, .model = SLOW_STRICT};
    check(&p,
          (struct range){
              .traces = test_count(150, 10000), .size_min = 4, .size_max = 30, .is_damaged = true});
}

TEST(strict_equals_its_twin_where_locks_and_messages_tangle)
{
    struct property p = {.broken = differs_from_twin, .model = SLOW_STRICT};
    check(&p,
          (struct range){
              .traces = test_count(30, 5000), .size_min = 20, .size_max = 70, .is_tangled = true});
    CHECK(p.asked > 0);
}

TEST(strict_equals_its_twin_where_handlers_meet_threads)
{
    struct property p = {.broken = differs_from_twin, .model = SLOW_STRICT};
    check(&p,
          (struct range){
              .traces = test_count(150, 10000), .size_min = 8, .size_max = 40, .is_handled = true});
    CHECK(p.races > 0);
}

/* Long enough that a handler leads to more than a few events. */
TEST(strict_equals_its_twin_on_long_traces_of_handlers)
{
    struct property p = {.broken = differs_from_twin, .model = SLOW_STRICT};
    check(&p,
          (struct range){
              .traces = test_count(4, 200), .size_min = 140, .size_max = 180, .is_handled = true});
    CHECK(p.races > 0);
}

TEST(strict_via_libz3_equals_its_twin)
{
    struct property p = {
        .broken = differs_from_twin, .model = SLOW_STRICT, .options = {.via = RACE_VIA_Z3}};
    check(&p, (struct range){.traces = test_count(50, 2000), .size_min = 4, .size_max = 24});
}

TEST(strict_via_the_native_solver_equals_its_twin)
{
    struct property p = {
        .broken = differs_from_twin, .model = SLOW_STRICT, .options = {.via = RACE_VIA_NATIVE}};
    check(&p, (struct range){.traces = test_count(100, 5000), .size_min = 4, .size_max = 24});
}

TEST(feasible_equals_its_twin)
{
    struct property p = {
        .broken = differs_from_twin, .model = SLOW_FEASIBLE, .options = {.model = RACE_FEASIBLE}};
    check(&p, (struct range){.traces = test_count(100, 10000), .size_min = 4, .size_max = 26});
}

TEST(feasible_equals_its_twin_where_handlers_meet_threads)
{
    struct property p = {
        .broken = differs_from_twin, .model = SLOW_FEASIBLE, .options = {.model = RACE_FEASIBLE}};
    check(&p,
          (struct range){
              .traces = test_count(60, 10000), .size_min = 8, .size_max = 30, .is_handled = true});
    CHECK(p.races > 0);
}

/* ---- counting ---- */

/* Counting gives the same as finding pair by pair, with the same pair for each two places. */
static const char *counts_differ(const struct trace *t, struct property *p)
{
    struct answers answers = {0};
    struct findings ignored = {0};
    struct findings found = {0};
    struct race_stats counted = {0};
    struct notes notes = {0};
    struct err e;
    const struct race_stats decided = ask(t, p->options, &answers, &ignored);
    if (race_find(t, &p->options, &found, &counted, &notes, &e) < 0) {
        fail_msg("%s", e.text);
    }
    p->races += counted.data_races + counted.message_races;
    (void)snprintf(
        difference, sizeof difference,
        "%llu data and %llu message races counted, %llu and %llu decided",
        (unsigned long long)counted.data_races, (unsigned long long)counted.message_races,
        (unsigned long long)decided.data_races, (unsigned long long)decided.message_races);
    const bool is_same = counted.data_races == decided.data_races &&
                         counted.message_races == decided.message_races &&
                         counted.conflict_pairs == decided.conflict_pairs &&
                         found.list.count == ignored.list.count;
    vec_release(&answers.list);
    findings_release(&ignored);
    findings_release(&found);
    notes_release(&notes);
    return is_same ? NULL : difference;
}

TEST(counting_handlers_finds_what_deciding_each_pair_finds)
{
    struct property p = {.broken = counts_differ};
    check(&p, (struct range){.traces = test_count(200, 10000),
                             .size_min = 8,
                             .size_max = 180,
                             .is_handled = true});
    CHECK(p.races > 0);
}

TEST(feasible_equals_its_twin_on_damaged_traces)
{
    struct property p = {
        .broken = differs_from_twin, .model = SLOW_FEASIBLE, .options = {.model = RACE_FEASIBLE}};
    check(&p,
          (struct range){
              .traces = test_count(60, 10000), .size_min = 4, .size_max = 26, .is_damaged = true});
}

TEST(feasible_equals_its_twin_where_locks_and_messages_tangle)
{
    struct property p = {
        .broken = differs_from_twin, .model = SLOW_FEASIBLE, .options = {.model = RACE_FEASIBLE}};
    check(&p,
          (struct range){
              .traces = test_count(40, 5000), .size_min = 12, .size_max = 34, .is_tangled = true});
}

/* ---- sound is between sync-preserving and feasible ---- */

/* The grade of the finding of this pair, -1 when there is none. */
static int grade_of(const struct findings *findings, bool is_message, struct rules_pair pair)
{
    vec_each (&findings->list, f) {
        const event_id a = (event_id)f->events[0].index;
        const event_id b = (event_id)f->events[1].index;
        if ((f->kind == FINDING_MESSAGE_RACE) == is_message &&
            ((a == pair.a && b == pair.b) || (!is_message && a == pair.b && b == pair.a))) {
            return (int)f->grade;
        }
    }
    return -1;
}

/* A message race is only reported if the handlers conflict, so one may be missing. */
static const char *between(const struct findings *findings, const struct rules *r, bool is_message,
                           const bool *least, const bool *most)
{
    const size_t count = is_message ? r->message_candidates.count : r->data_candidates.count;
    for (size_t i = 0; i < count; i++) {
        const struct rules_pair pair =
            is_message ? r->message_candidates.at[i] : r->data_candidates.at[i];
        const int grade = grade_of(findings, is_message, pair);
        const bool is_sound = grade == GRADE_SOUND;
        const bool is_untold = is_message && grade < 0;
        if ((is_sound && !most[i]) || (!is_sound && least[i] && !is_untold)) {
            (void)snprintf(difference, sizeof difference,
                           "%s race of events %u and %u: sound %d, at least %d, at most %d",
                           is_message ? "message" : "data", pair.a, pair.b, is_sound, least[i],
                           most[i]);
            return difference;
        }
    }
    return NULL;
}

static void both(bool *into, const bool *other, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        into[i] = into[i] && other[i];
    }
}

/* A sound race is a strict one that is feasible; a strict one that is sync-preserving is sound. */
static const char *sound_is_out_of_bounds(const struct trace *t, struct property *p)
{
    struct arena arena = {0};
    struct rules r;
    rules_read(&r, t);
    struct slow_answer strict = slow_answer_take(&arena, &r);
    struct slow_answer least = slow_answer_take(&arena, &r);
    struct slow_answer most = slow_answer_take(&arena, &r);
    const char *wrong = NULL;
    if (slow_by_states(&r, SLOW_STRICT, &strict) && strict.has_order &&
        slow_by_states(&r, SLOW_SYNC_PRESERVING, &least) &&
        slow_by_states(&r, SLOW_FEASIBLE, &most)) {
        struct answers answers = {0};
        struct findings findings = {0};
        both(least.data, strict.data, r.data_candidates.count);
        both(most.data, strict.data, r.data_candidates.count);
        both(least.message, strict.message, r.message_candidates.count);
        both(most.message, strict.message, r.message_candidates.count);
        (void)ask(t, p->options, &answers, &findings);
        p->races += findings.list.count;
        wrong = between(&findings, &r, false, least.data, most.data);
        if (wrong == NULL) {
            wrong = between(&findings, &r, true, least.message, most.message);
        }
        vec_release(&answers.list);
        findings_release(&findings);
    }
    rules_release(&r);
    arena_release(&arena);
    return wrong;
}

TEST(sound_races_are_feasible_and_sync_preserving_ones_are_sound)
{
    struct property p = {.broken = sound_is_out_of_bounds,
                         .options = {.model = RACE_SOUND, .wants_pairs = true}};
    check(&p, (struct range){.traces = test_count(100, 10000), .size_min = 4, .size_max = 26});
    CHECK(p.races > 0);
}

TEST(sound_races_of_handlers_are_within_the_same_bounds)
{
    struct property p = {.broken = sound_is_out_of_bounds,
                         .options = {.model = RACE_SOUND, .wants_pairs = true}};
    check(&p,
          (struct range){
              .traces = test_count(60, 10000), .size_min = 8, .size_max = 30, .is_handled = true});
    CHECK(p.races > 0);
}

TEST(grades_of_strict_races_are_within_the_same_bounds)
{
    struct property p = {.broken = sound_is_out_of_bounds, .options = {.wants_pairs = true}};
    check(&p, (struct range){.traces = test_count(100, 10000), .size_min = 4, .size_max = 26});
    CHECK(p.races > 0);
}

/* ---- witnesses ---- */

static const char *witness_is_refused(const struct trace *t, struct property *p)
{
    static struct err e;
    struct answers answers = {0};
    struct findings findings = {0};
    struct arena arena = {0};
    const char *wrong = NULL;
    (void)ask(t, p->options, &answers, &findings);
    struct witness_checker *c = witness_checker_new(t, NULL, 0);
    vec_each (&findings.list, f) {
        if (f->grade != GRADE_SOUND || wrong != NULL) {
            continue;
        }
        event_id *order = arena_array(&arena, event_id, f->witness_count + 1);
        for (size_t i = 0; i < f->witness_count; i++) {
            order[i] = (event_id)f->witness[i];
        }
        const struct witness w = {
            .is_message = f->kind == FINDING_MESSAGE_RACE,
            .a = (event_id)f->events[0].index,
            .b = (event_id)f->events[1].index,
            .order = order,
            .count = f->witness_count,
        };
        p->races++;
        wrong = witness_check(c, &w, &e) < 0 ? e.text : NULL;
    }
    witness_checker_free(c);
    vec_release(&answers.list);
    findings_release(&findings);
    arena_release(&arena);
    return wrong;
}

TEST(the_checker_accepts_every_witness)
{
    struct property p = {.broken = witness_is_refused,
                         .options = {.wants_pairs = true, .wants_witness = true}};
    const struct range range = {.traces = test_count(150, 10000), .size_min = 4, .size_max = 40};
    check(&p, range);
    CHECK(p.races > range.traces / 2);
}

TEST(the_checker_accepts_every_witness_of_feasible_races)
{
    struct property p = {
        .broken = witness_is_refused,
        .options = {.model = RACE_FEASIBLE, .wants_pairs = true, .wants_witness = true}};
    const struct range range = {.traces = test_count(150, 10000), .size_min = 4, .size_max = 30};
    check(&p, range);
    CHECK(p.races > range.traces / 2);
}

/* ---- pruning ---- */

/* Whether two findings agree in kind, places, accesses and variable, which pruning must keep. */
static bool is_same_place(const struct finding *a, const struct finding *b)
{
    if (a->kind != b->kind || a->event_count != b->event_count) {
        return false;
    }
    bool is_same = true;
    bool is_swapped = a->event_count >= 2;
    for (size_t i = 0; i < a->event_count; i++) {
        const struct finding_event *own = &a->events[i];
        const struct finding_event *other = &b->events[i];
        const struct finding_event *across = &b->events[i < 2 ? 1 - i : i];
        is_same = is_same && strcmp(own->location, other->location) == 0 &&
                  strcmp(own->object, other->object) == 0 &&
                  strcmp(own->access, other->access) == 0;
        is_swapped = is_swapped && strcmp(own->location, across->location) == 0 &&
                     strcmp(own->object, across->object) == 0 &&
                     strcmp(own->access, across->access) == 0;
    }
    return is_same || is_swapped;
}

static bool has_place(const struct findings *findings, const struct finding *wanted)
{
    vec_each (&findings->list, f) {
        if (is_same_place(f, wanted)) {
            return true;
        }
    }
    return false;
}

static const char *pruning_changes_places(const struct trace *t, struct property *p)
{
    struct answers answers = {0};
    struct findings all = {0};
    struct findings pruned = {0};
    struct race_options options = p->options;
    const char *wrong = NULL;
    (void)ask(t, options, &answers, &all);
    options.prunes = true;
    p->pruned += ask(t, options, &answers, &pruned).pruned_events;
    vec_each (&all.list, f) {
        p->races++;
        wrong = has_place(&pruned, f) ? wrong : "pruning loses a pair of places";
    }
    vec_each (&pruned.list, f) {
        wrong = has_place(&all, f) ? wrong : "pruning makes a pair of places up";
    }
    vec_release(&answers.list);
    findings_release(&all);
    findings_release(&pruned);
    return wrong;
}

TEST(pruning_keeps_every_pair_of_places)
{
    struct property p = {.broken = pruning_changes_places};
    const struct range range = {.traces = test_count(300, 20000), .size_min = 8, .size_max = 60};
    check(&p, range);
    CHECK(p.races > range.traces);
    CHECK(p.pruned > range.traces);
}

TEST(pruning_keeps_every_pair_of_places_where_locks_and_messages_tangle)
{
    struct property p = {.broken = pruning_changes_places};
    const struct range range = {
        .traces = test_count(100, 10000), .size_min = 30, .size_max = 120, .is_tangled = true};
    check(&p, range);
    CHECK(p.races > range.traces);
    CHECK(p.pruned > range.traces);
}
