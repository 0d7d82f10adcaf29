/* What other processes find out ahead of time is what would have been found out anyway. */
#include "minimize/engine/speculation.h"

#include "base/fault_injection.h"
#include "test.h"

enum { CANDIDATES = 5000, FRUITFUL_EVERY = 700 };

static struct glimpse outcome(uint32_t candidate)
{
    return (struct glimpse){.key = candidate + 1,
                            .steps = candidate % 97,
                            .steps_reused = candidate % 89,
                            .is_fruitless = candidate % FRUITFUL_EVERY != FRUITFUL_EVERY - 1};
}

/* Until there are workers: they begin after a while. */
static void wait_for_workers(struct speculation *f)
{
    while (!speculation_is_on(f)) {
        speculation_note(f, &(struct glimpse){.is_fruitless = true});
    }
}

/* A row of candidates as a stage has them; how many did not have to be run. */
static uint32_t go_through(struct speculation *f, uint32_t first)
{
    uint32_t known_count = 0;
    for (uint32_t i = first; i < CANDIDATES; i++) {
        const struct glimpse g = outcome(i);
        struct glimpse known = {0};
        if (!speculation_knows(f, g.key, &known)) {
            speculation_note(f, &g);
        } else if (!speculation_is_worker(f)) {
            CHECK(g.is_fruitless);
            CHECK_INT(known.steps, g.steps);
            CHECK_INT(known.steps_reused, g.steps_reused);
            known_count++;
        }
    }
    speculation_end(f);
    CHECK(!speculation_is_on(f));
    return known_count;
}

TEST(what_is_foreseen_is_what_comes)
{
    for (uint32_t processes = 2; processes <= 4; processes++) {
        struct speculation *f = speculation_new(processes);
        wait_for_workers(f);
        CHECK(go_through(f, 0) >= (FRUITFUL_EVERY - 1) / processes);
        speculation_free(f);
    }
}

/* Of two, the worker runs those with odd numbers, and all that are fruitful are. */
TEST(who_finds_what_is_fruitful_goes_on)
{
    struct speculation *f = speculation_new(2);
    wait_for_workers(f);
    CHECK_INT(go_through(f, 0), CANDIDATES / 2 - CANDIDATES / FRUITFUL_EVERY);
    speculation_free(f);
}

TEST(who_took_what_is_fruitful_for_fruitless_ends)
{
    struct speculation *f = speculation_new(2);
    struct glimpse known = {0};
    wait_for_workers(f);
    const bool is_worker = speculation_is_worker(f);
    uint64_t key = 1;
    /* NOLINTNEXTLINE(bugprone-infinite-loop): a worker ends with its parent. */
    while (is_worker) {
        if (!speculation_knows(f, key, &known)) {
            speculation_note(f, &(struct glimpse){.key = key, .is_fruitless = true});
        }
        key++;
    }
    CHECK(!speculation_knows(f, 1, &known));
    speculation_note(f, &(struct glimpse){.key = 1});
    CHECK(!speculation_is_on(f));
    speculation_free(f);
}

TEST(a_worker_that_goes_another_way_is_not_believed)
{
    struct speculation *f = speculation_new(2);
    struct glimpse known = {0};
    wait_for_workers(f);
    const bool is_worker = speculation_is_worker(f);
    const struct glimpse g = {.key = is_worker ? 1 : 2, .is_fruitless = true};
    /* NOLINTNEXTLINE(bugprone-infinite-loop): a worker ends with its parent. */
    while (is_worker) {
        if (!speculation_knows(f, g.key, &known)) {
            speculation_note(f, &g);
        }
    }
    CHECK(!speculation_knows(f, g.key, &known)); /* the leader's own */
    speculation_note(f, &g);
    CHECK(!speculation_knows(f, g.key, &known));
    CHECK(!speculation_is_on(f));
    speculation_free(f);
}

TEST(with_one_process_nothing_is_foreseen)
{
    struct glimpse known = {0};
    CHECK(speculation_new(1) == NULL);
    CHECK(!speculation_knows(NULL, 1, &known));
    speculation_note(NULL, &(struct glimpse){.is_fruitless = true});
    speculation_end(NULL);
    speculation_free(NULL);
}

/* Whatever fails, all candidates are gone through and those that matter are run by the leader. */
TEST(where_no_worker_can_be_made_or_heard_it_goes_on_alone)
{
    for (uint64_t call = 1; call <= 6; call++) {
        struct speculation *f = speculation_new(2);
        seam_arm(call);
        while (!speculation_is_on(f) && seam_countdown != 0) {
            speculation_note(f, &(struct glimpse){.is_fruitless = true});
        }
        (void)go_through(f, 0);
        CHECK(seam_disarm());
        speculation_free(f);
    }
}
