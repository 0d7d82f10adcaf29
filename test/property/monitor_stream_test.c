/* The monitor gives the same answers on a stream as on the whole trace, in whatever order reports
 * arrive and whenever it decides; and its memory is bounded. */
#include "monitored.h"

#include <string.h>

#include "base/mem.h"
#include "monitor/workload.h"
#include "test.h"
#include "wire/kind.h"
#include "wire/prng.h"

static const char *const properties[] = {
    "p: never forall p. p.v = 1",
    "p: never count(p: p.v = 1) >= 2",
    "p: never count(p: p.v = 1) >= 4",
    "p: never p1.v = 1 and p3.v = 0 and p2.v = 1",
    "p: never (p1.v = 1 and p2.v = 0) or (p3.v = 1 and p1.v = 0 and p2.v = 1)",
    "p: never sum(p: p.v) = 3",
    "p: never p1.v + p2.v >= 2",
    "p: never count(p: p.v = 0) <= 0",
    "p: always p1.v <= 1 and p2.v + p3.v <= 1",
    "p: never p1.v = 1 and p2.v = 1 and count(p: p.v = 1) >= 3",
    "p: never p1.w = 1 and p2.v = 1",
    "p: never p1.w = 1 and p2.v = 3",
    "p: never count(p: p.w = 1) >= 1",
};

enum { PROPERTY_COUNT = sizeof properties / sizeof *properties };

/* The events of t, those of each process in their order, otherwise shuffled: each process is up to
 * `lead` events ahead of where it was. */
static void shuffle(const struct trace *t, uint32_t lead, struct prng *prng, struct trace *to)
{
    trace_init(to);
    tables_release(&to->tables);
    to->tables = t->tables; /* shared */
    bool *is_taken = mem_zero(t->events.count, sizeof *is_taken);
    size_t first = 0;
    while (first < t->events.count) {
        const size_t window = t->events.count - first < lead ? t->events.count - first : lead;
        size_t at = first + (size_t)prng_below(prng, window);
        while (is_taken[at]) {
            at = at + 1 < first + window ? at + 1 : first;
        }
        for (size_t i = first; i < at; i++) {
            if (!is_taken[i] && t->events.at[i].task == t->events.at[at].task) {
                at = i;
            }
        }
        is_taken[at] = true;
        trace_append(to, &t->events.at[at]);
        while (first < t->events.count && is_taken[first]) {
            first++;
        }
    }
    to->is_sealed = true;
    mem_free(is_taken);
}

static void shuffle_release(struct trace *t)
{
    tables_init(&t->tables);
    trace_release(t);
}

static struct workload random_workload(struct prng *prng)
{
    struct workload w = workload_default(WORKLOAD_SYNTHETIC);
    w.process_count = 3 + (uint32_t)prng_below(prng, 2);
    w.skew = (int64_t)prng_below(prng, 15);
    w.delay = 1 + (int64_t)prng_below(prng, 6);
    w.interval = 1 + (int64_t)prng_below(prng, 10);
    w.beta = 20000 + 20000 * (uint32_t)prng_below(prng, 4);
    w.message_rate = 30000 * (uint32_t)prng_below(prng, 4);
    w.duration = 20 + (int64_t)prng_below(prng, 200);
    w.seed = prng_next(prng);
    return w;
}

TEST(a_stream_has_the_answers_of_the_whole)
{
    struct prng prng;
    uint64_t groups[CUT_YES + 1] = {0};
    prng_init(&prng, 21);
    for (uint64_t i = 0; i < test_count(1500, 100000); i++) {
        const struct workload w = random_workload(&prng);
        struct trace t;
        struct trace shuffled;
        trace_init(&t);
        workload_run(&w, &t);
        shuffle(&t, 1 + (uint32_t)prng_below(&prng, 30), &prng, &shuffled);
        struct spec s = spec_of(properties[i % PROPERTY_COUNT]);
        const struct stream_options o = {
            .skew = w.skew,
            .lag = INT64_MAX,
            .knows_processes = true,
            .check_events = prng_below(&prng, 2) == 0 ? 1 + prng_below(&prng, 40) : 0,
            .check_ticks = (int64_t)prng_below(&prng, 40)};
        const struct monitor_answer wanted =
            monitored(&t, &s, &(struct monitor_options){.skew = w.skew}, NULL);
        const struct streamed got = streamed(&shuffled, &s, &o, NULL);
        /* While a variable was not reported yet, nobody knows whether it will be. */
        const bool is_open = strstr(properties[i % PROPERTY_COUNT], ".w") != NULL &&
                             got.answer.verdict == CUT_UNKNOWN && wanted.verdict == CUT_NO;
        if ((got.answer.verdict != wanted.verdict && !is_open) ||
            got.finding_count != (wanted.verdict == CUT_YES)) {
            fail_msg("round %llu, %s: %d in a stream, %d on the whole", (unsigned long long)i,
                     properties[i % PROPERTY_COUNT], (int)got.answer.verdict, (int)wanted.verdict);
        }
        groups[got.answer.verdict]++;
        shuffle_release(&shuffled);
        trace_release(&t);
        spec_release(&s);
    }
    print_message("# %llu unknown, %llu no, %llu yes\n", (unsigned long long)groups[CUT_UNKNOWN],
                  (unsigned long long)groups[CUT_NO], (unsigned long long)groups[CUT_YES]);
    CHECK(groups[CUT_YES] > 0);
    CHECK(groups[CUT_NO] > 0);
    CHECK(groups[CUT_UNKNOWN] > 0);
}

/* Held are the reports within the skew and until the next check, however long the run. */
TEST(what_is_held_does_not_grow_with_the_run)
{
    static const char *const long_properties[] = {"p: never forall p. p.v = 2",
                                                  "p: never count(p: p.v = 1) >= 11",
                                                  "p: never forall p. p.v = 1"};
    for (size_t i = 0; i < sizeof long_properties / sizeof *long_properties; i++) {
        uint64_t held[2] = {0};
        for (size_t k = 0; k < 2; k++) {
            struct workload w = workload_default(WORKLOAD_SYNTHETIC);
            struct trace t;
            w.skew = 100;
            w.duration = k == 0 ? 2000 : 20000;
            trace_init(&t);
            workload_run(&w, &t);
            struct spec s = spec_of(long_properties[i]);
            const struct stream_options o = {
                .skew = w.skew, .lag = INT64_MAX, .knows_processes = true, .check_ticks = 100};
            held[k] = streamed(&t, &s, &o, NULL).stats.held_max;
            CHECK(held[k] < t.events.count);
            trace_release(&t);
            spec_release(&s);
        }
        CHECK(held[1] < 2 * held[0]);
    }
}
