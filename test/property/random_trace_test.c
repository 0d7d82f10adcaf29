#include "random_trace.h"

#include "race_rules.h"
#include "test.h"
#include "trace/kind_table.h"
#include "trace_of.h"
#include "trace_text.h"

static void make(struct trace *t, uint64_t seed, uint32_t size_max)
{
    struct prng prng;
    prng_init(&prng, seed);
    const struct random_shape shape =
        random_shape(&prng, 4 + (uint32_t)prng_below(&prng, size_max));
    random_trace(t, &prng, &shape);
}

TEST(a_random_trace_is_an_execution)
{
    for (uint64_t seed = 0; seed < test_count(1000, 50000); seed++) {
        struct trace t;
        struct rules r;
        make(&t, seed, 40);
        rules_read(&r, &t);
        const char *broken = rules_broken_by_list(&r);
        if (broken != NULL) {
            fail_msg("seed %llu: %s:\n%s", (unsigned long long)seed, broken, trace_text(&t));
        }
        rules_release(&r);
        trace_release(&t);
    }
}

TEST(random_traces_hold_all_kinds_that_order_anything)
{
    static const uint16_t wanted[] = {
        EVENT_THREAD_CREATE,  EVENT_THREAD_START,  EVENT_THREAD_END,    EVENT_THREAD_JOIN,
        EVENT_LOCK,           EVENT_UNLOCK,        EVENT_WAIT_BEGIN,    EVENT_WAIT_END,
        EVENT_SIGNAL,         EVENT_BROADCAST,     EVENT_SEM_POST,      EVENT_SEM_WAIT,
        EVENT_BARRIER_ENTER,  EVENT_BARRIER_EXIT,  EVENT_ONCE,          EVENT_ATOMIC_LOAD,
        EVENT_ATOMIC_STORE,   EVENT_ATOMIC_RMW,    EVENT_READ,          EVENT_WRITE,
        EVENT_CONNECT,        EVENT_ACCEPT,        EVENT_SEND,          EVENT_RECV,
        EVENT_CLOSE,          EVENT_SHUTDOWN,      EVENT_HANDLER_BEGIN, EVENT_HANDLER_END,
        EVENT_HAPPENS_BEFORE, EVENT_HAPPENS_AFTER, EVENT_ONCE_BEGIN,
    };
    uint32_t counts[KIND_LIMIT] = {0};
    uint32_t served = 0;
    uint32_t messages = 0;
    uint32_t routines = 0;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        struct trace t;
        struct rules r;
        make(&t, seed, 30);
        rules_read(&r, &t);
        trace_each (&t, e) {
            counts[e->kind]++;
        }
        vec_each (&r.waits, w) {
            served += w->server != EVENT_NONE;
        }
        messages += r.message_candidates.count > 0;
        routines += r.routines.count > 0;
        rules_release(&r);
        trace_release(&t);
    }
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (counts[wanted[i]] < 10) {
            fail_msg("only %u events of kind %s", counts[wanted[i]], kind_of(wanted[i])->name);
        }
    }
    CHECK(served > 50);
    CHECK(messages > 50);
    CHECK(routines > 20);
}

TEST(the_same_seed_gives_the_same_trace)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct trace first;
        struct trace second;
        make(&first, seed, 40);
        make(&second, seed, 40);
        check_same_trace(&first, &second);
        trace_release(&first);
        trace_release(&second);
    }
}

TEST(a_printed_trace_reads_back_the_same)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct trace t;
        make(&t, seed, 40);
        check_same_trace(trace_of(trace_text(&t)), &t);
        trace_release(&t);
        trace_of_release();
    }
}

TEST(damage_changes_traces_and_breaks_some)
{
    uint32_t changed = 0;
    uint32_t broken = 0;
    for (uint64_t seed = 0; seed < 500; seed++) {
        struct trace t;
        struct trace damaged;
        struct prng prng;
        struct rules r;
        prng_init(&prng, seed);
        make(&t, seed, 30);
        random_damage(&damaged, &t, &prng);
        rules_read(&r, &damaged);
        changed += trace_difference(&damaged, &t) != NULL;
        broken += rules_broken_by_list(&r) != NULL;
        rules_release(&r);
        trace_release(&t);
        trace_release(&damaged);
    }
    CHECK(changed > 400);
    CHECK(broken > 5);
}
