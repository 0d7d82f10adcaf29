/* Cuts: the least and the best against a walk through all of them. */
#include "monitor/offline/cuts.h"

#include "base/vec.h"
#include "monitor/offline/time_partition.h"
#include "test.h"
#include "wire/prng.h"

enum { PROCESSES_MAX = 4, REPORTS_MAX = 5, NEEDS_MAX = 2 };

/* A random history that fits on the stack. */
struct history {
    struct cuts cuts;
    uint32_t first[PROCESSES_MAX + 1];
    int64_t time[PROCESSES_MAX * REPORTS_MAX];
    uint32_t process[PROCESSES_MAX * REPORTS_MAX];
    uint32_t need_first[PROCESSES_MAX * REPORTS_MAX + 1];
    uint32_t needs[PROCESSES_MAX * REPORTS_MAX * NEEDS_MAX];
    uint8_t allowed[PROCESSES_MAX * (REPORTS_MAX + 1)];
    int64_t gain[PROCESSES_MAX * (REPORTS_MAX + 1)];
};

static void make_needs(struct history *h, struct prng *prng)
{
    const uint32_t count = h->first[h->cuts.process_count];
    uint32_t need_count = 0;
    for (uint32_t r = 0; r < count; r++) {
        h->need_first[r] = need_count;
        for (uint32_t k = (uint32_t)prng_below(prng, UINT64_C(3) * NEEDS_MAX); k < NEEDS_MAX; k++) {
            const uint32_t other = (uint32_t)prng_below(prng, count);
            if (h->process[other] != h->process[r]) {
                h->needs[need_count++] = other;
            }
        }
    }
    h->need_first[count] = need_count;
}

static void make_history(struct history *h, struct prng *prng)
{
    *h = (struct history){0};
    const uint32_t processes = 1 + (uint32_t)prng_below(prng, PROCESSES_MAX);
    const uint64_t span = 1 + prng_below(prng, 8);
    uint32_t count = 0;
    for (uint32_t p = 0; p < processes; p++) {
        h->first[p] = count;
        int64_t time = -(int64_t)prng_below(prng, span);
        for (uint64_t left = prng_below(prng, REPORTS_MAX + 1); left > 0; left--) {
            time += (int64_t)prng_below(prng, span);
            h->time[count] = time;
            h->process[count++] = p;
        }
    }
    h->first[processes] = count;
    h->cuts = (struct cuts){.process_count = processes,
                            .first = h->first,
                            .time = h->time,
                            .process = h->process,
                            .need_first = h->need_first,
                            .needs = h->needs,
                            .skew = (int64_t)prng_below(prng, 2 * span)};
    make_needs(h, prng);
    for (uint32_t i = 0; i < cuts_state_count(&h->cuts); i++) {
        h->allowed[i] = prng_below(prng, 3) == 0;
        h->gain[i] = prng_below(prng, 6) == 0 ? CUTS_FORBIDDEN : (int64_t)prng_below(prng, 7) - 3;
    }
}

/* The next combination of states, whether it is a cut or not. */
static bool next_combination(const struct cuts *c, uint32_t *taken)
{
    for (uint32_t p = 0; p < c->process_count; p++) {
        if (taken[p] < c->first[p + 1] - c->first[p]) {
            taken[p]++;
            return true;
        }
        taken[p] = 0;
    }
    return false;
}

/* By the definition: with every report, all that is before it. */
static bool is_cut(const struct cuts *c, const uint32_t *taken)
{
    const uint32_t count = cuts_report_count(c);
    bool is = true;
    for (uint32_t r = 0; r < count; r++) {
        const uint32_t p = c->process[r];
        const bool is_in = r < c->first[p] + taken[p];
        for (uint32_t n = c->need_first[r]; is_in && n < c->need_first[r + 1]; n++) {
            const uint32_t other = c->process[c->needs[n]];
            is = is && c->needs[n] < c->first[other] + taken[other];
        }
        for (uint32_t out = 0; is_in && out < count; out++) {
            const bool is_out = out >= c->first[c->process[out]] + taken[c->process[out]];
            is = is && !(is_out && c->time[r] - c->time[out] > c->skew);
        }
    }
    CHECK_INT(cuts_is_consistent(c, taken), is);
    return is;
}

