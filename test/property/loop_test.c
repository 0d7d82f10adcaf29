/* Loops of runs beside their definition. On random systems that never rest, every two moments of a
 * run are compared state by state; random formulas are evaluated on the run written out as if its
 * loop went on for ever. */
#include <string.h>

#include "random_spec.h"
#include "sim/sim.h"
#include "slow_spec.h"
#include "system.h"
#include "test.h"

enum { NODES = RANDOM_PROCESS_COUNT, TYPES = 2, VALUES = 2, CHANNELS = (NODES + 1) * NODES };
enum { DEPTH = 11, TURNS = 12, ROOM = (DEPTH + 1) * (TURNS + 1), MESSAGES_MAX = 4 };

/* As random specifications call them, but for one whose name no system may have. */
static const char *const nodes[] = {"n1", "n2", "other", NULL};
static const char *const messages[] = {"ping", "pong", NULL};

struct node {
    int64_t values[RANDOM_VARIABLE_COUNT];
};

struct reaction {
    struct node after;
    int to, type;
};

static struct reaction reactions[NODES][VALUES][VALUES][TYPES];
static uint32_t request_count;

/* The deliveries and their effects, for the slow twin. */
static struct delivery {
    int from, to, type;
    struct reaction reaction;
} deliveries[DEPTH];
static uint32_t delivery_count;

static void setup(void)
{
    delivery_count = 0;
    for (uint32_t i = 0; i < request_count; i++) {
        clew_request((int)i, (int)i % TYPES, NULL, 0);
    }
}

static void report(const struct node *node)
{
    for (uint32_t i = 0; i < RANDOM_VARIABLE_COUNT; i++) {
        clew_variable(random_variables[i], node->values[i]);
    }
}

static void start(void *state)
{
    report(state);
}

static void message(void *state, const struct clew_message *m)
{
    struct node *node = state;
    const struct reaction *r = &reactions[clew_self()][node->values[0]][node->values[1]][m->type];
    deliveries[delivery_count++] = (struct delivery){m->from, clew_self(), m->type, *r};
    *node = r->after;
    report(node);
    clew_send(r->to, r->type, NULL, 0);
}

static const struct clew_system restless = {.version = CLEW_SIM_VERSION,
                                            .size = sizeof(struct clew_system),
                                            .name = "restless",
                                            .node_count = NODES,
                                            .nodes = nodes,
                                            .messages = messages,
                                            .state_size = sizeof(struct node),
                                            .setup = setup,
                                            .start = start,
                                            .message = message};

static void draw_system(struct prng *prng)
{
    for (uint32_t n = 0; n < NODES * VALUES * VALUES * TYPES; n++) {
        struct reaction *r = &reactions[0][0][0][0] + n;
        r->after.values[0] = (int64_t)prng_below(prng, VALUES);
        r->after.values[1] = (int64_t)prng_below(prng, VALUES);
        r->to = (int)prng_below(prng, NODES);
        r->type = (int)prng_below(prng, TYPES);
    }
    request_count = 1 + (uint32_t)prng_below(prng, 2);
}

/* The system as the deliveries say it was, after each of them. */
struct queue {
    uint32_t count;
    int types[MESSAGES_MAX];
    uint32_t ids[MESSAGES_MAX]; /* of all messages, in the order they were sent */
};

struct moment {
    struct node nodes[NODES];
    struct queue queues[CHANNELS]; /* by (from + 1) * NODES + to */
};

static void push(struct moment *m, int from, int to, int type, uint32_t id)
{
    struct queue *q = &m->queues[(from + 1) * NODES + to];
    must(q->count < MESSAGES_MAX);
    q->types[q->count] = type;
    q->ids[q->count++] = id;
}

static void pop(struct moment *m, const struct delivery *d)
{
    struct queue *q = &m->queues[(d->from + 1) * NODES + d->to];
    CHECK(q->count > 0);
    CHECK_INT(q->types[0], d->type);
    q->count--;
    memmove(q->types, q->types + 1, q->count * sizeof *q->types);
    memmove(q->ids, q->ids + 1, q->count * sizeof *q->ids);
}

static void follow(struct moment *moments)
{
    memset(moments, 0, (DEPTH + 1) * sizeof *moments);
    uint32_t id = 0;
    for (; id < request_count; id++) {
        push(&moments[0], CLEW_CLIENT, (int)id, (int)id % TYPES, id);
    }
    for (uint32_t i = 0; i < delivery_count; i++) {
        const struct delivery *d = &deliveries[i];
        moments[i + 1] = moments[i];
        pop(&moments[i + 1], d);
        push(&moments[i + 1], d->to, d->reaction.to, d->reaction.type, id++);
        moments[i + 1].nodes[d->to] = d->reaction.after;
    }
}

static bool is_same(const struct moment *a, const struct moment *b)
{
    bool is_same = memcmp(a->nodes, b->nodes, sizeof a->nodes) == 0;
    for (uint32_t c = 0; c < CHANNELS; c++) {
        const struct queue *p = &a->queues[c];
        const struct queue *q = &b->queues[c];
        is_same = is_same && p->count == q->count &&
                  memcmp(p->types, q->types, p->count * sizeof *p->types) == 0;
    }
    return is_same;
}

