/* The race engine against its slow twins, on random executions, whole and damaged. */
#include "race/race.h"

#include <stdio.h>

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
    /* What is wrong with the trace, NULL when nothing. */
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

/* Every verdict is that of the twin for the model. Where no order is allowed at all nothing is
 * compared: the engine may say what it likes but "no race". */
static const char *differs_from_twin(const struct trace *t, struct property *p)
{
    struct arena arena = {0};
    struct rules r;
    rules_read(&r, t);
    struct slow_answer wanted = slow_answer_take(&arena, &r);
    const char *wrong = NULL;
    if (p->options.model == RACE_OBSERVED) {
        slow_observed(&r, &wanted);
    } else if (!slow_by_states(&r, p->model, &wanted)) {
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
    return shape;
}

static void check(struct property *p, struct range range)
{
    for (uint64_t seed = 0; seed < range.traces; seed++) {
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
    check(&p, (struct range){.traces = test_count(500, 10000), .size_min = 4, .size_max = 30});
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
              .traces = test_count(300, 10000), .size_min = 4, .size_max = 30, .is_damaged = true});
}

TEST(strict_equals_its_twin_where_locks_and_messages_tangle)
{
    struct property p = {.broken = differs_from_twin, .model = SLOW_STRICT};
    check(&p,
          (struct range){
              .traces = test_count(60, 5000), .size_min = 20, .size_max = 70, .is_tangled = true});
    CHECK(p.asked > 0);
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

/* ---- pruning ---- */

/* A finding by what pruning must keep: kind, places, accesses and variable. */
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
    const struct range range = {.traces = test_count(600, 20000), .size_min = 8, .size_max = 60};
    check(&p, range);
    CHECK(p.races > range.traces);
    CHECK(p.pruned > range.traces);
}

TEST(pruning_keeps_every_pair_of_places_where_locks_and_messages_tangle)
{
    struct property p = {.broken = pruning_changes_places};
    const struct range range = {
        .traces = test_count(200, 10000), .size_min = 30, .size_max = 120, .is_tangled = true};
    check(&p, range);
    CHECK(p.races > range.traces);
    CHECK(p.pruned > range.traces);
}
