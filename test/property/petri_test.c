/* The net of a trace allows exactly the orders that the engine calls possible: an access of one
 * task, one of another, and a later one of the first can fire in this order if and only if the
 * decision about the model of their variables says so. */
#include "atomicity/petri.h"

#include <string.h>

#include "atomicity/decide_order.h"
#include "atomicity/sync_skeleton.h"
#include "base/names.h"
#include "http_rules_of.h"
#include "import/import.h"
#include "random_capture.h"
#include "random_trace.h"
#include "test.h"
#include "trace_text.h"
#include "wire/kind.h"

enum { TRANSITIONS_MAX = 500, STATES_MAX = 100000, PLACES_MAX = 250 };

/* ---- firing ---- */

/* Tokens of each place, and how many of the wanted events have come. */
struct marking {
    uint8_t tokens[PLACES_MAX];
    uint8_t progress;
};

struct firing {
    const struct net *n;
    const event_id *wanted; /* in this order */
    struct names seen;
};

static bool can_fire(const struct net *n, const struct marking *m, uint32_t transition)
{
    if (m->tokens[n->transitions.at[transition].from] == 0) {
        return false;
    }
    vec_each (&n->arcs, arc) {
        if (arc->transition == transition && arc->kind != NET_GIVES &&
            m->tokens[arc->place] < arc->weight) {
            return false;
        }
    }
    return true;
}

static struct marking fire(const struct net *n, const struct marking *m, uint32_t transition)
{
    struct marking next = *m;
    next.tokens[n->transitions.at[transition].from]--;
    next.tokens[n->transitions.at[transition].to]++;
    vec_each (&n->arcs, arc) {
        if (arc->transition == transition && arc->kind != NET_TESTS) {
            const uint32_t weight = arc->kind == NET_GIVES ? arc->weight : 0 - arc->weight;
            next.tokens[arc->place] = (uint8_t)(next.tokens[arc->place] + weight);
        }
    }
    return next;
}

/* Whether the wanted events can come in their order. One that comes too early ends the try. */
static bool walk(struct firing *f, const struct marking *m)
{
    if (m->progress == 3) {
        return true;
    }
    const size_t before = f->seen.list.count;
    names_intern(&f->seen, (const char *)m, sizeof *m);
    if (f->seen.list.count == before) {
        return false;
    }
    CHECK(before < STATES_MAX);
    for (uint32_t i = 0; i < f->n->transitions.count; i++) {
        const event_id event = f->n->transitions.at[i].event;
        const bool is_early = (m->progress < 1 && event == f->wanted[1]) ||
                              (m->progress < 2 && event == f->wanted[2]);
        if (is_early || !can_fire(f->n, m, i)) {
            continue;
        }
        struct marking next = fire(f->n, m, i);
        next.progress = (uint8_t)(m->progress + (event == f->wanted[m->progress]));
        if (walk(f, &next)) {
            return true;
        }
    }
    return false;
}

static bool net_allows(const struct net *n, const event_id *wanted)
{
    struct firing f = {.n = n, .wanted = wanted};
    struct marking m = {0};
    CHECK(n->places.count <= PLACES_MAX);
    for (size_t i = 0; i < n->places.count; i++) {
        m.tokens[i] = (uint8_t)n->places.at[i].tokens;
    }
    names_init(&f.seen);
    const bool is_possible = walk(&f, &m);
    names_release(&f.seen);
    return is_possible;
}

/* ---- comparing ---- */

struct race_groups {
    uint64_t questions, possible;
};

/* If versions are checked, the engine ignores reads that end in a refusal; the net allows them. */
static bool is_alike(const struct frame *f, const struct sketch *s, const uint32_t *at)
{
    return f->version_first == f->hb.sections.lock_count ||
           (s->list[at[1]].is_write && (s->list[at[0]].is_write || s->list[at[2]].is_write));
}

static void compare(const struct frame *f, const struct net *n, const struct sketch *s,
                    struct decider *d, const uint32_t *at, struct race_groups *groups)
{
    struct question q = {.place_count = 3, .orders = {{0, 1}, {1, 2}}, .order_count = 2};
    event_id wanted[3];
    for (int i = 0; i < 3; i++) {
        q.places[i] = model_place(d->m, s, at[i]);
        wanted[i] = s->list[at[i]].event;
    }
    const enum decision decision = decider_ask(d, &q);
    CHECK(decision != DECIDE_UNKNOWN);
    groups->questions++;
    groups->possible += decision == DECIDE_YES;
    if (net_allows(n, wanted) != (decision == DECIDE_YES)) {
        fail_msg("events %u, %u, %u: %s by the engine, not by the net\n%s", wanted[0], wanted[1],
                 wanted[2], decision == DECIDE_YES ? "possible" : "impossible",
                 trace_text(f->trace));
    }
}

