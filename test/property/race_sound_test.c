#include "race/sound/verify.h"

#include "base/mem.h"
#include "race/witness/witness.h"
#include "race_slow.h"
#include "random_trace.h"
#include "shrink.h"
#include "test.h"
#include "trace/kind_table.h"
#include "trace_of.h"
#include "trace_text.h"

/* ---- the search ---- */

/* Collects races and has each one's witness checked, which counts where the search says so. */
struct proofs {
    const struct hb *hb;
    size_t past_max;
    struct witness_checker *checker;
    VEC(struct sound_pair) list;
    sound_order order;
    struct err refused; /* "" when every witness was accepted */
};

static bool collect(void *context, const struct sound_race *race)
{
    struct proofs *p = context;
    sound_order_of(p->hb, race, &p->order);
    const struct witness w = {.is_message = race->pair.is_message,
                              .a = race->pair.a,
                              .b = race->pair.b,
                              .order = p->order.at,
                              .count = p->order.count};
    struct err e = {0};
    const bool holds = witness_check(p->checker, &w, &e) == 0;
    if (holds || sound_is_certain(p->hb)) {
        vec_push(&p->list, race->pair);
    }
    if (!holds && sound_is_certain(p->hb)) {
        p->refused = e;
    }
    return true;
}

static bool has_pair(const struct proofs *p, event_id a, event_id b, bool is_message)
{
    vec_each (&p->list, pair) {
        if (pair->a == a && pair->b == b && pair->is_message == is_message) {
            return true;
        }
    }
    return false;
}

struct fixture {
    struct arena arena;
    struct notes notes;
    struct hb hb;
    struct rules rules;
    struct proofs proofs;
};

static void fixture_init(struct fixture *f, const struct trace *t)
{
    *f = (struct fixture){0};
    struct err e = {0};
    CHECK_INT(hb_build(&f->hb, t, &(struct hb_options){.scope = REACH_NONE}, &f->notes, &e), 0);
    rules_read(&f->rules, t);
    f->proofs.hb = &f->hb;
    f->proofs.checker = witness_checker_new(t, NULL, 0);
}

static void fixture_release(struct fixture *f)
{
    witness_checker_free(f->proofs.checker);
    vec_release(&f->proofs.list);
    vec_release(&f->proofs.order);
    rules_release(&f->rules);
    hb_release(&f->hb);
    notes_release(&f->notes);
    arena_release(&f->arena);
}

/* Asks about every candidate. */
static void ask_all(struct fixture *f, struct slow_answer *answer)
{
    VEC(struct sound_pair) pairs = {0};
    vec_each (&f->rules.data_candidates, pair) {
        vec_push(&pairs, (struct sound_pair){.a = pair->a, .b = pair->b});
    }
    vec_each (&f->rules.message_candidates, pair) {
        vec_push(&pairs, (struct sound_pair){.is_message = true, .a = pair->a, .b = pair->b});
    }
    const struct sound_options o = {
        .found = collect, .context = &f->proofs, .past_max = f->proofs.past_max};
    sound_ask(&f->hb, pairs.at, pairs.count, &o);
    vec_release(&pairs);
    for (size_t i = 0; i < f->rules.data_candidates.count; i++) {
        const struct rules_pair *pair = &f->rules.data_candidates.at[i];
        answer->data[i] = has_pair(&f->proofs, pair->a, pair->b, false);
    }
    for (size_t i = 0; i < f->rules.message_candidates.count; i++) {
        const struct rules_pair *pair = &f->rules.message_candidates.at[i];
        answer->message[i] = has_pair(&f->proofs, pair->a, pair->b, true);
    }
}

/* ---- sound races ---- */

struct race_groups {
    size_t past_max;
    uint64_t shown, possible;
    char difference[800];
};

/* True when something is said to be shown that is not, or its witness does not hold; with
 * is_exact, also when something is missed. */