static bool is_allowed(const struct history *h, const uint32_t *taken)
{
    bool is = true;
    for (uint32_t p = 0; p < h->cuts.process_count; p++) {
        is = is && h->allowed[cuts_state(&h->cuts, p, taken[p])] != 0;
    }
    return is;
}

/* False when a state is forbidden. */
static bool sum_of(const struct history *h, const uint32_t *taken, int64_t *sum)
{
    *sum = 0;
    for (uint32_t p = 0; p < h->cuts.process_count; p++) {
        const int64_t gain = h->gain[cuts_state(&h->cuts, p, taken[p])];
        if (gain == CUTS_FORBIDDEN) {
            return false;
        }
        *sum += gain;
    }
    return true;
}

static bool walk_least(const struct history *h, uint32_t *least)
{
    uint32_t taken[PROCESSES_MAX] = {0};
    bool is_found = false;
    do {
        if (!is_allowed(h, taken) || !is_cut(&h->cuts, taken)) {
            continue;
        }
        for (uint32_t p = 0; p < h->cuts.process_count; p++) {
            least[p] = is_found && least[p] < taken[p] ? least[p] : taken[p];
        }
        is_found = true;
    } while (next_combination(&h->cuts, taken));
    return is_found;
}

static bool walk_most(const struct history *h, int64_t *most)
{
    uint32_t taken[PROCESSES_MAX] = {0};
    bool is_found = false;
    do {
        int64_t sum = 0;
        if (sum_of(h, taken, &sum) && is_cut(&h->cuts, taken)) {
            *most = is_found && *most > sum ? *most : sum;
            is_found = true;
        }
    } while (next_combination(&h->cuts, taken));
    return is_found;
}

TEST(the_least_cut_is_the_meet_of_all_that_are_allowed)
{
    struct prng prng;
    prng_init(&prng, 1);
    struct arena scratch = {0};
    uint64_t found = 0;
    const uint64_t count = test_count(20000, 1000000);
    for (uint64_t i = 0; i < count; i++) {
        struct history h;
        make_history(&h, &prng);
        uint32_t wanted[PROCESSES_MAX] = {0};
        uint32_t got[PROCESSES_MAX] = {0};
        const bool is_there = walk_least(&h, wanted);
        CHECK_INT(cuts_least(&h.cuts, h.allowed, got, &scratch), is_there);
        for (uint32_t p = 0; is_there && p < h.cuts.process_count; p++) {
            CHECK_INT(got[p], wanted[p]);
        }
        found += is_there;
    }
    CHECK(found > count / 10);
    CHECK(found < count - count / 10);
    arena_release(&scratch);
}

TEST(the_best_cut_has_the_largest_sum_of_all)
{
    struct prng prng;
    prng_init(&prng, 2);
    struct arena scratch = {0};
    const uint64_t count = test_count(20000, 1000000);
    uint64_t found = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct history h;
        make_history(&h, &prng);
        int64_t most = 0;
        const bool is_there = walk_most(&h, &most);
        const uint32_t window = (uint32_t)prng_below(&prng, 4);
        const struct cuts_wanted all = {
            .gain = h.gain, .least = INT64_MIN, .wants_most = true, .window_min = window};
        int64_t sum = 0;
        int64_t recounted = 0;
        uint32_t taken[PROCESSES_MAX] = {0};
        CHECK_INT(cuts_most(&h.cuts, &all, &sum, taken, &scratch), is_there);
        if (is_there) {
            CHECK_INT(sum, most);
            CHECK(cuts_is_consistent(&h.cuts, taken));
            CHECK(sum_of(&h, taken, &recounted));
            CHECK_INT(recounted, most);
            const struct cuts_wanted more = {
                .gain = h.gain, .least = most + 1, .window_min = window};
            CHECK(!cuts_most(&h.cuts, &more, &sum, taken, &scratch));
            const struct cuts_wanted enough = {
                .gain = h.gain, .least = most - 1, .window_min = window};
            CHECK(cuts_most(&h.cuts, &enough, &sum, taken, &scratch));
            CHECK(sum >= most - 1);
        }
        found += is_there;
    }
    CHECK(found > count / 2);
    arena_release(&scratch);
}

