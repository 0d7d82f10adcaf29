/* The race engine against its slow twins, candidate by candidate. */
#include "race/race.h"

#include "base/map.h"
#include "race_slow.h"
#include "random_trace.h"
#include "shrink.h"
#include "test.h"
#include "trace_text.h"
#include "wire/kind.h"

/* ---- the engine's verdicts, in the order of the rules' candidates ---- */

struct said {
    const struct rules *r;
    struct map data;    /* pair of events to verdict */
    struct map message; /* the same */
    size_t told;
};

static void hear(void *context, const struct race_decided *d)
{
    struct said *said = context;
    map_put(d->is_message ? &said->message : &said->data, map_pair(d->a, d->b), d->verdict);
    said->told++;
}

static bool verdicts_differ(const struct rules *r, const struct said *said,
                            const struct slow_answer *slow)
{
    if (said->told != r->data_candidates.count + r->message_candidates.count) {
        return true;
    }
    for (size_t i = 0; i < r->data_candidates.count; i++) {
        const struct rules_pair *p = &r->data_candidates.at[i];
        const uint32_t *verdict = map_get(&said->data, map_pair(p->a, p->b));
        const uint32_t wanted = !slow->has_order ? RACE_UNKNOWN
                                : slow->data[i]  ? RACE_YES
                                                 : RACE_NO;
        if (verdict == NULL || *verdict != wanted) {
            return true;
        }
    }
    for (size_t i = 0; i < r->message_candidates.count; i++) {
        const struct rules_pair *p = &r->message_candidates.at[i];
        const uint32_t *verdict = map_get(&said->message, map_pair(p->a, p->b));
        const uint32_t wanted = !slow->has_order   ? RACE_UNKNOWN
                                : slow->message[i] ? RACE_YES
                                                   : RACE_NO;
        if (verdict == NULL || *verdict != wanted) {
            return true;
        }
    }
    return false;
}

struct tried {
    uint64_t candidates, races, asked, too_large;
};

static bool strict_differs(const struct trace *t, void *context)
{
    struct tried *tried = context;
    struct arena arena = {0};
    struct rules r;
    struct findings f = {0};
    struct notes n = {0};
    struct err e = {0};
    struct race_stats stats;
    rules_read(&r, t);
    struct slow_answer slow = slow_answer_take(&arena, &r);
    struct said said = {.r = &r};
    bool differ = false;
    if (!slow_by_states(&r, SLOW_STRICT, &slow)) {
        tried->too_large++;
    } else {
        const struct race_options o = {.decided = hear, .context = &said, .skips_grades = true};
        differ = race_find(t, &o, &f, &stats, &n, &e) < 0 || verdicts_differ(&r, &said, &slow);
        tried->candidates += said.told;
        tried->races += stats.data_races + stats.message_races;
        tried->asked += stats.asked;
    }
    map_release(&said.data);
    map_release(&said.message);
    findings_release(&f);
    notes_release(&n);
    rules_release(&r);
    arena_release(&arena);
    return differ;
}

/* ---- the ways of the engine against each other ---- */

/* The races found: keys, and the number of pairs of each. */
struct found {
    struct race_stats stats;
    struct findings f;
};

static void ignore(void *context, const struct race_decided *d)
{
    (void)context;
    (void)d;
}

static struct found find(const struct trace *t, const struct race_options *o)
{
    struct found found = {0};
    struct notes n = {0};
    struct err e = {0};
    struct race_options ungraded = *o;
    ungraded.skips_grades = true;
    if (race_find(t, &ungraded, &found.f, &found.stats, &n, &e) < 0) {
        fail_msg("%s", e.text);
    }
    notes_release(&n);
    return found;
}

static const struct finding *finding_of(const struct found *in, const struct finding *like)
{
    vec_each (&in->f.list, other) {
        if (strcmp(other->key, like->key) == 0) {
            return other;
        }
    }
    return NULL;
}

