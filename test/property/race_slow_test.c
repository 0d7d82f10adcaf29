#include "race_slow.h"

#include "random_trace.h"
#include "shrink.h"
#include "test.h"
#include "trace_of.h"
#include "trace_text.h"

/* ---- known answers ---- */

enum answer { NO, YES };

/* The answer for the only data candidate of a trace, by every twin that knows the model. */
static enum answer data_race(const char *text, enum slow_model model)
{
    struct arena arena = {0};
    struct rules r;
    rules_read(&r, trace_of(text));
    CHECK_INT(r.data_candidates.count, 1);
    struct slow_answer answer = slow_answer_take(&arena, &r);
    CHECK(slow_by_states(&r, model, &answer));
    CHECK(answer.has_order);
    const enum answer result = answer.data[0] ? YES : NO;
    if (model != SLOW_SYNC_PRESERVING) {
        struct slow_answer second = slow_answer_take(&arena, &r);
        slow_by_z3(&r, model, &second);
        CHECK(slow_difference(&r, &answer, &second) == NULL);
    }
    rules_release(&r);
    arena_release(&arena);
    return result;
}

static enum answer strict(const char *text)
{
    return data_race(text, SLOW_STRICT);
}

TEST(two_writes_without_anything_between_race)
{
    CHECK_INT(strict("A w x; B w x"), YES);
    CHECK_INT(strict("A w x; B r x"), YES);
}

TEST(locks_exclude_but_do_not_order)
{
    CHECK_INT(strict("A acq m; A w x; A rel m; B acq m; B w x; B rel m"), NO);
    CHECK_INT(strict("A w x; A acq m; A rel m; B acq m; B rel m; B w x"), YES);
    CHECK_INT(strict("A acq m mode=read; A r x; A rel m mode=read;"
                     "B acq m mode=read; B w x; B rel m mode=read"),
              YES);
}

TEST(locks_of_different_nodes_are_different_locks)
{
    CHECK_INT(strict("A@n acq m mode=flock-write; A@n w x; A@n rel m mode=flock-write;"
                     "B@n acq m; B@n w x; B@n rel m"),
              YES);
}

TEST(a_reentrant_section_is_one_section)
{
    CHECK_INT(strict("A acq m; A acq m; A rel m; A w x; A acq m; A rel m; A rel m;"
                     "B acq m; B w x; B rel m"),
              NO);
}

TEST(a_message_inside_a_section_orders_the_sections)
{
    CHECK_INT(strict("A acq m; A w x; A snd c msg=z; A rel m; B acq m; B rcv c msg=z; B rel m;"
                     "B w x"),
              NO);
    CHECK_INT(strict("A acq m; A snd c msg=z; A rel m; A w y; B acq m; B rcv c msg=z; B w y;"
                     "B rel m"),
              YES);
}

TEST(the_end_of_a_handler_is_before_what_follows)
{
    CHECK_INT(strict("S snd c msg=a; A rcv c msg=a; A hb; A w x; A he; A fork B; B begin; B w x"),
              NO);
}

TEST(a_receive_does_not_wait_for_the_handler_before_it)
{
    CHECK_INT(strict("S snd c msg=a; S snd c msg=b; A rcv c msg=a; A hb; A w x; A he;"
                     "A rcv c msg=b; A hb; A snd d msg=e; A he; B rcv d msg=e; B w x"),
              YES);
}

TEST(handlers_of_one_task_never_overlap)
{
    /* B's write is between two events of the second handler, so the first one's is not. */
    CHECK_INT(strict("S snd c msg=a; S snd c msg=b; A rcv c msg=a; A hb; A w x; A he;"
                     "A rcv c msg=b; A hb; A snd d msg=e; B rcv d msg=e; B w x; B snd f msg=g;"
                     "A rcv f msg=g; A he"),
              NO);
}

TEST(a_child_without_start_and_end_is_still_between_create_and_join)
{
    CHECK_INT(strict("A w x; A fork B; B w x"), NO);
    CHECK_INT(strict("A fork B; B w x; A join B; A w x"), NO);
    CHECK_INT(strict("A fork B; B w x; A w x; A join B"), YES);
}

TEST(bytes_of_one_channel_do_not_answer_for_another)
{
    CHECK_INT(strict("P snd a>b size=10 mode=tcp; Q rcv a>b size=6 mode=tcp; R@c w x;"
                     "R@c snd c>d size=8 mode=tcp; S rcv c>d size=8 mode=tcp;"
                     "Q rcv a>b size=4 mode=tcp; S snd d>c size=3 mode=tcp;"
                     "T@c rcv d>c size=3 mode=tcp; T@c w x"),
              NO);
}

TEST(a_wait_needs_a_notify_while_it_waits)
{
    CHECK_INT(strict("A acq m; A wait c lock=m; B w x; B acq m; B notify c; B rel m;"
                     "A woken c lock=m; A rel m; A w x"),
              NO);
    CHECK_INT(strict("A acq m; B w x; B acq m; B notify m; B rel m; A woken m; A rel m; A w x"),
              NO);
    CHECK_INT(strict("A acq m; A wait c lock=m; B acq m; B notify c; B rel m; B w x;"
                     "A woken c lock=m; A rel m; A w x"),
              YES);
}