/* A search that the limit ends finds nothing, and the watch says that this is no answer. */
TEST(a_limit_ends_the_search_for_the_best_cut)
{
    struct prng prng;
    prng_init(&prng, 3);
    struct arena scratch = {0};
    const struct limit spent = {.time_ns = 1, .begin_ns = 1};
    for (int i = 0; i < 100; i++) {
        struct history h;
        make_history(&h, &prng);
        struct limit_watch watch = {.limit = &spent};
        const struct cuts_wanted any = {.gain = h.gain, .least = INT64_MIN, .watch = &watch};
        int64_t sum = 0;
        uint32_t taken[PROCESSES_MAX] = {0};
        CHECK(!cuts_most(&h.cuts, &any, &sum, taken, &scratch));
        CHECK(watch.is_over);
    }
    arena_release(&scratch);
}

/* From what has no time to the end of all times: no time is between the parts, nor any left over.
 */
TEST(the_best_cut_is_found_over_the_whole_range_of_times)
{
    struct arena scratch = {0};
    static const uint32_t first[] = {0, 1, 2};
    static const int64_t time[] = {INT64_MIN, INT64_MAX};
    static const uint32_t process[] = {0, 1};
    static const uint32_t need_first[] = {0, 0, 0};
    static const int64_t gain[] = {0, 1, 0, 1};
    for (int64_t skew = 0; skew < 3; skew++) {
        const struct cuts c = {.process_count = 2,
                               .first = first,
                               .time = time,
                               .process = process,
                               .need_first = need_first,
                               .skew = skew};
        const struct cuts_wanted wanted = {.gain = gain, .least = 2};
        int64_t sum = 0;
        uint32_t taken[2] = {0};
        CHECK(cuts_most(&c, &wanted, &sum, taken, &scratch));
        CHECK_INT(sum, 2);
    }
    arena_release(&scratch);
}

/* The part with the time of the cut's latest report, and no later one, has it. */
static bool is_in_some_part(const struct cuts *c, uint32_t report_count, const uint32_t *taken,
                            struct arena *a)
{
    struct time_partition partition;
    bool is_in = false;
    time_partition_init(&partition, c, report_count, a);
    while (!is_in && time_partition_next(&partition)) {
        is_in = true;
        for (uint32_t p = 0; p < c->process_count; p++) {
            is_in = is_in && partition.low[p] <= taken[p] && taken[p] <= partition.high[p];
        }
    }
    time_partition_release(&partition);
    return is_in;
}

TEST(parts_of_a_run_have_all_its_cuts)
{
    struct prng prng;
    prng_init(&prng, 3);
    for (uint64_t i = test_count(300, 100000); i > 0; i--) {
        struct history h;
        struct arena arena = {0};
        make_history(&h, &prng);
        h.cuts.skew = i % 10 == 0 ? INT64_MAX : h.cuts.skew;
        uint32_t taken[PROCESSES_MAX] = {0};
        do {
            if (cuts_is_consistent(&h.cuts, taken)) {
                CHECK(is_in_some_part(&h.cuts, 1 + (uint32_t)(i % 4), taken, &arena));
            }
        } while (next_combination(&h.cuts, taken));
        arena_release(&arena);
    }
}

TEST(parts_are_much_smaller_than_a_long_run)
{
    enum { COUNT = 10000, PART = 20 };
    static int64_t time[COUNT];
    static uint32_t process[COUNT];
    static uint32_t need_first[COUNT + 1];
    const uint32_t first[] = {0, COUNT / 2, COUNT};
    struct arena arena = {0};
    for (uint32_t r = 0; r < COUNT; r++) {
        time[r] = (int64_t)r % (COUNT / 2) * 100;
        process[r] = r / (COUNT / 2);
    }
    const struct cuts c = {.process_count = 2,
                           .first = first,
                           .time = time,
                           .process = process,
                           .need_first = need_first,
                           .skew = 500};
    struct time_partition partition;
    time_partition_init(&partition, &c, PART, &arena);
    uint32_t count = 0;
    while (time_partition_next(&partition)) {
        for (uint32_t p = 0; p < 2; p++) {
            CHECK(partition.high[p] - partition.low[p] <= PART / 2 + 500 / 100 + 1);
        }
        count++;
    }
    CHECK_INT(count, COUNT / PART + 1);
    time_partition_release(&partition);
    arena_release(&arena);
}