static bool is_wrong(const struct trace *t, struct race_groups *groups, bool is_exact)
{
    struct fixture f;
    fixture_init(&f, t);
    f.proofs.past_max = groups->past_max;
    struct slow_answer slow = slow_answer_take(&f.arena, &f.rules);
    struct slow_answer fast = slow_answer_take(&f.arena, &f.rules);
    bool wrong = false;
    if (slow_by_states(&f.rules, SLOW_SYNC_PRESERVING, &slow)) {
        ask_all(&f, &fast);
        for (size_t i = 0; i < f.rules.data_candidates.count; i++) {
            wrong |= fast.data[i] && !slow.data[i];
            groups->shown += fast.data[i];
            groups->possible += slow.data[i];
        }
        for (size_t i = 0; i < f.rules.message_candidates.count; i++) {
            wrong |= fast.message[i] && !slow.message[i];
            groups->shown += fast.message[i];
            groups->possible += slow.message[i];
        }
        const char *difference = slow_difference(&f.rules, &slow, &fast);
        wrong |= is_exact && difference != NULL && sound_is_certain(&f.hb);
        wrong |= f.proofs.refused.text[0] != '\0';
        if (wrong) {
            (void)snprintf(groups->difference, sizeof groups->difference, "%s; witness: %s",
                           difference == NULL ? "" : difference, f.proofs.refused.text);
        }
    }
    fixture_release(&f);
    return wrong;
}

static bool is_unsound(const struct trace *t, void *context)
{
    return is_wrong(t, context, false);
}

/* The same with hardly any memory of the past. */
static bool is_unsound_when_forgetful(const struct trace *t, void *context)
{
    struct race_groups *groups = context;
    groups->past_max = 2;
    return is_wrong(t, context, false);
}

static bool is_inexact(const struct trace *t, void *context)
{
    return is_wrong(t, context, true);
}

static void check_many(uint64_t count, unsigned without,
                       bool (*fails)(const struct trace *t, void *context), bool is_damaged)
{
    struct race_groups groups = {0};
    for (uint64_t seed = test_seed(); seed < test_seed() + count; seed++) {
        struct prng prng;
        struct trace t;
        prng_init(&prng, seed);
        struct random_shape shape =
            random_shape(&prng, 8 + (uint32_t)prng_below(&prng, test_count(16, 36)));
        shape.features &= ~without;
        random_trace(&t, &prng, &shape);
        if (is_damaged) {
            struct trace damaged;
            random_damage(&damaged, &t, &prng);
            trace_release(&t);
            t = damaged;
        }
        if (fails(&t, &groups)) {
            struct trace small;
            trace_shrink(&small, &t, fails, &groups);
            (void)fails(&small, &groups);
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, groups.difference,
                     trace_text(&small));
        }
        trace_release(&t);
    }
    print_message("# %llu shown of %llu\n", (unsigned long long)groups.shown,
                  (unsigned long long)groups.possible);
    CHECK(groups.shown > count / 4);
}

TEST(what_is_shown_is_sync_preserving_and_its_witness_holds)
{
    check_many(test_count(400, 10000), 0, is_unsound, false);
}

TEST(what_is_shown_holds_when_most_past_cuts_are_given_up)
{
    check_many(test_count(400, 10000), 0, is_unsound_when_forgetful, false);
}

TEST(what_is_shown_holds_on_damaged_traces)
{
    check_many(test_count(300, 10000), 0, is_unsound, true);
}

/* A task is one chain here, its handlers included, and a wait keeps its notify; without those,
 * nothing is missed. */
TEST(without_handlers_and_waits_every_sync_preserving_race_is_shown)
{
    check_many(test_count(400, 10000), RANDOM_HANDLER | RANDOM_WAIT, is_inexact, false);
}

/* ---- finding by places ---- */

static bool look_alike(const struct event *a, const struct event *b)
{
    return a->location == b->location && event_class(a) == event_class(b) &&
           rules_event_writes(a) == rules_event_writes(b);
}

static bool shows_places(const struct trace *t, const struct proofs *p, event_id a, event_id b)
{
    vec_each (&p->list, pair) {
        const struct event *first = trace_at(t, a);
        const struct event *second = trace_at(t, b);
        const struct event *shown_first = trace_at(t, pair->a);
        const struct event *shown_second = trace_at(t, pair->b);
        if (first->kind == EVENT_SEND) {
            if (shown_first->location == first->location && shown_second->task == second->task &&
                shown_second->location == second->location && pair->is_message) {
                return true;
            }
            continue;
        }
        if (pair->is_message || rules_object(t, shown_first, shown_first->object) !=
                                    rules_object(t, first, first->object)) {
            continue;
        }
        if ((look_alike(shown_first, first) && look_alike(shown_second, second)) ||
            (look_alike(shown_first, second) && look_alike(shown_second, first))) {
            return true;
        }
    }
    return false;
}

