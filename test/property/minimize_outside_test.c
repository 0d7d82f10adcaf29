/* Minimization of a fuzz file's external events: its faults and waits are removed as requests are,
 * and the result is a schedule that shows the same violation again. */
#include "minimize/minimize.h"
#include "sim/sim.h"
#include "system.h"
#include "test.h"
#include "world/recipe.h"

enum { NODES = 3 };
enum { PUT };
static const char *const messages[] = {"put", NULL};

static volatile sig_atomic_t never;

struct node {
    uint32_t seen; /* a bit for each number that came */
};

static uint32_t wanted; /* n1 may not see all of these */

static void start(void *state)
{
    (void)state;
    clew_variable("seen", 0);
}

static void take(void *state, const struct clew_message *m)
{
    struct node *node = state;
    uint32_t number = 0;
    memcpy(&number, m->bytes, sizeof number);
    node->seen |= UINT32_C(1) << number;
    clew_variable("seen", node->seen);
    if (m->from < 0 && clew_self() != 0) {
        clew_send(0, PUT, m->bytes, m->size);
    }
}

static bool holds(const struct clew_view *view)
{
    const struct node *node = view->states[0];
    return node == NULL || (node->seen & wanted) != wanted;
}

static const struct clew_property properties[] = {{.name = "not all", .holds = holds}, {0}};
static const struct clew_system seeing = {.version = CLEW_SIM_VERSION,
                                          .size = sizeof(struct clew_system),
                                          .name = "seeing",
                                          .node_count = NODES,
                                          .messages = messages,
                                          .state_size = sizeof(struct node),
                                          .properties = properties,
                                          .start = start,
                                          .message = take};

/* Faults that stand between, and are undone or strike others. */
static const char *const between[] = {
    "  - crash: n2\n  - restart: n2\n",
    "  - partition: n3\n  - heal: n3\n",
    "  - crash: n3\n",
    "  - restart: any\n",
    "  - wait: n1.seen > 3\n",
    "  - wait: rest\n",
    "  - partition: any\n",
};

/* Numbers 0 to 7 to any node, with something else between them. */
static struct world *open_any(struct prng *prng)
{
    struct err e = {.text = ""};
    struct world *w = NULL;
    struct out text;
    out_open_memory(&text);
    out_text(&text, "net: datagram\ninitial:\n");
    for (uint32_t i = 0; i < 8; i++) {
        out_format(&text, "  - {request: put, to: n%u, numbers: [%u]}\n",
                   1 + (unsigned)prng_below(prng, NODES), i);
        if (prng_below(prng, 2) == 0) {
            out_text(&text, between[prng_below(prng, sizeof between / sizeof *between)]);
        }
    }
    out_char(&text, '\0');
    struct clew_system configured = seeing;
    configured.config = text.buffer;
    if (sim_open_system(&w, &configured, &clew_calls, &(struct sim_options){0}, &e) < 0) {
        fail_msg("%s", e.text);
    }
    out_abandon(&text);
    return w;
}

static uint32_t count_faults(const struct execution *x)
{
    uint32_t count = 0;
    vec_each (&x->steps, step) {
        count += pick_fault(&step->operation) != 0;
    }
    return count;
}

static void check_schedule(struct world *w, const struct minimized *m)
{
    struct execution again = {0};
    struct schedule s;
    struct schedule read;
    struct recipe r = {0};
    struct err e = {.text = ""};
    struct out text;
    struct in in;
    schedule_init(&s);
    schedule_init(&read);
    recipe_write_whole(&s, w, &m->plan, &m->best);
    out_open_memory(&text);
    schedule_print(&s, &text);
    in_open_memory(&in, text.buffer, text.used);
    CHECK_INT(schedule_parse(&read, &in, &e), 0);
    CHECK_INT(recipe_parse(&r, &read, &e), 0);
    system_run(w, &r.plan, &again);
    CHECK_INT(again.outcome, OUTCOME_PROPERTY);
    CHECK_INT(again.hash, m->best.hash);
    execution_release(&again);
    recipe_release(&r);
    schedule_release(&s);
    schedule_release(&read);
    out_abandon(&text);
}

/* Two numbers are wanted, and no fault: each takes one step, or two by way of another node. */
TEST(faults_and_waits_of_a_fuzz_file_go)
{
    struct prng prng;
    uint64_t shown = 0;
    uint64_t with_faults = 0;
    prng_init(&prng, 1);
    for (uint64_t i = 0; i < test_count(150, 3000); i++) {
        wanted = UINT32_C(1) << prng_below(&prng, 4) | UINT32_C(16) << prng_below(&prng, 4);
        struct world *w = open_any(&prng);
        struct execution x = {0};
        const struct plan p = {.pick = {.strategy = PICK_RANDOM, .seed = prng_next(&prng)},
                               .steps_max = 60};
        system_run(w, &p, &x);
        if (x.outcome == OUTCOME_PROPERTY) {
            struct err e = {.text = ""};
            struct minimized m = {0};
            const struct minimize_options o = {.stages = 1u << STAGE_EXTERNALS |
                                                         1u << STAGE_CHUNKS | 1u << STAGE_SINGLES,
                                               .is_stopped = &never};
            CHECK_INT(minimize(w, &p, &o, &m, &e), 0);
            CHECK_INT(count_faults(&m.best), 0);
            CHECK(m.best.steps.count <= 4);
            check_schedule(w, &m);
            shown++;
            with_faults += count_faults(&x) > 0;
            minimized_release(&m);
        }
        execution_release(&x);
        world_close(w);
    }
    CHECK(shown > 50);
    CHECK(with_faults > 30);
}
