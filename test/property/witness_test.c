#include "race/witness/witness.h"

#include "race_slow.h"
#include "random_trace.h"
#include "test.h"
#include "trace_of.h"
#include "trace_text.h"

enum { EVENTS_MAX = SLOW_EVENTS_MAX };

static void make(struct trace *t, struct prng *prng, uint32_t size_max)
{
    const struct random_shape shape = random_shape(prng, 4 + (uint32_t)prng_below(prng, size_max));
    random_trace(t, prng, &shape);
    if (prng_below(prng, 5) == 0) {
        struct trace damaged;
        random_damage(&damaged, t, prng);
        trace_release(t);
        *t = damaged;
    }
}

/* ---- known answers ---- */

static struct err last_error;

static bool accepts(const char *text, bool is_message, struct rules_pair pair,
                    const event_id *order, size_t count)
{
    struct witness_checker *c = witness_checker_new(trace_of(text), NULL, 0);
    const struct witness w = {
        .is_message = is_message, .a = pair.a, .b = pair.b, .order = order, .count = count};
    last_error.text[0] = '\0';
    const int result = witness_check(c, &w, &last_error);
    witness_checker_free(c);
    return result == 0;
}

#define DATA(text, a, b, ...)                                                              \
    accepts(text, false, (struct rules_pair){a, b}, (const event_id[]){__VA_ARGS__, a, b}, \
            sizeof((const event_id[]){__VA_ARGS__, a, b}) / sizeof(event_id))

TEST(a_prefix_that_ends_in_both_accesses_is_a_witness)
{
    const char *text = "A acq m; A rel m; A w x; B acq m; B rel m; B w x";
    CHECK(DATA(text, 2, 5, 0, 1, 3, 4));
    CHECK(DATA(text, 2, 5, 3, 4, 0, 1));
    CHECK(DATA(text, 5, 2, 3, 4, 0, 1));
}

TEST(what_breaks_the_rules_is_refused_with_the_event)
{
    const char *text = "A acq m; A rel m; A w x; B acq m; B rel m; B w x";
    CHECK(!DATA(text, 2, 5, 0, 1, 3));
    CHECK_TEXT(last_error.text,
               "event 5 (write of B@): the event before it in its task has not happened");
    CHECK(!DATA(text, 2, 5, 0, 3, 4, 1));
    CHECK_TEXT(last_error.text, "event 3 (lock of B@): another task holds the lock");
    CHECK(!DATA(text, 2, 5, 0, 1, 1, 3, 4));
    CHECK(!DATA(text, 2, 5, 0, 1, 3, 4, 17));
    CHECK(!DATA(text, 2, 4, 0, 1, 3));
    CHECK(!accepts(text, false, (struct rules_pair){2, 5}, (event_id[]){0, 1, 2}, 3));
    CHECK(!accepts(text, true, (struct rules_pair){2, 5}, (event_id[]){5}, 1));
}

TEST(a_read_must_see_its_write)
{
    const char *text = "A w flag; B r flag; B w x; A w x";
    CHECK(DATA(text, 2, 3, 0, 1));
    CHECK(!DATA(text, 2, 3, 1, 0));
    CHECK_TEXT(last_error.text,
               "event 1 (read of B@): it would not read the value that it read in the trace");
    CHECK(DATA("A w x; B r x", 0, 1, 0) == false);
    CHECK(accepts("A w x; B r x", false, (struct rules_pair){0, 1}, (event_id[]){1, 0}, 2));
}

TEST(the_later_message_must_be_sent_when_the_earlier_is_received)
{
    const char *text = "A snd c msg=a; B snd d msg=b; C rcv c msg=a; C rcv d msg=b";
    const struct rules_pair pair = {1, 2};
    CHECK(accepts(text, true, pair, (event_id[]){0, 1, 2}, 3));
    CHECK(!accepts(text, true, pair, (event_id[]){0, 2}, 2));
    CHECK(!accepts(text, true, pair, (event_id[]){1, 2}, 2));
    CHECK(!accepts(text, true, pair, (event_id[]){0, 1}, 2));
}

TEST(an_edge_from_outside_is_kept)
{
    const struct trace *t = trace_of("A w x; B w x");
    const struct witness_edge edge = {.before = 0, .after = 1};
    struct witness_checker *c = witness_checker_new(t, &edge, 1);
    const struct witness w = {.a = 0, .b = 1, .order = (event_id[]){0, 1}, .count = 2};
    CHECK(witness_check(c, &w, &last_error) < 0);
    witness_checker_free(c);
}

/* ---- against the walk over states ---- */

/* A trace with its rules and its checker. */
struct subject {
    uint64_t seed;
    struct prng prng;
    struct trace t;
    struct rules r;
    struct witness_checker *c;
    uint64_t tried, accepted;
};

static void subject_init(struct subject *s, uint64_t seed, uint32_t size_max)
{
    s->seed = seed;
    prng_init(&s->prng, seed);
    make(&s->t, &s->prng, size_max);
    rules_read(&s->r, &s->t);
    s->c = witness_checker_new(&s->t, NULL, 0);
}

static void subject_release(struct subject *s)
{
    witness_checker_free(s->c);
    rules_release(&s->r);
    trace_release(&s->t);
}

