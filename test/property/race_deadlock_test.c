/* Predicted deadlocks equal their definition, followed by brute force. */
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "race/deadlock/deadlock_prefix.h"
#include "race_slow.h"
#include "random_trace.h"
#include "shrink.h"
#include "test.h"
#include "trace_of.h"
#include "trace_text.h"

struct race_groups {
    bool is_exact_for_cuts; /* the trace has no handlers and no waits */
    uint64_t candidates, shown, feasible, long_cycles;
    char difference[600];
};

struct fixture {
    struct arena arena;
    struct notes notes;
    struct hb hb, musts;
    struct rules rules;
    struct lock_graph graph;
    struct lock_cycles cycles;
    slow_deadlocks slow;
};

static void fixture_init(struct fixture *f, const struct trace *t)
{
    *f = (struct fixture){0};
    struct err e = {0};
    CHECK_INT(hb_build(&f->hb, t, &(struct hb_options){.scope = REACH_NONE}, &f->notes, &e), 0);
    CHECK_INT(hb_build(&f->musts, t, &(struct hb_options){.scope = REACH_ALL}, &f->notes, &e), 0);
    rules_read(&f->rules, t);
    lock_graph_build(&f->graph, t, &f->hb.sections, NULL);
    lock_cycles_find(&f->cycles, &f->graph, NULL);
    lock_cycles_drop_ordered(&f->cycles, &f->musts, NULL);
    slow_find_deadlocks(&f->rules, &f->slow);
}

static void fixture_release(struct fixture *f)
{
    vec_release(&f->slow);
    lock_cycles_release(&f->cycles);
    lock_graph_release(&f->graph);
    rules_release(&f->rules);
    hb_release(&f->musts);
    hb_release(&f->hb);
    notes_release(&f->notes);
    arena_release(&f->arena);
}

/* ---- sets of cycles, as texts ---- */

static void add_fast(struct fixture *f, const struct lock_cycle *cycle, struct names *set)
{
    event_id requests[SLOW_TASKS_MAX];
    for (uint32_t i = 0; i < cycle->count; i++) {
        requests[i] = lock_cycle_event(&f->cycles, cycle, i);
    }
    (void)names_intern_text(set, slow_deadlock_text(&f->rules, requests, cycle->count, &f->arena));
}

static void add_slow(struct fixture *f, bool is_reached_only, struct names *set)
{
    vec_each (&f->slow, d) {
        if (d->is_reached || !is_reached_only) {
            (void)names_intern_text(
                set, slow_deadlock_text(&f->rules, d->requests, d->count, &f->arena));
        }
    }
}

/* A sentence about an element of a that b lacks, in the arena; false if there is none. */
static bool has_more(const struct names *a, const struct names *b, const char *what,
                     struct race_groups *groups)
{
    for (uint32_t i = 1; i < a->list.count; i++) {
        if (names_find(b, a->list.at[i].text, a->list.at[i].size) == 0) {
            (void)snprintf(groups->difference, sizeof groups->difference, "%s: %s", what,
                           a->list.at[i].text);
            return true;
        }
    }
    return false;
}

/* ---- comparing ---- */

static bool candidates_differ(struct fixture *f, struct race_groups *groups)
{
    struct names fast;
    struct names slow;
    names_init(&fast);
    names_init(&slow);
    vec_each (&f->cycles.list, cycle) {
        add_fast(f, cycle, &fast);
        groups->long_cycles += cycle->count > 2;
    }
    add_slow(f, false, &slow);
    groups->candidates += f->cycles.list.count;
    const bool differ = f->cycles.is_incomplete || fast.list.count != f->cycles.list.count + 1 ||
                        has_more(&fast, &slow, "no candidate", groups) ||
                        has_more(&slow, &fast, "a candidate is missing", groups);
    names_release(&fast);
    names_release(&slow);
    return differ;
}

static bool cuts_differ(struct fixture *f, struct deadlock_prover *p, struct race_groups *groups)
{
    if (!slow_reach_deadlocks(&f->rules, SLOW_SYNC_PRESERVING, &f->slow)) {
        return false;
    }
    struct names fast;
    struct names slow;
    names_init(&fast);
    names_init(&slow);
    bool differ = false;
    vec_each (&f->cycles.list, cycle) {
        if (deadlock_show(p, cycle)) {
            add_fast(f, cycle, &fast);
            groups->shown++;
            deadlock_check(p);
            if (!deadlock_is_proved(p, cycle) && sound_is_certain(&f->hb)) {
                (void)snprintf(groups->difference, sizeof groups->difference,
                               "a witness is refused");
                differ = true;
            }
        }
    }
    add_slow(f, true, &slow);
    if (sound_is_certain(&f->hb)) {
        differ = differ || has_more(&fast, &slow, "not sync-preserving", groups) ||
                 (groups->is_exact_for_cuts &&
                  has_more(&slow, &fast, "sync-preserving, but not shown", groups));
    }
    names_release(&fast);
    names_release(&slow);
    return differ;
}