/* True if the search by places misses a pair of places that asking pair by pair shows, or finds
 * another one. */
static bool places_are_missed(const struct trace *t, void *context)
{
    struct race_groups *groups = context;
    struct fixture f;
    struct fixture asked;
    fixture_init(&f, t);
    fixture_init(&asked, t);
    struct slow_answer answer = slow_answer_take(&asked.arena, &asked.rules);
    ask_all(&asked, &answer);
    const struct sound_options o = {.found = collect, .context = &f.proofs};
    sound_find(&f.hb, &o);
    bool wrong = f.proofs.refused.text[0] != '\0';
    vec_each (&asked.proofs.list, pair) {
        wrong |= !shows_places(t, &f.proofs, pair->a, pair->b);
    }
    vec_each (&f.proofs.list, pair) {
        wrong |= !has_pair(&asked.proofs, pair->a, pair->b, pair->is_message);
    }
    groups->shown += f.proofs.list.count;
    groups->possible += asked.proofs.list.count;
    fixture_release(&f);
    fixture_release(&asked);
    return wrong;
}

TEST(every_pair_of_places_that_asking_shows_is_found)
{
    check_many(test_count(1000, 10000), 0, places_are_missed, false);
}

/* The later message is received by T1, the earlier one of the first pair by T1 too, that of the
 * second pair by T0: two receivers, so both pairs are found. */
TEST(a_pool_race_is_found_beside_one_of_its_later_receiver)
{
    struct race_groups groups = {0};
    CHECK(!places_are_missed(
        trace_of("order exact; T0 snd n:0>n:1 size=1 mode=udp;"
                 "T0 snd n:0>n:1 msg=m0 size=1 mode=udp; T1 rcv n:0>n:1 size=1 mode=udp;"
                 "T0 snd n:0>n:1 msg=m2 size=3 mode=udp; T0 rcv n:0>n:1 msg=m2 size=3 mode=udp;"
                 "T0 hb; T1 rcv n:0>n:1 msg=m0 size=1 mode=udp; T1 hb"),
        &groups));
    CHECK_INT(groups.shown, 2);
}

/* ---- proofs ---- */

static void count_shown(void *context, const struct sound_race *race)
{
    uint64_t *count = context;
    (*count)++;
    CHECK(race->cut != NULL);
}

/* No race found is refused, and all are reported. */
static bool proofs_are_refused(const struct trace *t, void *context)
{
    struct race_groups *groups = context;
    struct fixture f;
    fixture_init(&f, t);
    const struct sound_options found = {.found = collect, .context = &f.proofs};
    sound_find(&f.hb, &found);
    uint64_t told = 0;
    struct proof_stats stats = {0};
    const struct proof_options o = {.found = count_shown, .context = &told};
    proof_find(&f.hb, &o, &stats);
    const bool is_wrong_count = told != stats.shown || told != f.proofs.list.count;
    const bool is_refused = stats.refused > 0 && sound_is_certain(&f.hb);
    groups->shown += told;
    fixture_release(&f);
    return is_wrong_count || is_refused;
}

TEST(every_race_that_is_found_is_checked_and_told)
{
    check_many(test_count(500, 10000), 0, proofs_are_refused, false);
}

/* Two sections of the lock overlap, so the list before the pair is no prefix; the pair needs none
 * of it. */
TEST(a_race_is_told_behind_sections_that_overlap)
{
    struct race_groups groups = {0};
    CHECK(!proofs_are_refused(
        trace_of("order exact; T2 acq m; T3 acq m; T1 w x @P2; T0 r x @P0; T2 rel m"), &groups));
    CHECK_INT(groups.shown, 1);
}

TEST(what_does_not_hold_is_not_told)
{
    check_many(test_count(500, 10000), 0, proofs_are_refused, true);
}
