/* The race engine against its slow twins, candidate by candidate. */
#include "race/race.h"

#include "base/map.h"
#include "race_slow.h"
#include "random_trace.h"
#include "shrink.h"
#include "test.h"
#include "trace_text.h"

/* ---- what the engine says, in the order of the rules' candidates ---- */

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
        const struct race_options o = {.decided = hear, .context = &said};
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
    for (uint64_t seed = 0; seed < count; seed++) {
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