/* Both found the same keys; with counts, also as often. */
static bool findings_differ(const struct found *a, const struct found *b, bool with_counts)
{
    if (a->f.list.count != b->f.list.count) {
        return true;
    }
    vec_each (&a->f.list, finding) {
        const struct finding *other = finding_of(b, finding);
        if (other == NULL || (with_counts && other->pair_count != finding->pair_count) ||
            (with_counts && strcmp(other->what, finding->what) != 0)) {
            return true;
        }
    }
    return false;
}

static bool stats_differ(const struct race_stats *a, const struct race_stats *b)
{
    return a->data_candidates != b->data_candidates || a->data_races != b->data_races ||
           a->message_candidates != b->message_candidates || a->message_races != b->message_races ||
           a->conflict_pairs != b->conflict_pairs;
}

/* Counting and enumerating agree, with all messages reported and without; pairs without a callback
 * are counted too. */
static bool counting_differs(const struct trace *t, void *context)
{
    uint64_t *found_count = context;
    bool differ = false;
    for (int only_messages = 0; only_messages <= 1; only_messages++) {
        struct race_options o = {.skips_data = only_messages, .skips_deadlocks = true};
        struct found counted = find(t, &o);
        o.decided = ignore;
        struct found told = find(t, &o);
        o.wants_pairs = true;
        struct found paired = find(t, &o);
        uint64_t pair_count = 0;
        vec_each (&counted.f.list, finding) {
            pair_count += finding->pair_count;
        }
        o.decided = NULL;
        o.counts_only = true;
        struct found unlisted = find(t, &o);
        differ = differ || unlisted.f.list.count != 0 ||
                 stats_differ(&counted.stats, &unlisted.stats) ||
                 unlisted.stats.location_pairs != pair_count;
        findings_release(&unlisted.f);
        differ = differ || findings_differ(&counted, &told, true) ||
                 stats_differ(&counted.stats, &told.stats) ||
                 stats_differ(&counted.stats, &paired.stats) || paired.f.list.count != pair_count;
        *found_count += counted.f.list.count;
        findings_release(&counted.f);
        findings_release(&told.f);
        findings_release(&paired.f);
    }
    return differ;
}

/* Asked alone, data and messages get the answers they get together. */
static bool halves_differ(const struct trace *t, void *context)
{
    uint64_t *race_count = context;
    struct found both = find(t, &(struct race_options){0});
    struct found data = find(t, &(struct race_options){.skips_messages = true});
    struct found messages = find(t, &(struct race_options){.skips_data = true});
    const bool differ = data.stats.data_candidates != both.stats.data_candidates ||
                        data.stats.data_races != both.stats.data_races ||
                        data.stats.message_candidates != 0 ||
                        messages.stats.message_candidates != both.stats.message_candidates ||
                        messages.stats.message_races != both.stats.message_races ||
                        messages.stats.conflict_pairs != both.stats.conflict_pairs ||
                        messages.stats.data_candidates != 0 ||
                        data.stats.unknown + messages.stats.unknown != both.stats.unknown;
    *race_count += both.stats.data_races + both.stats.message_races;
    findings_release(&both.f);
    findings_release(&data.f);
    findings_release(&messages.f);
    return differ;
}

struct pruning {
    uint64_t pruned, found;
};

static bool pruning_differs(const struct trace *t, void *context)
{
    struct pruning *p = context;
    struct found whole = find(t, &(struct race_options){0});
    struct found pruned = find(t, &(struct race_options){.prunes = true});
    const bool differ =
        whole.stats.unknown == 0 && (findings_differ(&whole, &pruned, false) ||
                                     pruned.stats.data_races > whole.stats.data_races);
    p->pruned += pruned.stats.pruned_events;
    p->found += whole.f.list.count;
    findings_release(&whole.f);
    findings_release(&pruned.f);
    return differ;
}

