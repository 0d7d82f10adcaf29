/* A search that is stopped early: its answers are those of the whole search, and all the rest
 * counts as unknown. */
#include "base/map.h"
#include "race/race.h"
#include "random_trace.h"
#include "test.h"

/* Every way through race_find. */
static const struct race_options ways[] = {
    {.model = RACE_STRICT},
    {.model = RACE_STRICT, .wants_pairs = true},
    {.model = RACE_STRICT, .via = RACE_VIA_NATIVE},
    {.model = RACE_SOUND},
    {.model = RACE_FEASIBLE},
    {.compat = RACE_COMPAT_SPIDER},
    {.compat = RACE_COMPAT_SPIDER_PAPER},
};

enum { WAYS = sizeof ways / sizeof *ways };

struct heard {
    struct map verdicts; /* of pairs; those of messages have their events the other way round */
    uint64_t told, unknown;
    uint64_t stop_after; /* candidates; then the wish is there */
    volatile sig_atomic_t wish;
};

static void hear(void *context, const struct race_decided *d)
{
    struct heard *h = context;
    map_put(&h->verdicts, map_pair(d->a, d->b) ^ (d->is_message ? UINT64_MAX : 0), d->verdict);
    h->told++;
    h->unknown += d->verdict == RACE_UNKNOWN;
    h->wish = h->told >= h->stop_after;
}

struct result {
    struct race_stats stats;
    struct findings f;
};

static struct result find(const struct trace *t, const struct race_options *o)
{
    struct result r = {0};
    struct notes n = {0};
    struct err e = {0};
    if (race_find(t, o, &r.f, &r.stats, &n, &e) < 0) {
        fail_msg("%s", e.text);
    }
    notes_release(&n);
    return r;
}

/* The search, stopped after `stop` decided candidates. */
static struct result find_until(const struct trace *t, struct race_options o, uint64_t stop_after,
                                struct heard *h)
{
    *h = (struct heard){.stop_after = stop_after, .wish = stop_after == 0};
    const struct limit budget = {.is_stopped = &h->wish};
    o.budget = &budget;
    o.decided = hear;
    o.context = h;
    return find(t, &o);
}

static bool has_key(const struct findings *f, const char *key)
{
    vec_each (&f->list, finding) {
        if (strcmp(finding->key, key) == 0) {
            return true;
        }
    }
    return false;
}

static void check_part(const struct result *part, const struct heard *of_part,
                       const struct result *whole, const struct heard *of_whole)
{
    CHECK_INT(of_part->told, of_whole->told);
    CHECK_INT(part->stats.data_candidates, whole->stats.data_candidates);
    CHECK_INT(part->stats.message_candidates, whole->stats.message_candidates);
    CHECK(part->stats.unknown >= of_part->unknown);
    vec_each (&of_part->verdicts.entries, told) {
        const uint32_t *wanted = map_get(&of_whole->verdicts, told->key);
        CHECK(wanted != NULL);
        CHECK(told->value == RACE_UNKNOWN || told->value == *wanted);
    }
    vec_each (&part->f.list, finding) {
        CHECK(has_key(&whole->f, finding->key));
    }
    CHECK(part->stats.is_cut || part->stats.unknown == whole->stats.unknown);
}

/* Without a callback the rest is counted, not reported. */
static void check_counted(const struct trace *t, struct race_options o, const struct result *whole)
{
    volatile sig_atomic_t wish = 1;
    const struct limit budget = {.is_stopped = &wish};
    o.budget = &budget;
    struct result none = find(t, &o);
    const uint64_t candidates = whole->stats.data_candidates + whole->stats.message_candidates;
    CHECK_INT(none.stats.data_candidates, whole->stats.data_candidates);
    CHECK_INT(none.stats.message_candidates, whole->stats.message_candidates);
    /* The search for cycles of locks, ended early, is one more that is open. */
    CHECK(none.stats.unknown >= candidates);
    CHECK(none.stats.unknown <= candidates + 1);
    CHECK(none.stats.unknown == candidates || none.stats.is_cut);
    CHECK_INT(none.f.list.count, 0);
    CHECK(none.stats.is_cut || candidates == 0);
    findings_release(&none.f);
}

static void check_trace(const struct trace *t, struct prng *prng)
{
    for (size_t i = 0; i < WAYS; i++) {
        struct heard of_whole;
        struct heard of_part;
        struct result whole = find_until(t, ways[i], UINT64_MAX, &of_whole);
        const uint64_t stop_after = prng_below(prng, of_whole.told + 1);
        struct result part = find_until(t, ways[i], stop_after, &of_part);
        CHECK(!whole.stats.is_cut);
        check_part(&part, &of_part, &whole, &of_whole);
        check_counted(t, ways[i], &whole);
        map_release(&of_whole.verdicts);
        map_release(&of_part.verdicts);
        findings_release(&whole.f);
        findings_release(&part.f);
    }
}

TEST(a_search_that_is_ended_early_says_nothing_else)
{
    const uint64_t count = test_count(150, 10000);
    for (uint64_t seed = test_seed(); seed < test_seed() + count; seed++) {
        struct prng prng;
        struct trace t;
        prng_init(&prng, seed);
        const struct random_shape shape = random_shape(&prng, 12 + (uint32_t)prng_below(&prng, 60));
        random_trace(&t, &prng, &shape);
        check_trace(&t, &prng);
        trace_release(&t);
    }
}
