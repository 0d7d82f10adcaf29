/* Happens-before against its slow twin: the edges of race_rules.h, closed by brute force. */
#include "order/hb.h"

#include <stdlib.h>

#include "base/mem.h"
#include "order/event_clock.h"
#include "race_rules.h"
#include "random_trace.h"
#include "report/dot.h"
#include "report/shiviz.h"
#include "shrink.h"
#include "test.h"
#include "trace_text.h"

#include "formats.h"

/* ---- the slow twin ---- */

struct closure {
    size_t count;
    bool *is_before; /* count * count */
};

static bool *pair_at(const struct closure *c, event_id a, event_id b)
{
    return &c->is_before[(size_t)a * c->count + b];
}

static void close_up(struct closure *c)
{
    for (event_id via = 0; via < c->count; via++) {
        for (event_id a = 0; a < c->count; a++) {
            for (event_id b = 0; *pair_at(c, a, via) && b < c->count; b++) {
                *pair_at(c, a, b) |= *pair_at(c, via, b);
            }
        }
    }
}

static void add_edges(struct closure *c, const rules_edges *edges, bool only_forward)
{
    for (size_t i = 0; i < edges->count; i++) {
        if (!only_forward || edges->at[i].from < edges->at[i].to) {
            *pair_at(c, edges->at[i].from, edges->at[i].to) = true;
        }
    }
}

static struct closure strict_closure(const struct rules *r)
{
    struct closure c = {.count = r->count};
    c.is_before = mem_zero(r->count * r->count + 1, sizeof *c.is_before);
    add_edges(&c, &r->program, false);
    add_edges(&c, &r->cross, false);
    close_up(&c);
    return c;
}

static struct closure observed_closure(const struct rules *r)
{
    struct closure c = {.count = r->count};
    c.is_before = mem_zero(r->count * r->count + 1, sizeof *c.is_before);
    for (event_id a = 0; a < r->count; a++) {
        for (event_id b = a + 1; b < r->count; b++) {
            *pair_at(&c, a, b) = trace_at(r->t, a)->task == trace_at(r->t, b)->task;
        }
    }
    add_edges(&c, &r->cross, true);
    add_edges(&c, &r->observed, true);
    vec_each (&r->semaphore_waits, w) {
        if (w->taken != EVENT_NONE) {
            *pair_at(&c, w->taken, w->wait) = true;
        }
    }
    vec_each (&r->sections, s) {
        vec_each (&r->sections, other) {
            if (rules_exclude(s, other) && s->first < other->first && s->last < other->first) {
                *pair_at(&c, s->last, other->first) = true;
            }
        }
    }
    vec_each (&r->waits, w) {
        if (w->server != EVENT_NONE) {
            *pair_at(&c, w->server, w->end) = true;
        }
    }
    close_up(&c);
    return c;
}

/* ---- comparing ---- */

static bool has_contradiction(const struct closure *c)
{
    for (event_id a = 0; a < c->count; a++) {
        if (*pair_at(c, a, a)) {
            return true;
        }
    }
    return false;
}

static bool pairs_differ(const struct hb *hb, const struct closure *c)
{
    for (event_id a = 0; a < c->count; a++) {
        for (event_id b = 0; b < c->count; b++) {
            if (hb_is_before(hb, a, b) != *pair_at(c, a, b)) {
                return true;
            }
        }
    }
    return false;
}

/* How many events of the main chain of the task come before (after) the event, itself included. */
static uint32_t slow_count(const struct hb *hb, const struct closure *c, event_id id, uint32_t task,
                           enum reach_direction direction)
{
    uint32_t count = 0;
    for (event_id other = 0; other < c->count; other++) {
        const bool comes =
            direction == REACH_BEFORE ? *pair_at(c, other, id) : *pair_at(c, id, other);
        count += hb->contexts.of[other] == task && (comes || other == id);
    }
    return count;
}

static bool counts_differ(const struct hb *hb, const struct closure *c,
                          enum reach_direction direction, enum reach_scope scope)
{
    const struct trace *t = hb->trace;
    struct arena arena = {0};
    struct reach r;
    bool differ = reach_build(&r, &hb->graph, t, direction, scope, &arena) != EVENT_NONE;
    for (event_id id = 0; id < c->count && !differ; id++) {
        for (uint32_t task = 0; task < t->tables.tasks.count && !differ; task++) {
            const bool is_asked = scope == REACH_ALL || t->tables.tasks.at[task].node ==
                                                            trace_node_of(t, trace_at(t, id));
            differ =
                is_asked && reach_count(&r, id, task) != slow_count(hb, c, id, task, direction);
        }
    }
    reach_release(&r);
    arena_release(&arena);
    return differ;
}