static bool is_accepted(struct subject *s, struct slow_claim claim, const event_id *order,
                        size_t count)
{
    const struct witness w = {.is_message = claim.is_message,
                              .a = claim.pair.a,
                              .b = claim.pair.b,
                              .order = order,
                              .count = count};
    last_error.text[0] = '\0';
    const bool answer = witness_check(s->c, &w, &last_error) == 0;
    s->tried++;
    s->accepted += answer;
    return answer;
}

static void fail_on(const struct subject *s, struct slow_claim claim, const event_id *order,
                    size_t count)
{
    print_message("# checker: %s\n# order:", last_error.text);
    for (size_t i = 0; i < count; i++) {
        print_message(" %u", order[i]);
    }
    print_message("\n");
    fail_msg("seed %llu, events %u and %u\n%s", (unsigned long long)s->seed, claim.pair.a,
             claim.pair.b, trace_text(&s->t));
}

/* The n-th candidate: data races first, then message races. */
static struct slow_claim claim_at(const struct rules *r, size_t n)
{
    if (n < r->data_candidates.count) {
        return (struct slow_claim){.pair = r->data_candidates.at[n]};
    }
    return (struct slow_claim){.is_message = true,
                               .pair = r->message_candidates.at[n - r->data_candidates.count]};
}

static void check_found(struct subject *s, struct slow_claim claim)
{
    struct arena arena = {0};
    size_t count = 0;
    const event_id *order = slow_witness(&s->r, SLOW_FEASIBLE, claim, &arena, &count);
    if (order != NULL) {
        CHECK(slow_is_witness(&s->r, claim, order, count));
        if (!is_accepted(s, claim, order, count)) {
            fail_on(s, claim, order, count);
        }
    }
    arena_release(&arena);
}

TEST(the_checker_accepts_what_the_walk_over_states_finds)
{
    struct subject s = {0};
    const uint64_t traces = test_count(200, 10000);
    for (uint64_t seed = 0; seed < traces; seed++) {
        subject_init(&s, seed, 16);
        const size_t count = s.r.data_candidates.count + s.r.message_candidates.count;
        for (size_t i = 0; i < 3 && count > 0 && s.r.dropped == 0; i++) {
            check_found(&s, claim_at(&s.r, (size_t)prng_below(&s.prng, count)));
        }
        subject_release(&s);
    }
    print_message("# %llu witnesses accepted\n", (unsigned long long)s.accepted);
    CHECK(s.accepted > traces / 4);
}

static bool sources_are_in(const rules_edges *edges, event_id id, const bool *is_in)
{
    vec_each (edges, edge) {
        if (edge->to == id && !is_in[edge->from]) {
            return false;
        }
    }
    return true;
}

/* One that program order, and unless `is_loose` the edges, allow next; mostly the first listed, so
 * that other rules often hold. */
static event_id random_next(const struct rules *r, const bool *is_in, bool is_loose,
                            struct prng *prng)
{
    const uint64_t hurry = 2 + prng_below(prng, 6);
    event_id chosen = EVENT_NONE;
    for (event_id id = 0; id < r->count; id++) {
        if (is_in[id] || !sources_are_in(&r->program, id, is_in) ||
            (!is_loose && !sources_are_in(&r->cross, id, is_in))) {
            continue;
        }
        chosen = id;
        if (prng_below(prng, hurry) != 0) {
            break;
        }
    }
    return chosen;
}

/* Some events in an order that is often, not always, possible, and then the claim. */
static size_t random_order(const struct rules *r, struct slow_claim claim, struct prng *prng,
                           event_id *order)
{
    const bool is_loose = prng_below(prng, 3) == 0;
    bool is_in[EVENTS_MAX] = {false};
    size_t count = 0;
    for (size_t steps = (size_t)prng_below(prng, r->count + 1); steps > 0; steps--) {
        const event_id id = random_next(r, is_in, is_loose, prng);
        if (id != EVENT_NONE && id != claim.pair.b && (claim.is_message || id != claim.pair.a)) {
            is_in[id] = true;
            order[count++] = id;
        }
    }
    if (!claim.is_message) {
        order[count++] = claim.pair.a;
    }
    order[count++] = claim.pair.b;
    return count;
}

static void check_random_order(struct subject *s, struct slow_claim claim)
{
    event_id order[EVENTS_MAX + 2];
    const size_t count = random_order(&s->r, claim, &s->prng, order);
    if (is_accepted(s, claim, order, count) != slow_is_witness(&s->r, claim, order, count)) {
        fail_on(s, claim, order, count);
    }
}

TEST(the_checker_accepts_an_order_only_if_the_walk_over_states_does)
{
    struct subject s = {0};
    for (uint64_t seed = 0; seed < test_count(6000, 50000); seed++) {
        subject_init(&s, seed, 24);
        const size_t count = s.r.data_candidates.count + s.r.message_candidates.count;
        const bool is_fit = count > 0 && s.r.dropped == 0 && s.r.count <= EVENTS_MAX;
        for (size_t i = 0; i < 20 && is_fit; i++) {
            check_random_order(&s, claim_at(&s.r, (size_t)prng_below(&s.prng, count)));
        }
        subject_release(&s);
    }
    print_message("# %llu orders, %llu accepted\n", (unsigned long long)s.tried,
                  (unsigned long long)s.accepted);
    CHECK(s.accepted > s.tried / 10);
    CHECK(s.tried - s.accepted > s.tried / 10);
}