TEST(what_a_read_saw_makes_a_race_infeasible)
{
    const char *text = "A w x; A acq m; A w flag; A rel m; B acq m; B r flag; B rel m; B r x";
    struct arena arena = {0};
    struct rules r;
    rules_read(&r, trace_of(text));
    struct slow_answer answers[2] = {slow_answer_take(&arena, &r), slow_answer_take(&arena, &r)};
    CHECK(slow_by_states(&r, SLOW_STRICT, &answers[0]));
    CHECK(slow_by_states(&r, SLOW_FEASIBLE, &answers[1]));
    CHECK_INT(r.data_candidates.count, 2);
    CHECK(answers[0].data[0]);
    CHECK(!answers[1].data[0]);
    rules_release(&r);
    arena_release(&arena);
}

TEST(two_writes_may_meet_where_no_order_of_all_events_exists)
{
    const char *text = "A acq m; A w x; A acq n; A rel n; A rel m;"
                       "B acq n; B w x; B acq m; B rel m; B rel n";
    CHECK_INT(strict(text), NO);
    CHECK_INT(data_race(text, SLOW_FEASIBLE), YES);
    CHECK_INT(data_race(text, SLOW_SYNC_PRESERVING), YES);
}

/* ---- the twins against each other ---- */

struct twins {
    enum slow_model model;
    uint64_t candidates, races, undecided;
};

/* True when the two ways to decide differ on this trace. */
static bool twins_differ(const struct trace *t, void *context)
{
    struct twins *twins = context;
    struct arena arena = {0};
    struct rules r;
    rules_read(&r, t);
    struct slow_answer by_states = slow_answer_take(&arena, &r);
    struct slow_answer by_z3 = slow_answer_take(&arena, &r);
    bool differ = false;
    if (slow_by_states(&r, twins->model, &by_states)) {
        slow_by_z3(&r, twins->model, &by_z3);
        differ = slow_difference(&r, &by_states, &by_z3) != NULL;
        twins->candidates += r.data_candidates.count + r.message_candidates.count;
        for (size_t i = 0; i < r.data_candidates.count; i++) {
            twins->races += by_states.data[i];
        }
        for (size_t i = 0; i < r.message_candidates.count; i++) {
            twins->races += by_states.message[i];
        }
    } else {
        twins->undecided++;
    }
    rules_release(&r);
    arena_release(&arena);
    return differ;
}

static void check_twins(enum slow_model model, uint64_t count, uint32_t size_max, bool is_damaged)
{
    struct twins twins = {.model = model};
    for (uint64_t seed = test_seed(); seed < test_seed() + count; seed++) {
        struct trace t;
        struct prng prng;
        prng_init(&prng, seed);
        const struct random_shape shape =
            random_shape(&prng, 4 + (uint32_t)prng_below(&prng, size_max));
        random_trace(&t, &prng, &shape);
        if (is_damaged) {
            struct trace damaged;
            random_damage(&damaged, &t, &prng);
            trace_release(&t);
            t = damaged;
        }
        if (twins_differ(&t, &twins)) {
            struct trace small;
            trace_shrink(&small, &t, twins_differ, &twins);
            fail_msg("seed %llu:\n%s", (unsigned long long)seed, trace_text(&small));
        }
        trace_release(&t);
    }
    print_message("# %llu traces, %llu candidates, %llu races, %llu traces too large\n",
                  (unsigned long long)count, (unsigned long long)twins.candidates,
                  (unsigned long long)twins.races, (unsigned long long)twins.undecided);
    CHECK(twins.races > count / 5);
    CHECK(twins.candidates - twins.races > count / 5);
    CHECK(twins.undecided < count / 20 + 1);
}

TEST(strict_by_states_equals_strict_by_z3)
{
    check_twins(SLOW_STRICT, test_count(100, 10000), 24, false);
}

TEST(strict_by_states_equals_strict_by_z3_on_damaged_traces)
{
    check_twins(SLOW_STRICT, test_count(60, 10000), 24, true);
}

TEST(feasible_by_states_equals_feasible_by_z3)
{
    check_twins(SLOW_FEASIBLE, test_count(60, 10000), 20, false);
}

TEST(feasible_by_states_equals_feasible_by_z3_on_damaged_traces)
{
    check_twins(SLOW_FEASIBLE, test_count(30, 5000), 20, true);
}

TEST(sync_preserving_races_are_feasible)
{
    uint64_t feasible_count = 0;
    uint64_t preserving_count = 0;
    for (uint64_t seed = test_seed(); seed < test_seed() + test_count(300, 10000); seed++) {
        struct trace t;
        struct prng prng;
        struct rules r;
        struct arena arena = {0};
        prng_init(&prng, seed);
        const struct random_shape shape = random_shape(&prng, 8 + (uint32_t)prng_below(&prng, 14));
        random_trace(&t, &prng, &shape);
        rules_read(&r, &t);
        struct slow_answer feasible = slow_answer_take(&arena, &r);
        struct slow_answer preserving = slow_answer_take(&arena, &r);
        if (slow_by_states(&r, SLOW_FEASIBLE, &feasible) &&
            slow_by_states(&r, SLOW_SYNC_PRESERVING, &preserving)) {
            for (size_t i = 0; i < r.data_candidates.count; i++) {
                CHECK(feasible.data[i] || !preserving.data[i]);
                feasible_count += feasible.data[i];
                preserving_count += preserving.data[i];
            }
            for (size_t i = 0; i < r.message_candidates.count; i++) {
                CHECK(feasible.message[i] || !preserving.message[i]);
            }
        }
        rules_release(&r);
        arena_release(&arena);
        trace_release(&t);
    }
    print_message("# %llu feasible, %llu sync-preserving\n", (unsigned long long)feasible_count,
                  (unsigned long long)preserving_count);
    CHECK(preserving_count > 0);
}