/* Whether the target of an edge knows another time of its own task than its source does. */
static bool heard_differs(const struct hb *hb, const struct closure *c)
{
    const struct contexts *contexts = &hb->contexts;
    for (uint32_t context = 0; context < contexts->count; context++) {
        const struct graph_span in = graph_into(&hb->graph, context);
        for (size_t i = 0; i < in.count; i++) {
            const uint32_t wanted =
                slow_count(hb, c, in.at[i].event, contexts->list[context].task, REACH_BEFORE);
            if (hb->before.heard[&in.at[i] - hb->graph.in] != wanted) {
                return true;
            }
        }
    }
    return false;
}

static bool semaphore_wait_differs(const struct rules *r, const struct wait *w)
{
    vec_each (&r->semaphore_waits, slow) {
        if (slow->wait == w->end) {
            return slow->is_lock || slow->taken != w->notify;
        }
    }
    return true;
}

static bool waits_differ(const struct hb *hb, const struct rules *r)
{
    size_t next = 0; /* of the waits for conditions */
    bool differ = false;
    for (uint32_t i = 0; !differ && i < hb->waits.count; i++) {
        const struct wait *w = &hb->waits.list[i];
        if (w->is_semaphore) {
            differ = semaphore_wait_differs(r, w);
            continue;
        }
        const struct rules_wait *slow = next < r->waits.count ? &r->waits.at[next++] : NULL;
        differ = slow == NULL || w->begin != slow->begin || w->end != slow->end ||
                 w->notify != slow->server;
    }
    return differ || next != r->waits.count;
}

static bool lists_differ(const struct hb *hb, const struct rules *r)
{
    bool differ = hb->sections.count != r->sections.count ||
                  hb->messages.count != r->messages.count || waits_differ(hb, r);
    for (uint32_t i = 0; !differ && i < hb->sections.count; i++) {
        const struct section *s = &hb->sections.list[i];
        bool is_there = false;
        vec_each (&r->sections, slow) {
            is_there |= slow->first == s->begin && slow->last == s->end && slow->task == s->task &&
                        slow->is_shared == s->is_shared;
        }
        differ = !is_there;
    }
    for (size_t i = 0; !differ && i < hb->messages.count; i++) {
        const struct message *m = &hb->messages.list[i];
        bool is_there = false;
        vec_each (&r->messages, slow) {
            is_there |=
                slow->send == m->send && slow->recv == m->receive && slow->channel == m->stream;
        }
        differ = !is_there;
    }
    return differ;
}

static bool strict_differs(const struct trace *t, void *context)
{
    uint64_t *ordered = context;
    struct rules r;
    struct hb hb;
    struct notes n = {0};
    struct err e = {0};
    rules_read(&r, t);
    struct closure c = strict_closure(&r);
    const struct hb_options options = {.model = HB_STRICT, .scope = REACH_ALL};
    bool differ = hb_build(&hb, t, &options, &n, &e) < 0;
    differ = differ || lists_differ(&hb, &r) || hb.is_contradictory != has_contradiction(&c);
    if (!differ && !hb.is_contradictory) {
        differ = pairs_differ(&hb, &c) || heard_differs(&hb, &c);
        for (enum reach_direction d = REACH_BEFORE; d <= REACH_AFTER; d++) {
            differ = differ || counts_differ(&hb, &c, d, REACH_ALL) ||
                     counts_differ(&hb, &c, d, REACH_NODE);
        }
        *ordered += hb.graph.edge_count;
    }
    hb_release(&hb);
    notes_release(&n);
    mem_free(c.is_before);
    rules_release(&r);
    return differ;
}

static bool observed_differs(const struct trace *t, void *context)
{
    uint64_t *ordered = context;
    struct rules r;
    struct hb hb;
    struct notes n = {0};
    struct err e = {0};
    rules_read(&r, t);
    struct closure c = observed_closure(&r);
    const struct hb_options options = {.model = HB_OBSERVED, .scope = REACH_ALL};
    const bool differ = hb_build(&hb, t, &options, &n, &e) < 0 || pairs_differ(&hb, &c) ||
                        counts_differ(&hb, &c, REACH_AFTER, REACH_ALL);
    *ordered += hb.graph.edge_count;
    hb_release(&hb);
    notes_release(&n);
    mem_free(c.is_before);
    rules_release(&r);
    return differ;
}

/* ---- ShiViz ---- */

