#include "race/feasible/feasible.h"

#include "race/sound/verify.h"
#include "race/witness/witness.h"
#include "race_slow.h"
#include "random_trace.h"
#include "shrink.h"
#include "test.h"
#include "trace_of.h"
#include "trace_text.h"

struct race_groups {
    uint64_t yes, no, asked, by_order, by_window, too_large;
    struct feasible_options options;
    char difference[800];
};

/* One trace with everything that decides about it. */
struct fixture {
    struct arena arena;
    struct notes notes;
    struct hb hb;
    struct rules rules;
    struct slow_answer slow;
    struct witness_checker *checker;
    struct feasible *feasible;
    sound_order order;
};

static bool fixture_init(struct fixture *f, const struct trace *t, const struct race_groups *groups)
{
    *f = (struct fixture){0};
    struct err e = {0};
    CHECK_INT(hb_build(&f->hb, t, &(struct hb_options){.scope = REACH_NONE}, &f->notes, &e), 0);
    rules_read(&f->rules, t);
    f->slow = slow_answer_take(&f->arena, &f->rules);
    f->checker = witness_checker_new(t, NULL, 0);
    f->feasible = feasible_new(&f->hb, &groups->options);
    return slow_by_states(&f->rules, SLOW_FEASIBLE, &f->slow);
}

static void fixture_release(struct fixture *f)
{
    vec_release(&f->order);
    feasible_free(f->feasible);
    witness_checker_free(f->checker);
    rules_release(&f->rules);
    hb_release(&f->hb);
    notes_release(&f->notes);
    arena_release(&f->arena);
}

/* The fault in the answer for a pair, NULL if there is none. */
static const char *fault_of(struct fixture *f, const struct sound_pair *pair, bool wanted,
                            struct race_groups *groups)
{
    const bool is_by_windows = groups->options.window_min != 0 && !pair->is_message;
    const enum race_verdict verdict = is_by_windows
                                          ? feasible_decide_near(f->feasible, pair, &f->order)
                                          : feasible_decide(f->feasible, pair, &f->order);
    if (is_by_windows && verdict == RACE_UNKNOWN) {
        return NULL; /* left to the whole question */
    }
    groups->yes += verdict == RACE_YES;
    groups->no += verdict == RACE_NO;
    if (verdict != (wanted ? RACE_YES : RACE_NO)) {
        (void)snprintf(groups->difference, sizeof groups->difference, "%s of %u and %u: %s, not %s",
                       pair->is_message ? "message" : "data", pair->a, pair->b,
                       verdict == RACE_UNKNOWN ? "unknown"
                       : wanted                ? "no"
                                               : "yes",
                       wanted ? "yes" : "no");
        return groups->difference;
    }
    const struct witness w = {.is_message = pair->is_message,
                              .a = pair->a,
                              .b = pair->b,
                              .order = f->order.at,
                              .count = f->order.count};
    struct err e = {0};
    /* Orders that contradict each other are dropped by the rules, not by the checker. */
    if (verdict == RACE_YES && !f->hb.has_dropped && witness_check(f->checker, &w, &e) < 0) {
        (void)snprintf(groups->difference, sizeof groups->difference, "witness of %u and %u: %s",
                       pair->a, pair->b, e.text);
        return groups->difference;
    }
    return NULL;
}

static bool is_wrong(const struct trace *t, void *context)
{
    struct race_groups *groups = context;
    struct fixture f;
    bool wrong = false;
    if (fixture_init(&f, t, groups)) {
        for (size_t i = 0; i < f.rules.data_candidates.count && !wrong; i++) {
            const struct rules_pair *c = &f.rules.data_candidates.at[i];
            const struct sound_pair pair = {.a = c->a, .b = c->b};
            wrong = fault_of(&f, &pair, f.slow.data[i], groups) != NULL;
        }
        for (size_t i = 0; i < f.rules.message_candidates.count && !wrong; i++) {
            const struct rules_pair *c = &f.rules.message_candidates.at[i];
            const struct sound_pair pair = {.is_message = true, .a = c->a, .b = c->b};
            wrong = fault_of(&f, &pair, f.slow.message[i], groups) != NULL;
        }
    } else {
        groups->too_large++;
    }
    groups->asked += feasible_stats(f.feasible)->by_solver;
    groups->by_order += feasible_stats(f.feasible)->by_order;
    groups->by_window += feasible_stats(f.feasible)->by_window;
    fixture_release(&f);
    return wrong;
}