/* A solver that decides every candidate agrees with the engine. */
static bool solver_differs(const struct trace *t, void *context)
{
    const enum race_via *via = context;
    struct found engine = find(t, &(struct race_options){0});
    struct found solver = find(t, &(struct race_options){.via = *via});
    const bool differ = findings_differ(&engine, &solver, true) ||
                        stats_differ(&engine.stats, &solver.stats) ||
                        engine.stats.unknown != solver.stats.unknown;
    findings_release(&engine.f);
    findings_release(&solver.f);
    return differ;
}

/* ---- over random traces ---- */

static void random_of(struct trace *t, uint64_t seed, uint32_t size_max, bool is_damaged)
{
    struct prng prng;
    prng_init(&prng, seed);
    const struct random_shape shape =
        random_shape(&prng, 4 + (uint32_t)prng_below(&prng, size_max));
    random_trace(t, &prng, &shape);
    if (is_damaged) {
        struct trace damaged;
        random_damage(&damaged, t, &prng);
        trace_release(t);
        *t = damaged;
    }
}

static void check_strict(uint64_t count, uint32_t size_max, bool is_damaged)
{
    struct tried tried = {0};
    for (uint64_t seed = test_seed(); seed < test_seed() + count; seed++) {
        struct trace t;
        random_of(&t, seed, size_max, is_damaged);
        if (strict_differs(&t, &tried)) {
            struct trace small;
            trace_shrink(&small, &t, strict_differs, &tried);
            fail_msg("seed %llu:\n%s", (unsigned long long)seed, trace_text(&small));
        }
        trace_release(&t);
    }
    print_message("# %llu traces, %llu candidates, %llu races, %llu asked, %llu too large\n",
                  (unsigned long long)count, (unsigned long long)tried.candidates,
                  (unsigned long long)tried.races, (unsigned long long)tried.asked,
                  (unsigned long long)tried.too_large);
    CHECK(tried.races > count / 5);
    CHECK(tried.candidates - tried.races > count / 5);
}

TEST(the_strict_engine_equals_walking_all_states)
{
    check_strict(test_count(500, 20000), 30, false);
}

TEST(the_strict_engine_equals_walking_all_states_on_damaged_traces)
{
    check_strict(test_count(300, 20000), 30, true);
}

/* Tasks that exchange and handle messages, and nothing else: without choices, and with one
 * handler's message returning for another. */
struct talk {
    struct trace *t;
    struct prng *prng;
    uint32_t task_count;
    uint32_t channels[16]; /* streams, by sender and receiver */
    uint32_t flowing[16];  /* messages under way in each */
    struct {
        uint32_t to, name;
    } letters[64]; /* datagrams under way */
    uint32_t letter_count, letter_total;
    bool is_in_handler[4], follows_receive[4];
};

static void talk_event(struct talk *k, uint32_t task, enum event_kind kind, struct event e)
{
    char place[8];
    (void)snprintf(place, sizeof place, "P%u", (unsigned)prng_below(k->prng, 3));
    e.kind = (uint16_t)kind;
    e.task = task;
    e.location = names_intern_text(&k->t->tables.names, place);
    trace_append(k->t, &e);
    k->follows_receive[task] = kind == EVENT_RECV;
}

static void talk_send(struct talk *k, uint32_t task)
{
    const uint32_t to = (uint32_t)prng_below(k->prng, k->task_count);
    if (prng_below(k->prng, 3) == 0) {
        const uint32_t channel = task * 4 + to;
        k->flowing[channel]++;
        talk_event(
            k, task, EVENT_SEND,
            (struct event){
                .object = k->channels[channel], .mode = TRANSPORT_TCP, .has = HAS_SIZE, .size = 1});
    } else if (k->letter_count < 64) {
        char text[16];
        (void)snprintf(text, sizeof text, "m%u", k->letter_total++);
        const uint32_t name = names_intern_text(&k->t->tables.names, text);
        k->letters[k->letter_count].to = to;
        k->letters[k->letter_count++].name = name;
        talk_event(k, task, EVENT_SEND, (struct event){.message = name, .mode = TRANSPORT_UDP});
    }
}

