/* Marked regions: one pass with clocks against the graph of conflicts. */
#include "atomicity/region.h"

#include "random_trace.h"
#include "shrink.h"
#include "test.h"
#include "trace_text.h"
#include "wire/kind.h"

enum { EVENTS_MAX = 128 };

static void count_found(void *context, const struct region_found *f)
{
    uint64_t *count = context;
    CHECK(f->begin < f->event);
    ++*count;
}

/* ---- the slow way: a graph of regions ---- */

static bool is_write(const struct event *e)
{
    return e->kind == EVENT_WRITE;
}

/* Whether two events of different tasks, in this order, depend on each other. */
static bool depends(const struct event *a, const struct event *b)
{
    const bool is_a = a->kind == EVENT_READ || is_write(a);
    const bool is_b = b->kind == EVENT_READ || is_write(b);
    if (is_a && is_b) {
        return a->object == b->object && (is_write(a) || is_write(b));
    }
    return a->kind == EVENT_UNLOCK && b->kind == EVENT_LOCK && a->object == b->object;
}

/* The region of each event: its first event, itself outside of regions. */
static void find_regions(const struct trace *t, size_t *region_of)
{
    size_t begin[RANDOM_TASKS_MAX] = {0};
    size_t depth[RANDOM_TASKS_MAX] = {0};
    for (size_t i = 0; i < t->events.count; i++) {
        const struct event *e = &t->events.at[i];
        if (e->kind == EVENT_ATOMIC_BEGIN && depth[e->task]++ == 0) {
            begin[e->task] = i;
        }
        region_of[i] = depth[e->task] > 0 ? begin[e->task] : i;
        if (e->kind == EVENT_ATOMIC_END && depth[e->task] > 0) {
            depth[e->task]--;
        }
    }
}

static bool has_cycle(const struct trace *t)
{
    static bool reaches[EVENTS_MAX][EVENTS_MAX];
    static size_t region_of[EVENTS_MAX];
    const size_t count = t->events.count;
    memset(reaches, 0, sizeof reaches);
    find_regions(t, region_of);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; k < count; k++) {
            const struct event *a = &t->events.at[i];
            const struct event *b = &t->events.at[k];
            if (region_of[i] != region_of[k] && (a->task == b->task || depends(a, b))) {
                reaches[region_of[i]][region_of[k]] = true;
            }
        }
    }
    for (size_t middle = 0; middle < count; middle++) {
        for (size_t from = 0; from < count; from++) {
            for (size_t to = 0; reaches[from][middle] && to < count; to++) {
                reaches[from][to] |= reaches[middle][to];
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (reaches[i][i]) {
            return true;
        }
    }
    return false;
}

static bool differ(const struct trace *t, void *context)
{
    uint64_t *cyclic = context;
    uint64_t found = 0;
    if (t->events.count > EVENTS_MAX) {
        return false;
    }
    struct regions *r =
        regions_new(&t->tables, &(struct region_options){.found = count_found, .context = &found});
    regions_feed(r, t->events.at, t->events.count);
    regions_free(r);
    const bool is_cyclic = has_cycle(t);
    *cyclic += is_cyclic;
    return is_cyclic != (found > 0);
}

/* Puts regions around stretches of a random execution; all end. */
static void mark_regions(struct trace *to, const struct trace *from, struct prng *prng)
{
    uint32_t depth[RANDOM_TASKS_MAX] = {0};
    trace_copy_tables(to, from);
    trace_each (from, event) {
        const uint32_t task = event->task;
        const uint64_t dice = prng_below(prng, 6);
        if (dice == 0 && depth[task] < 2) {
            trace_append(to, &(struct event){.kind = EVENT_ATOMIC_BEGIN, .task = task});
            depth[task]++;
        } else if (dice == 1 && depth[task] > 0) {
            trace_append(to, &(struct event){.kind = EVENT_ATOMIC_END, .task = task});
            depth[task]--;
        }
        trace_append(to, event);
    }
    for (uint32_t task = 0; task < RANDOM_TASKS_MAX; task++) {
        while (depth[task]-- > 0) {
            trace_append(to, &(struct event){.kind = EVENT_ATOMIC_END, .task = task});
        }
        depth[task] = 0;
    }
    trace_seal(to);
}

TEST(a_region_is_told_exactly_where_conflicts_form_a_cycle)
{
    const uint64_t count = test_count(1000, 30000);
    uint64_t cyclic = 0;
    for (uint64_t seed = 0; seed < count; seed++) {
        struct prng prng;
        prng_init(&prng, seed);
        const struct random_shape shape = {
            .event_count = 6 + (uint32_t)prng_below(&prng, 24),
            .node_count = 1,
            .root_count = 2 + (uint32_t)prng_below(&prng, 3),
            .task_max = 4,
            .variable_count = 1 + (uint32_t)prng_below(&prng, 3),
            .lock_count = 1 + (uint32_t)prng_below(&prng, 2),
            .features = RANDOM_ACCESS | (prng_below(&prng, 2) == 0 ? RANDOM_LOCK : 0),
            .is_finished = true,
        };
        struct trace plain;
        struct trace t;
        random_trace(&plain, &prng, &shape);
        mark_regions(&t, &plain, &prng);
        if (differ(&t, &cyclic)) {
            struct trace small;
            trace_shrink(&small, &t, differ, &cyclic);
            fail_msg("seed %llu:\n%s", (unsigned long long)seed, trace_text(&small));
        }
        trace_release(&t);
        trace_release(&plain);
    }
    print_message("# %llu of %llu cyclic\n", (unsigned long long)cyclic, (unsigned long long)count);
    CHECK(cyclic > count / 10);
    CHECK(cyclic < count - count / 10);
}