static void check_many(uint64_t count, struct feasible_options options, bool is_damaged)
{
    struct race_groups groups = {.options = options};
    for (uint64_t seed = test_seed(); seed < test_seed() + count; seed++) {
        struct prng prng;
        struct trace t;
        prng_init(&prng, seed);
        const struct random_shape shape =
            random_shape(&prng, 8 + (uint32_t)prng_below(&prng, test_count(16, 36)));
        random_trace(&t, &prng, &shape);
        if (is_damaged) {
            struct trace damaged;
            random_damage(&damaged, &t, &prng);
            trace_release(&t);
            t = damaged;
        }
        if (is_wrong(&t, &groups)) {
            struct trace small;
            trace_shrink(&small, &t, is_wrong, &groups);
            (void)is_wrong(&small, &groups);
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, groups.difference,
                     trace_text(&small));
        }
        trace_release(&t);
    }
    print_message("# %llu yes (%llu by the order of the list), %llu no, %llu by windows, %llu "
                  "asked, %llu too "
                  "large\n",
                  (unsigned long long)groups.yes, (unsigned long long)groups.by_order,
                  (unsigned long long)groups.no, (unsigned long long)groups.by_window,
                  (unsigned long long)groups.asked, (unsigned long long)groups.too_large);
    CHECK(groups.yes > count / 4);
    CHECK(groups.no > count / 4);
    CHECK(options.window_min == 0 || groups.by_window > 2 * count);
}

TEST(feasible_equals_the_walk_over_states_and_every_witness_holds)
{
    check_many(test_count(300, 10000), (struct feasible_options){0}, false);
}

TEST(feasible_says_the_same_when_prepared_for_many)
{
    check_many(test_count(300, 10000), (struct feasible_options){.is_about_many = true}, false);
}

TEST(windows_around_the_pair_say_the_same)
{
    const struct feasible_options options = {.window_min = 1, .is_about_many = true};
    check_many(test_count(2000, 40000), options, false);
    check_many(test_count(200, 10000), options, true);
}

TEST(feasible_equals_the_walk_over_states_on_damaged_traces)
{
    check_many(test_count(200, 10000), (struct feasible_options){0}, true);
    check_many(test_count(200, 10000), (struct feasible_options){.is_about_many = true}, true);
}

/* ---- budgets ---- */

TEST(a_question_about_too_many_events_is_unknown)
{
    struct race_groups groups = {.options = {.event_max = 3}};
    struct fixture f;
    const char *text = "A r a; A r b; A r c; A r d; A w x; B w x";
    CHECK(fixture_init(&f, trace_of(text), &groups));
    CHECK_INT(feasible_decide(f.feasible, &(struct sound_pair){.a = 4, .b = 5}, NULL),
              RACE_UNKNOWN);
    CHECK_INT(feasible_stats(f.feasible)->unknown, 1);
    fixture_release(&f);
}

TEST(what_a_read_saw_is_not_known_where_accesses_have_no_stamps)
{
    struct race_groups groups = {0};
    struct fixture f;
    CHECK(fixture_init(&f, trace_of("order stamped; A w x; B w x"), &groups));
    CHECK_INT(feasible_decide(f.feasible, &(struct sound_pair){.a = 0, .b = 1}, NULL),
              RACE_UNKNOWN);
    fixture_release(&f);
}