static bool talk_receive(struct talk *k, uint32_t task)
{
    const uint32_t channel = (uint32_t)prng_below(k->prng, k->task_count) * 4 + task;
    if (k->flowing[channel] > 0) {
        k->flowing[channel]--;
        talk_event(
            k, task, EVENT_RECV,
            (struct event){
                .object = k->channels[channel], .mode = TRANSPORT_TCP, .has = HAS_SIZE, .size = 1});
        return true;
    }
    for (uint32_t i = 0; i < k->letter_count; i++) {
        if (k->letters[i].to == task) {
            const uint32_t name = k->letters[i].name;
            if (prng_below(k->prng, 8) > 0) { /* else it comes once more */
                k->letters[i] = k->letters[--k->letter_count];
            }
            talk_event(k, task, EVENT_RECV, (struct event){.message = name, .mode = TRANSPORT_UDP});
            return true;
        }
    }
    return false;
}

/* On its main chain a task receives when it can. The first does nothing else there, so that nothing
 * but messages orders its handlers. */
static bool talk_step_outside(struct talk *k, uint32_t task, uint64_t dice)
{
    return ((task == 0 || dice < 8) && talk_receive(k, task)) || (task == 0 && dice > 0);
}

static void talk_step(struct talk *k, uint32_t task)
{
    const uint64_t dice = prng_below(k->prng, 12);
    if (k->is_in_handler[task] && dice < 4) {
        k->is_in_handler[task] = false;
        talk_event(k, task, EVENT_HANDLER_END, (struct event){0});
    } else if (k->follows_receive[task] && !k->is_in_handler[task] && dice > 0) {
        k->is_in_handler[task] = true;
        talk_event(k, task, EVENT_HANDLER_BEGIN, (struct event){0});
    } else if (k->is_in_handler[task] || !talk_step_outside(k, task, dice)) {
        if (dice < 9) {
            talk_send(k, task);
            return;
        }
        talk_event(k, task, prng_below(k->prng, 2) == 0 ? EVENT_READ : EVENT_WRITE,
                   (struct event){.object = names_intern_text(&k->t->tables.names, "x")});
    }
}

static void random_plain(struct trace *t, uint64_t seed, uint32_t size_max)
{
    struct prng prng;
    prng_init(&prng, seed);
    struct talk k = {.t = t, .prng = &prng, .task_count = 2 + (uint32_t)(prng_below(&prng, 6) / 3)};
    trace_init(t);
    for (uint32_t task = 0; task < k.task_count; task++) {
        char text[16];
        (void)snprintf(text, sizeof text, "T%u@n", task);
        (void)tables_task_text(&t->tables, text, strlen(text));
    }
    for (uint32_t i = 0; i < 16; i++) {
        char text[16];
        (void)snprintf(text, sizeof text, "n:%u>n:%u", i / 4, i % 4);
        k.channels[i] = names_intern_text(&t->tables.names, text);
    }
    const uint64_t count = 10 + prng_below(&prng, size_max);
    for (uint64_t i = 0; i < count; i++) {
        talk_step(&k, (uint32_t)prng_below(&prng, k.task_count));
    }
    trace_seal(t);
}

static void check_random(bool (*differs)(const struct trace *t, void *context), void *context,
                         uint64_t count, uint32_t size_max)
{
    for (uint64_t seed = test_seed(); seed < test_seed() + count; seed++) {
        struct trace t;
        if (seed % 3 == 0) {
            random_plain(&t, seed, size_max * 3);
        } else {
            random_of(&t, seed, size_max, seed % 3 == 1);
        }
        if (differs(&t, context)) {
            struct trace small;
            trace_shrink(&small, &t, differs, context);
            fail_msg("seed %llu:\n%s", (unsigned long long)seed, trace_text(&small));
        }
        trace_release(&t);
    }
}