/* No message is the first of its channel at both. */
static bool is_fair(const struct moment *a, const struct moment *b)
{
    for (uint32_t c = 0; c < CHANNELS; c++) {
        if (a->queues[c].count > 0 && b->queues[c].count > 0 &&
            a->queues[c].ids[0] == b->queues[c].ids[0]) {
            return false;
        }
    }
    return true;
}

static struct slow_state slow_state_of(const struct moment *m)
{
    struct slow_state s = {0};
    for (uint32_t n = 0; n < NODES; n++) {
        memcpy(s.values[n], m->nodes[n].values, sizeof s.values[n]);
        for (uint32_t to = 0; to < NODES; to++) {
            s.messages[n][to] = m->queues[(n + 1) * NODES + to].count;
        }
    }
    return s;
}

/* Whether the property is broken somewhere if all from first to last goes on for ever. */
static bool is_broken(const struct spec *spec, const struct moment *moments, uint32_t first,
                      uint32_t last)
{
    static struct slow_state states[ROOM];
    bool is_true[ROOM];
    struct slow_run run = {.states = states};
    for (uint32_t i = 0; i <= last; i++) {
        states[run.count++] = slow_state_of(&moments[i]);
    }
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        run.loop = run.count;
        for (uint32_t i = first + 1; i <= last; i++) {
            states[run.count++] = slow_state_of(&moments[i]);
        }
    }
    const struct spec_property *p = &spec->properties.at[0];
    slow_decide(spec, p->root, &run, is_true);
    for (size_t i = 0; i < run.count; i++) {
        if (is_true[i] == (p->claim == SPEC_CLAIM_NEVER)) {
            return p->claim != SPEC_CLAIM_POSSIBLY;
        }
    }
    return false;
}

/* The first moment that closes a fair loop in which the property is broken; 0: none. */
static uint32_t first_livelock(const struct spec *spec, const struct moment *moments)
{
    for (uint32_t last = 1; last <= delivery_count; last++) {
        for (uint32_t first = 0; first < last; first++) {
            if (is_same(&moments[first], &moments[last]) &&
                is_fair(&moments[first], &moments[last]) && is_broken(spec, moments, first, last)) {
                return last;
            }
        }
    }
    return 0;
}

static bool looks_ahead(const struct spec *spec)
{
    bool is_ahead = false;
    vec_each (&spec->nodes, n) {
        if (n->op == SPEC_NOW || n->op == SPEC_STEPS) {
            return false;
        }
        is_ahead = is_ahead || n->op == SPEC_NEXT || n->op == SPEC_UNTIL ||
                   n->op == SPEC_EVENTUALLY || n->op == SPEC_LEADS_TO;
    }
    return is_ahead && spec_count_temporal(spec) > 0 &&
           names_find(&spec->names, random_processes[2], strlen(random_processes[2])) == 0;
}

/* A formula about future states of nodes that the system has. */
static void draw_spec(struct spec *spec, struct prng *prng)
{
    while (true) {
        spec_init(spec);
        random_spec(spec,
                    &(struct random_spec){.depth = 1 + (unsigned)prng_below(prng, 4),
                                          .is_temporal = true,
                                          .has_clocks = true},
                    prng);
        if (looks_ahead(spec)) {
            return;
        }
        spec_release(spec);
    }
}

/* Whether the run ended where its definition says; true in *is_found when that is a loop. */
static void check_run(uint64_t seed, bool *is_found)
{
    struct prng prng;
    struct spec spec;
    struct world *w = NULL;
    struct err e = {.text = ""};
    struct execution x = {0};
    static struct moment moments[DEPTH + 1];
    prng_init(&prng, seed);
    draw_system(&prng);
    draw_spec(&spec, &prng);
    if (sim_open_system(&w, &restless, &clew_calls, &(struct sim_options){.spec = &spec}, &e) < 0) {
        fail_msg("%s", e.text);
    }
    const struct plan p = {.pick = {.strategy = PICK_RANDOM, .seed = seed}, .steps_max = DEPTH};
    system_run(w, &p, &x);
    follow(moments);
    const uint32_t at = first_livelock(&spec, moments);
    const bool is_loop = x.outcome == OUTCOME_LIVELOCK || x.outcome == OUTCOME_PROPERTY;
    /* One broken whatever follows shows at the end, where no loop has shown it. */
    if (at == 0 ? x.outcome == OUTCOME_LIVELOCK || x.steps.count != DEPTH
                : !is_loop || x.steps.count != at) {
        fail_msg("seed %llu: %s after %zu steps (%s), and the first loop is at %u",
                 (unsigned long long)seed, outcome_name(x.outcome), x.steps.count, x.what, at);
    }
    *is_found = x.outcome == OUTCOME_LIVELOCK;
    execution_release(&x);
    world_close(w);
    spec_release(&spec);
}

TEST(livelocks_are_those_of_the_definition)
{
    const uint64_t count = test_count(400, 20000);
    uint64_t found_count = 0;
    for (uint64_t seed = 1; seed <= count; seed++) {
        bool is_found = false;
        check_run(seed, &is_found);
        found_count += is_found;
    }
    CHECK(found_count > count / 100);
    CHECK(found_count < count);
}