static bool slices_differ(struct fixture *f, struct deadlock_prover *p, struct race_groups *groups)
{
    if (!slow_reach_deadlocks(&f->rules, SLOW_FEASIBLE, &f->slow)) {
        return false;
    }
    struct names fast;
    struct names slow;
    sound_order order = {0};
    names_init(&fast);
    names_init(&slow);
    bool differ = false;
    vec_each (&f->cycles.list, cycle) {
        const enum race_verdict verdict = deadlock_decide(p, cycle, 1000, &order);
        if (verdict == RACE_YES) {
            add_fast(f, cycle, &fast);
        }
        if (verdict == RACE_UNKNOWN && sound_is_certain(&f->hb)) {
            (void)snprintf(groups->difference, sizeof groups->difference, "undecided");
            differ = true;
        }
        groups->feasible += verdict == RACE_YES;
    }
    add_slow(f, true, &slow);
    differ =
        differ || has_more(&fast, &slow, "not feasible", groups) ||
        (sound_is_certain(&f->hb) && has_more(&slow, &fast, "feasible, but not found", groups));
    vec_release(&order);
    names_release(&fast);
    names_release(&slow);
    return differ;
}

static bool is_wrong(const struct trace *t, void *context)
{
    struct race_groups *groups = context;
    struct fixture f;
    fixture_init(&f, t);
    struct deadlock_prover *p =
        deadlock_prover_new(&f.hb, &f.cycles, &(struct feasible_options){0});
    const bool wrong =
        candidates_differ(&f, groups) || cuts_differ(&f, p, groups) || slices_differ(&f, p, groups);
    deadlock_prover_free(p);
    fixture_release(&f);
    return wrong;
}

/* ---- traces in which locks are nested ---- */

enum { TASKS_MAX = 4, LOCKS_MAX = 4, BLOCKS_MAX = 6, BLOCK_LOCKS_MAX = 3 };

/* Tasks take turns with blocks, so that the list is an execution whatever the blocks do: locks
 * taken in any order, in any mode, at few places, and released; between them accesses, waits,
 * messages with and without handlers, creation and join. */
struct nested {
    struct prng *prng;
    bool has_handlers, has_waits;
    uint32_t task_count, lock_count;
    bool is_created[TASKS_MAX];
    bool is_joined[TASKS_MAX];
    uint32_t message_count;
    char text[4000];
    size_t used;
};

static bool one_in(struct nested *n, uint64_t count)
{
    return prng_below(n->prng, count) == 0;
}

static uint32_t below(struct nested *n, uint32_t count)
{
    return (uint32_t)prng_below(n->prng, count);
}

#define SAY(n, ...) \
    ((n)->used += (size_t)snprintf((n)->text + (n)->used, sizeof(n)->text - (n)->used, __VA_ARGS__))

static void say_access(struct nested *n, uint32_t task)
{
    if (one_in(n, 3)) {
        SAY(n, "T%u %s x%u; ", task, one_in(n, 2) ? "r" : "w", below(n, 2));
    }
}

/* Another task wakes the one that waits for the condition of this lock. */
static void say_wait(struct nested *n, uint32_t task, uint32_t lock)
{
    const uint32_t other = (task + 1) % n->task_count;
    if (!n->has_waits || !n->is_created[other] || n->is_joined[other] || !one_in(n, 3)) {
        return;
    }
    SAY(n, "T%u wait c lock=m%u; T%u %s c; T%u woken c lock=m%u @w%u; ", task, lock, other,
        one_in(n, 2) ? "notify" : "notify-all", task, lock, below(n, 2));
}

/* Up to three locks, nested; sometimes the first again. */
static void say_locks(struct nested *n, uint32_t task)
{
    uint32_t locks[BLOCK_LOCKS_MAX];
    const uint32_t count = 1 + below(n, BLOCK_LOCKS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        static const char *const modes[] = {"mutex", "read", "write", "try-mutex", "try-read"};
        bool is_taken = false;
        locks[i] = below(n, n->lock_count);
        for (uint32_t k = 0; k < i; k++) {
            is_taken |= locks[k] == locks[i];
        }
        const uint32_t mode = is_taken || one_in(n, 2) ? 0 : below(n, 5);
        SAY(n, "T%u acq m%u @p%u mode=%s; ", task, locks[i], below(n, 2), modes[mode]);
        say_access(n, task);
    }
    if (count > 1) {
        say_wait(n, task, locks[below(n, count)]);
    }
    for (uint32_t i = count; i-- > 0;) {
        SAY(n, "T%u rel m%u; ", task, locks[i]);
    }
}