static void compare_variable(const struct frame *f, const struct net *n, uint32_t x,
                             struct race_groups *groups)
{
    struct sketch s;
    struct model m;
    struct decider d;
    sketch_build(&s, f, x, VARIABLE_NONE);
    model_build(&m, &s);
    decider_init(&d, &m, 0);
    for (uint32_t thread = 0; thread < s.thread_count; thread++) {
        const struct sketch_thread one = s.threads[thread];
        for (uint32_t i = one.first; i + 1 < one.end; i++) {
            for (uint32_t c = 0; c < s.count; c++) {
                const uint32_t at[] = {i, c, i + 1};
                if ((c < one.first || c >= one.end) && is_alike(f, &s, at)) {
                    compare(f, n, &s, &d, at, groups);
                }
            }
        }
    }
    decider_release(&d);
    model_release(&m);
    sketch_release(&s);
}

static void compare_trace(const struct trace *t, struct race_groups *groups)
{
    struct net n = {0};
    struct frame f;
    struct notes notes = {0};
    struct err e = {0};
    CHECK_INT(frame_build(&f, t, &notes, &e), 0);
    CHECK(net_of_trace(&n, t, TRANSITIONS_MAX, &notes, &e));
    for (uint32_t x = 0; x < f.variables.list.count; x++) {
        if (variable_is_shared(&f.variables.list.at[x])) {
            compare_variable(&f, &n, x, groups);
        }
    }
    frame_release(&f);
    net_release(&n);
    notes_release(&notes);
}

static void check_tally(const struct race_groups *groups)
{
    print_message("# %llu questions, %llu possible\n", (unsigned long long)groups->questions,
                  (unsigned long long)groups->possible);
    CHECK(groups->possible > groups->questions / 10);
    CHECK(groups->questions - groups->possible > groups->questions / 50);
}

TEST(nets_of_executions_allow_what_the_engine_does)
{
    static const unsigned features[] = {
        RANDOM_ACCESS | RANDOM_LOCK,
        RANDOM_ACCESS | RANDOM_LOCK | RANDOM_THREAD,
        RANDOM_ACCESS | RANDOM_LOCK | RANDOM_WAIT,
        RANDOM_ACCESS | RANDOM_OTHER | RANDOM_SEMAPHORE,
        RANDOM_ACCESS | RANDOM_LOCK | RANDOM_RWLOCK,
    };
    struct race_groups groups = {0};
    const uint64_t count = test_count(150, 3000);
    for (uint64_t seed = 0; seed < count; seed++) {
        struct prng prng;
        struct trace t;
        prng_init(&prng, seed);
        const struct random_shape shape = {
            .event_count = 8 + (uint32_t)prng_below(&prng, 12),
            .node_count = 1,
            .root_count = 2,
            .task_max = 3,
            .variable_count = 1,
            .lock_count = 1 + (uint32_t)prng_below(&prng, 2),
            .features = features[prng_below(&prng, sizeof features / sizeof *features)],
            .is_finished = prng_below(&prng, 2) == 0,
        };
        random_trace(&t, &prng, &shape);
        compare_trace(&t, &groups);
        trace_release(&t);
    }
    check_tally(&groups);
}

static void read_capture(const uint8_t *bytes, size_t size, struct trace *t)
{
    struct capture c;
    struct out har;
    struct http_rules rules;
    struct notes n = {0};
    struct err e = {0};
    struct in in;
    out_open_memory(&har);
    capture_make(&c, bytes, size);
    capture_print_har(&c, &har);
    http_rules_of(&rules, capture_rules);
    in_open_memory(&in, har.buffer, har.used);
    struct cursor *cursor = format_har.open(&in, &t->tables, &n, &e);
    CHECK(cursor != NULL);
    CHECK_INT(trace_load(t, cursor, &e), 0);
    trace_seal(t);
    cursor_close(cursor);
    notes_release(&n);
    http_rules_end(&rules);
    out_abandon(&har);
}

TEST(nets_of_captures_allow_what_the_engine_does)
{
    struct race_groups groups = {0};
    const uint64_t count = test_count(150, 3000);
    for (uint64_t seed = 0; seed < count; seed++) {
        struct prng prng;
        struct trace t;
        uint8_t bytes[24];
        prng_init(&prng, seed);
        for (size_t i = 0; i < sizeof bytes; i += 3) {
            bytes[i] = (uint8_t)prng_below(&prng, 2);
            bytes[i + 1] = (uint8_t)prng_below(&prng, 12);
            bytes[i + 2] = (uint8_t)(0x30 | prng_below(&prng, 4) * 2 % 3);
        }
        trace_init(&t);
        read_capture(bytes, sizeof bytes, &t);
        compare_trace(&t, &groups);
        trace_release(&t);
    }
    check_tally(&groups);
}
