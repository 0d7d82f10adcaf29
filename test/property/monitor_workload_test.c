/* Turns by the clock: the monitor reports nothing about the right protocol, and about the faulty
 * one exactly the violations that libz3 finds too. */
#include <string.h>

#include "monitor/monitor.h"
#include "monitor/workload.h"
#include "test.h"

static enum cut_verdict answer_to(const struct workload *w, bool is_by_solver)
{
    const char *text = workload_spec(w->kind);
    struct spec s;
    struct in in;
    struct err e;
    struct trace t;
    struct monitor_result result = {0};
    struct findings findings = {0};
    struct notes notes = {0};
    spec_init(&s);
    in_open_memory(&in, text, strlen(text));
    CHECK_INT(spec_parse(&s, &in, &e), 0);
    trace_init(&t);
    workload_run(w, &t);
    const struct monitor_options o = {
        .spec = &s, .skew = w->skew, .decide = {.is_by_solver = is_by_solver}};
    CHECK_INT(monitor_find(&t, &o, &findings, &result, &notes, &e), 0);
    const enum cut_verdict verdict = result.properties.at[0].verdict;
    monitor_result_release(&result);
    findings_release(&findings);
    notes_release(&notes);
    trace_release(&t);
    in_close(&in);
    spec_release(&s);
    return verdict;
}

/* Smaller than the published one: few messages, so that faults are not ordered away. */
static struct workload small_run(enum workload_kind kind, uint64_t seed)
{
    struct workload w = workload_default(kind);
    w.process_count = 4;
    w.message_rate = 200;
    workload_rescale(&w, 100000);
    w.seed = seed;
    return w;
}

TEST(turns_that_end_in_time_are_never_reported)
{
    for (uint64_t seed = 1; seed <= test_count(25, 1000); seed++) {
        struct workload w = small_run(WORKLOAD_TDM, seed);
        w.fault = 0;
        CHECK_INT(answer_to(&w, false), CUT_NO);
        w = workload_default(WORKLOAD_TDM);
        w.fault = 0;
        w.seed = seed;
        w.duration = (int64_t)test_count(20000, 100000);
        CHECK_INT(answer_to(&w, false), CUT_NO);
    }
}

TEST(a_token_keeps_turns_apart)
{
    for (uint64_t seed = 1; seed <= test_count(25, 1000); seed++) {
        const struct workload w = small_run(WORKLOAD_TOKEN, seed);
        CHECK_INT(answer_to(&w, false), CUT_NO);
    }
}

TEST(of_turns_held_too_long_all_are_found_that_libz3_finds)
{
    uint64_t found = 0;
    const uint64_t count = test_count(15, 500);
    for (uint64_t seed = 1; seed <= count; seed++) {
        const struct workload w = small_run(WORKLOAD_TDM, seed);
        const enum cut_verdict verdict = answer_to(&w, false);
        CHECK_INT(answer_to(&w, true), verdict);
        found += verdict == CUT_YES;
    }
    CHECK(found > 0);
    CHECK(found < count);
}

TEST(the_same_seed_gives_the_same_run)
{
    struct trace a;
    struct trace b;
    trace_init(&a);
    trace_init(&b);
    const struct workload w = small_run(WORKLOAD_SYNTHETIC, 7);
    workload_run(&w, &a);
    workload_run(&w, &b);
    CHECK_INT(a.events.count, b.events.count);
    CHECK_INT(memcmp(a.events.at, b.events.at, a.events.count * sizeof *a.events.at), 0);
    trace_release(&a);
    trace_release(&b);
}