/* The number that the clock of a line gives to a task, 0 when it has none. */
static uint32_t number_in_clock(const char *line, const char *end, const char *task)
{
    char key[80];
    (void)snprintf(key, sizeof key, "\"%s\":", task);
    const char *at = memmem(line, (size_t)(end - line), key, strlen(key));
    return at == NULL ? 0 : (uint32_t)strtoul(at + strlen(key), NULL, 10);
}

static bool shiviz_differs(const struct trace *t, void *context)
{
    uint64_t *ordered = context;
    struct rules r;
    rules_read(&r, t);
    struct closure c = observed_closure(&r);
    size_t size = 0;
    char *log = format_print(&format_shiviz, t, &size);
    const char *line = strstr(log, "\n\n") + 2;
    bool differ = false;
    for (event_id id = 0; id < t->events.count && !differ; id++) {
        const char *end = strchr(line, '\n');
        for (uint32_t task = 0; task < t->tables.tasks.count && !differ; task++) {
            uint32_t wanted = 0;
            for (event_id other = 0; other < c.count; other++) {
                wanted +=
                    trace_at(t, other)->task == task && (other == id || *pair_at(&c, other, id));
            }
            char name[64];
            (void)snprintf(name, sizeof name, "%s@%s", trace_name(t, t->tables.tasks.at[task].name),
                           trace_name(t, t->tables.tasks.at[task].node));
            differ = number_in_clock(line, end, name) != wanted;
            differ |= task == trace_at(t, id)->task && strncmp(line, name, strlen(name)) != 0;
            *ordered += wanted;
        }
        line = strchr(end + 1, '\n') + 1;
    }
    differ = differ || *line != '\0';
    mem_free(log);
    mem_free(c.is_before);
    rules_release(&r);
    return differ;
}

/* The graph for Graphviz has a path from one event to another where the observed order has one. */
static bool dot_differs(const struct trace *t, void *context)
{
    uint64_t *ordered = context;
    struct rules r;
    rules_read(&r, t);
    struct closure wanted = observed_closure(&r);
    struct closure drawn = {.count = t->events.count,
                            .is_before = mem_zero(t->events.count * t->events.count + 1, 1)};
    size_t size = 0;
    char *graph = format_print(&format_dot, t, &size);
    for (const char *line = graph; *line != '\0'; line = strchr(line, '\n') + 1) {
        unsigned from = 0;
        unsigned to = 0;
        if (sscanf(line, " e%u -> e%u", &from, &to) == 2) {
            *pair_at(&drawn, from, to) = true;
        }
    }
    close_up(&drawn);
    bool differ = wanted.count != drawn.count;
    for (size_t i = 0; i < wanted.count * wanted.count && !differ; i++) {
        differ = wanted.is_before[i] != drawn.is_before[i];
        *ordered += wanted.is_before[i];
    }
    mem_free(graph);
    mem_free(drawn.is_before);
    mem_free(wanted.is_before);
    rules_release(&r);
    return differ;
}

/* ---- over random traces ---- */

static void check_random(bool (*differs)(const struct trace *t, void *context), uint64_t count,
                         bool is_damaged)
{
    uint64_t ordered = 0;
    for (uint64_t seed = 0; seed < count; seed++) {
        struct trace t;
        struct prng prng;
        prng_init(&prng, seed);
        const struct random_shape shape = random_shape(&prng, 8 + (uint32_t)prng_below(&prng, 50));
        random_trace(&t, &prng, &shape);
        if (is_damaged) {
            struct trace damaged;
            random_damage(&damaged, &t, &prng);
            trace_release(&t);
            t = damaged;
        }
        if (differs(&t, &ordered)) {
            struct trace small;
            trace_shrink(&small, &t, differs, &ordered);
            fail_msg("seed %llu:\n%s", (unsigned long long)seed, trace_text(&small));
        }
        trace_release(&t);
    }
    CHECK(ordered > count);
}

TEST(the_strict_order_is_the_closure_of_its_edges)
{
    check_random(strict_differs, test_count(1000, 20000), false);
}

TEST(the_strict_order_of_a_damaged_trace_is_the_closure_of_its_edges)
{
    check_random(strict_differs, test_count(1000, 20000), true);
}

TEST(the_observed_order_is_the_closure_of_its_edges)
{
    check_random(observed_differs, test_count(500, 20000), false);
    check_random(observed_differs, test_count(500, 20000), true);
}

TEST(shiviz_clocks_are_those_of_the_observed_order)
{
    check_random(shiviz_differs, test_count(200, 5000), false);
}

TEST(the_graph_for_graphviz_is_the_observed_order)
{
    check_random(dot_differs, test_count(200, 5000), false);
}