/* The beginning of the task, and the cause of its block: none, or a message. */
static void say_block(struct nested *n, uint32_t task)
{
    if (n->is_joined[task]) {
        return;
    }
    if (!n->is_created[task]) {
        SAY(n, "T0 fork T%u; T%u begin; ", task, task);
        n->is_created[task] = true;
    }
    const bool is_message = one_in(n, 4);
    const bool is_handler = is_message && n->has_handlers && one_in(n, 2);
    if (is_message) {
        const uint32_t message = n->message_count++;
        SAY(n, "T0 snd u msg=k%u mode=udp; T%u rcv u msg=k%u mode=udp; ", message, task, message);
    }
    say_access(n, task);
    if (is_handler) {
        SAY(n, "T%u hb u; ", task);
    }
    say_locks(n, task);
    if (is_handler) {
        SAY(n, "T%u he u; ", task);
    }
    if (task != 0 && one_in(n, 6)) {
        SAY(n, "T%u end; T0 join T%u; ", task, task);
        n->is_joined[task] = true;
    }
}

static struct trace *nested_trace(struct prng *prng, bool has_handlers, bool has_waits)
{
    struct nested n = {.prng = prng, .has_handlers = has_handlers, .has_waits = has_waits};
    n.task_count = 2 + below(&n, TASKS_MAX - 1);
    n.lock_count = 2 + below(&n, LOCKS_MAX - 1);
    for (uint32_t i = 0; i < n.task_count; i++) {
        n.is_created[i] = i == 0 || !one_in(&n, 3);
    }
    SAY(&n, "order exact; ");
    const uint32_t blocks = 2 + below(&n, BLOCKS_MAX - 1);
    for (uint32_t i = 0; i < blocks; i++) {
        say_block(&n, below(&n, n.task_count));
    }
    must(n.used < sizeof n.text);
    return trace_of(n.text);
}

/* ---- many ---- */

static void check_one(const struct trace *t, uint64_t seed, struct race_groups *groups)
{
    if (is_wrong(t, groups)) {
        struct trace small;
        trace_shrink(&small, t, is_wrong, groups);
        (void)is_wrong(&small, groups);
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, groups->difference,
                 trace_text(&small));
    }
}

static void finish(const struct race_groups *groups, uint64_t count)
{
    print_message("# %llu candidates (%llu of three tasks or more), %llu shown by cuts, %llu "
                  "feasible\n",
                  (unsigned long long)groups->candidates, (unsigned long long)groups->long_cycles,
                  (unsigned long long)groups->shown, (unsigned long long)groups->feasible);
    CHECK(groups->shown > count / 20);
    CHECK(groups->shown < groups->feasible);
    CHECK(groups->feasible < groups->candidates);
}

static void check_nested(uint64_t count, bool has_handlers, bool has_waits, bool is_damaged)
{
    struct race_groups groups = {.is_exact_for_cuts = !has_handlers && !has_waits && !is_damaged};
    for (uint64_t seed = test_seed(); seed < test_seed() + count; seed++) {
        struct prng prng;
        prng_init(&prng, seed);
        const struct trace *t = nested_trace(&prng, has_handlers, has_waits);
        if (is_damaged) {
            struct trace damaged;
            random_damage(&damaged, t, &prng);
            check_one(&damaged, seed, &groups);
            trace_release(&damaged);
        } else {
            check_one(t, seed, &groups);
        }
        trace_of_release();
    }
    finish(&groups, count);
}

TEST(candidates_cuts_and_slices_are_what_brute_force_says)
{
    check_nested(test_count(1500, 30000), false, false, false);
}

TEST(with_waits_nothing_false_is_shown_and_slices_miss_nothing)
{
    check_nested(test_count(800, 20000), false, true, false);
}

TEST(with_handlers_nothing_false_is_shown_and_slices_miss_nothing)
{
    check_nested(test_count(800, 20000), true, true, false);
}

TEST(on_damaged_traces_nothing_false_is_shown)
{
    check_nested(test_count(600, 20000), true, true, true);
}

/* Traces of all kinds, in which locks meet less often. */
TEST(random_traces_have_the_deadlocks_that_brute_force_finds)
{
    struct race_groups groups = {0};
    for (uint64_t seed = test_seed(); seed < test_seed() + test_count(400, 20000); seed++) {
        struct prng prng;
        struct trace t;
        prng_init(&prng, seed);
        struct random_shape shape = random_shape(&prng, 16 + (uint32_t)prng_below(&prng, 16));
        shape.features |= RANDOM_LOCK;
        shape.lock_count = 2;
        random_trace(&t, &prng, &shape);
        check_one(&t, seed, &groups);
        trace_release(&t);
    }
}