TEST(the_engine_equals_walking_all_states_where_nothing_is_to_choose)
{
    struct tried tried = {0};
    for (uint64_t seed = test_seed(); seed < test_seed() + test_count(500, 20000); seed++) {
        struct trace t;
        random_plain(&t, seed, 46);
        if (strict_differs(&t, &tried)) {
            struct trace small;
            trace_shrink(&small, &t, strict_differs, &tried);
            fail_msg("seed %llu:\n%s", (unsigned long long)seed, trace_text(&small));
        }
        trace_release(&t);
    }
    CHECK(tried.races > 100);
    CHECK(tried.candidates > tried.races + 100);
    CHECK(tried.asked < tried.candidates / 2);
}

TEST(counting_equals_enumerating)
{
    uint64_t found_count = 0;
    check_random(counting_differs, &found_count, test_count(600, 20000), 80);
    CHECK(found_count > 100);
}

/* Many tasks at few locks, without handlers and waits: sections that touch others only by their
 * lock, and some in which messages are sent, threads made or joined. */
static void random_locked(struct trace *t, uint64_t seed, uint32_t size_max)
{
    struct prng prng;
    prng_init(&prng, seed);
    struct random_shape shape =
        random_shape(&prng, size_max / 2 + (uint32_t)prng_below(&prng, size_max / 2));
    shape.features = RANDOM_ACCESS | RANDOM_LOCK | (seed % 2 == 0 ? RANDOM_THREAD : 0) |
                     (seed % 3 == 0 ? RANDOM_RWLOCK : 0) | (seed % 5 == 0 ? RANDOM_MESSAGE : 0) |
                     (seed % 7 == 0 ? RANDOM_ATOMIC : 0);
    shape.node_count = 1;
    shape.root_count = 1 + (uint32_t)prng_below(&prng, RANDOM_TASKS_MAX);
    shape.task_max = RANDOM_TASKS_MAX;
    shape.lock_count = 1 + (uint32_t)prng_below(&prng, 3);
    shape.variable_count = 1 + (uint32_t)prng_below(&prng, 2);
    shape.is_finished = seed % 4 != 0;
    random_trace(t, &prng, &shape);
}

TEST(counting_under_locks_equals_enumerating)
{
    uint64_t found_count = 0;
    for (uint64_t seed = test_seed(); seed < test_seed() + test_count(100, 20000); seed++) {
        struct trace t;
        random_locked(&t, seed, 160);
        if (counting_differs(&t, &found_count)) {
            struct trace small;
            trace_shrink(&small, &t, counting_differs, &found_count);
            fail_msg("seed %llu:\n%s", (unsigned long long)seed, trace_text(&small));
        }
        trace_release(&t);
    }
    CHECK(found_count > 100);
}

/* The count of races, without asking about each, is that of a walk over all states. */
static bool locked_count_differs(const struct trace *t, void *context)
{
    uint64_t *race_count = context;
    struct arena arena = {0};
    struct rules r;
    rules_read(&r, t);
    struct slow_answer slow = slow_answer_take(&arena, &r);
    bool differ = false;
    if (slow_by_states(&r, SLOW_STRICT, &slow) && slow.has_order) {
        uint64_t wanted = 0;
        for (size_t i = 0; i < r.data_candidates.count; i++) {
            wanted += slow.data[i];
        }
        struct found counted = find(t, &(struct race_options){.skips_messages = true});
        differ = counted.stats.data_races != wanted ||
                 counted.stats.data_candidates != r.data_candidates.count;
        *race_count += wanted;
        findings_release(&counted.f);
    }
    rules_release(&r);
    arena_release(&arena);
    return differ;
}

TEST(counting_under_locks_equals_walking_all_states)
{
    uint64_t race_count = 0;
    for (uint64_t seed = test_seed(); seed < test_seed() + test_count(200, 20000); seed++) {
        struct trace t;
        random_locked(&t, seed, 36);
        if (locked_count_differs(&t, &race_count)) {
            struct trace small;
            trace_shrink(&small, &t, locked_count_differs, &race_count);
            fail_msg("seed %llu:\n%s", (unsigned long long)seed, trace_text(&small));
        }
        trace_release(&t);
    }
    CHECK(race_count > 200);
}

/* Feasible races by places are those of which one pair of accesses, asked by itself, is feasible.
 */
static bool feasible_places_differ(const struct trace *t, void *context)
{
    uint64_t *found_count = context;
    struct race_options o = {.model = RACE_FEASIBLE, .skips_deadlocks = true};
    struct found by_place = find(t, &o);
    o.decided = ignore;
    struct found each = find(t, &o);
    const bool differ = findings_differ(&by_place, &each, false) ||
                        by_place.stats.data_candidates != each.stats.data_candidates ||
                        by_place.stats.location_pairs != each.stats.location_pairs ||
                        by_place.stats.data_races > each.stats.data_races ||
                        by_place.stats.unknown > each.stats.unknown;
    *found_count += each.f.list.count;
    findings_release(&by_place.f);
    findings_release(&each.f);
    return differ;
}

TEST(feasible_races_by_place_equal_those_asked_one_by_one)
{
    uint64_t found_count = 0;
    check_random(feasible_places_differ, &found_count, test_count(150, 20000), 60);
    for (uint64_t seed = test_seed(); seed < test_seed() + test_count(100, 20000); seed++) {
        struct trace t;
        random_locked(&t, seed, 60);
        CHECK(!feasible_places_differ(&t, &found_count));
        trace_release(&t);
    }
    CHECK(found_count > 500);
}

TEST(data_and_messages_alone_equal_both_together)
{
    uint64_t race_count = 0;
    check_random(halves_differ, &race_count, test_count(400, 20000), 80);
    CHECK(race_count > 1000);
}

TEST(pruning_keeps_every_racing_pair_of_places)
{
    struct pruning pruning = {0};
    check_random(pruning_differs, &pruning, test_count(600, 20000), 80);
    print_message("# %llu events pruned, %llu findings kept\n", (unsigned long long)pruning.pruned,
                  (unsigned long long)pruning.found);
    CHECK(pruning.pruned > 500);
    CHECK(pruning.found > 500);
}

TEST(the_native_solver_says_what_the_engine_says)
{
    enum race_via via = RACE_VIA_NATIVE;
    check_random(solver_differs, &via, test_count(300, 20000), 50);
}

TEST(libz3_says_what_the_engine_says)
{
    enum race_via via = RACE_VIA_Z3;
    check_random(solver_differs, &via, test_count(40, 10000), 30);
}

/* Several workers find the same as one. */
static bool workers_differ(const struct trace *t, void *context)
{
    const enum race_via *via = context;
    bool differ = false;
    for (int wants_pairs = 0; wants_pairs <= 1; wants_pairs++) {
        struct race_options o = {.via = *via, .wants_pairs = wants_pairs};
        struct found one = find(t, &o);
        o.worker_count = 3;
        struct found shared = find(t, &o);
        differ = differ || one.f.list.count != shared.f.list.count ||
                 stats_differ(&one.stats, &shared.stats) || one.stats.asked != shared.stats.asked;
        for (size_t i = 0; !differ && i < one.f.list.count; i++) {
            differ = strcmp(one.f.list.at[i].what, shared.f.list.at[i].what) != 0 ||
                     one.f.list.at[i].pair_count != shared.f.list.at[i].pair_count;
        }
        findings_release(&one.f);
        findings_release(&shared.f);
    }
    return differ;
}

TEST(workers_find_what_one_finds)
{
    enum race_via via = RACE_VIA_NATIVE;
    check_random(workers_differ, &via, test_count(20, 1000), 30);
    via = RACE_VIA_ENGINE;
    check_random(workers_differ, &via, test_count(20, 1000), 30);
}
