/* Payloads of requests are minimal: no variant that the system proposes for the result's payloads
 * shows the violation. */
#include <string.h>

#include "minimize/minimize.h"
#include "system.h"
#include "test.h"

enum { NODES = 2, REQUESTS = 3, NUMBERS_MAX = 6, NUMBER_LIMIT = 8 };
enum { NOTE };

static volatile sig_atomic_t never;

/* Requests bring sets of numbers; a node that has got all of some set breaks a property. */
static struct {
    uint8_t numbers[NODES * REQUESTS][NUMBERS_MAX];
    uint8_t counts[NODES * REQUESTS];
    uint32_t needed; /* a bit each */
} drawn;

struct node {
    uint32_t got;
};

static void ask(void)
{
    for (int i = 0; i < NODES * REQUESTS; i++) {
        clew_request(i % NODES, NOTE, drawn.numbers[i], drawn.counts[i]);
    }
}

static void get(void *state, const struct clew_message *m)
{
    struct node *node = state;
    for (size_t i = 0; i < m->size; i++) {
        node->got |= UINT32_C(1) << ((const uint8_t *)m->bytes)[i];
    }
}

static bool lacks_some(const struct clew_view *view)
{
    for (uint32_t i = 0; i < view->node_count; i++) {
        const struct node *node = view->states[i];
        if ((node->got & drawn.needed) == drawn.needed) {
            return false;
        }
    }
    return true;
}

static const char *const messages[] = {"note", NULL};
static const struct clew_property properties[] = {{.name = "lacks some", .holds = lacks_some}, {0}};
static const struct clew_system notes = {.version = CLEW_SIM_VERSION,
                                         .size = sizeof(struct clew_system),
                                         .name = "notes",
                                         .node_count = NODES,
                                         .messages = messages,
                                         .state_size = sizeof(struct node),
                                         .setup = ask,
                                         .message = get,
                                         .properties = properties,
                                         .shrink = system_leave_one_out};

/* Draws requests such that a run breaks. */
static void draw(struct prng *prng)
{
    uint32_t brought = 0;
    memset(&drawn, 0, sizeof drawn);
    for (uint32_t i = 0; i < NODES * REQUESTS; i++) {
        drawn.counts[i] = (uint8_t)prng_below(prng, NUMBERS_MAX + 1);
        for (uint32_t k = 0; k < drawn.counts[i]; k++) {
            drawn.numbers[i][k] = (uint8_t)prng_below(prng, NUMBER_LIMIT);
            brought |= i % NODES == 0 ? UINT32_C(1) << drawn.numbers[i][k] : 0;
        }
    }
    drawn.needed = brought & (uint32_t)prng_next(prng);
    drawn.needed = drawn.needed == 0 ? brought : drawn.needed;
}

static size_t numbers_left(const struct minimized *m)
{
    size_t count = 0;
    vec_each (&m->best.steps, step) {
        for (size_t i = 0; i < m->plan.content_count; i++) {
            count +=
                m->plan.contents[i].name == step->operation.name ? m->plan.contents[i].size : 0;
        }
    }
    return count;
}

/* Runs the steps of the result, this request bringing something else; whether it breaks. */
static bool breaks_with(struct world *w, const struct minimized *m, const struct plan_content *c)
{
    VEC(struct pick_want) wants = {0};
    VEC(struct plan_content) contents = {0};
    struct execution x = {0};
    vec_each (&m->best.steps, step) {
        vec_push(&wants, (struct pick_want){.action = step->operation.action,
                                            .content = step->operation.content,
                                            .match = PICK_SAME_OR_OLDEST});
    }
    for (size_t i = 0; i < m->plan.content_count; i++) {
        if (m->plan.contents[i].name != c->name) {
            vec_push(&contents, m->plan.contents[i]);
        }
    }
    vec_push(&contents, *c);
    struct plan p = m->plan;
    p.contents = contents.at;
    p.content_count = contents.count;
    p.pick.wants = wants.at;
    p.pick.want_count = wants.count;
    system_run(w, &p, &x);
    const bool is_broken = x.outcome == OUTCOME_PROPERTY;
    execution_release(&x);
    vec_release(&wants);
    vec_release(&contents);
    return is_broken;
}

static void check_fixpoint(struct world *w, const struct minimized *m)
{
    struct recipe r = {0};
    struct execution x = {0};
    system_recipe(w, &m->plan, &m->best, &r);
    for (size_t k = 0; k < m->best.steps.count; k++) {
        struct plan_content smaller;
        struct err e;
        for (uint32_t i = 0; i < NUMBERS_MAX + 1; i++) {
            system_run(w, &r.plan, &x);
            CHECK_INT(x.hash, m->best.hash);
            if (w->ops->shrink(w, m->best.steps.at[k].operation.name, i, &smaller, &e) == 0) {
                break;
            }
            uint8_t bytes[NUMBERS_MAX];
            memcpy(bytes, smaller.bytes, smaller.size);
            smaller.bytes = bytes;
            CHECK(!breaks_with(w, m, &smaller));
        }
    }
    execution_release(&x);
    recipe_release(&r);
}

/* The bytes of the first run minus those that the stages removed are the result's. */
static void check_bytes(struct world *w, const struct minimized *m)
{
    struct recipe r = {0};
    struct execution x = {0};
    uint64_t bytes = 0;
    int64_t changed = 0;
    system_recipe(w, &m->plan, &m->best, &r);
    system_run(w, &r.plan, &x);
    vec_each (&x.steps, step) {
        bytes += w->ops->brought(w, step->operation.name);
    }
    for (int i = 0; i < STAGE_COUNT; i++) {
        changed += m->stages[i].bytes;
    }
    CHECK_INT(m->final_bytes, bytes);
    CHECK_INT(m->initial_bytes + changed, bytes);
    execution_release(&x);
    recipe_release(&r);
}

static void check_contents(const struct minimize_options *o, uint64_t seed, uint64_t count)
{
    struct prng prng;
    prng_init(&prng, seed);
    for (uint64_t i = 0; i < count; i++) {
        struct minimized m;
        struct err e = {.text = ""};
        draw(&prng);
        struct world *w = system_open(&notes, NULL);
        if (minimize(w, &(struct plan){.pick.seed = seed}, o, &m, &e) < 0) {
            fail_msg("%s", e.text);
        }
        check_fixpoint(w, &m);
        check_bytes(w, &m);
        CHECK(numbers_left(&m) <= (size_t)__builtin_popcount(drawn.needed));
        minimized_release(&m);
        world_close(w);
    }
}

TEST(contents_are_shrunk_to_a_fixpoint)
{
    const struct minimize_options o = {.is_stopped = &never, .keeps_checkpoints = true};
    check_contents(&o, 1, test_count(60, 2000));
}

TEST(contents_are_shrunk_as_demi_does)
{
    const struct minimize_options o = {.is_stopped = &never, .compat = COMPAT_DEMI};
    check_contents(&o, 2, test_count(30, 500));
}

/* Payloads come first there: variants that only become possible once steps are gone are not tried
 * again. */
TEST(contents_are_shrunk_as_demi_writes)
{
    struct prng prng;
    prng_init(&prng, 4);
    for (uint64_t i = 0; i < test_count(30, 500); i++) {
        struct minimized m;
        struct err e = {.text = ""};
        draw(&prng);
        struct world *w = system_open(&notes, NULL);
        const struct minimize_options o = {.is_stopped = &never, .compat = COMPAT_DEMI_PAPER};
        CHECK_INT(minimize(w, &(struct plan){.pick.seed = i}, &o, &m, &e), 0);
        const uint64_t least = (uint64_t)__builtin_popcount(drawn.needed);
        CHECK(m.final_bytes >= least);
        CHECK(m.stages[STAGE_CONTENTS].bytes < 0 || m.initial_bytes == least);
        check_bytes(w, &m);
        minimized_release(&m);
        world_close(w);
    }
}

/* Both nodes have to get the same, with a zero in it: no request can be made smaller alone. */
static bool is_unlike(const struct clew_view *view)
{
    const struct node *first = view->states[0];
    const struct node *second = view->states[1];
    return first->got != second->got || (first->got & 1) == 0;
}

static void ask_alike(void)
{
    static const uint8_t numbers[] = {3, 0, 5, 7};
    clew_request(0, NOTE, numbers, sizeof numbers);
    clew_request(1, NOTE, numbers, sizeof numbers);
}

/* Minimizes payloads; ends without having been stopped. */
static void shrink(const struct clew_system *system, struct minimized *m)
{
    struct err e = {.text = ""};
    struct world *w = system_open(system, NULL);
    const struct minimize_options o = {
        .is_stopped = &never, .budget = {.runs = 10000}, .stages = 1u << STAGE_CONTENTS};
    CHECK_INT(minimize(w, &(struct plan){0}, &o, m, &e), 0);
    CHECK_INT(m->stopped_by, LIMIT_OPEN);
    world_close(w);
}

TEST(requests_that_have_to_agree_are_shrunk_together)
{
    static const struct clew_property alike[] = {{.name = "unlike", .holds = is_unlike}, {0}};
    struct clew_system system = notes;
    struct minimized m;
    system.properties = alike;
    system.setup = ask_alike;
    shrink(&system, &m);
    CHECK_INT(m.plan.content_count, 2);
    for (size_t i = 0; i < 2; i++) {
        CHECK_INT(m.plan.contents[i].size, 1);
        CHECK_INT(*(const uint8_t *)m.plan.contents[i].bytes, 0);
    }
    minimized_release(&m);
}

/* Says of each number that the one after it is smaller, and of the last that the first is. */
static bool go_round(const struct clew_message *m, uint32_t index, void *bytes, size_t *size)
{
    const uint8_t next = (uint8_t)((*(const uint8_t *)m->bytes + 1) % NUMBER_LIMIT);
    *size = 1;
    memcpy(bytes, &next, 1);
    return index == 0;
}

static bool is_silent(const struct clew_view *view)
{
    return ((const struct node *)view->states[0])->got == 0;
}

static void ask_once(void)
{
    clew_request(0, NOTE, "\0", 1);
}

TEST(where_advice_goes_round_it_comes_to_an_end)
{
    static const struct clew_property silence[] = {{.name = "silent", .holds = is_silent}, {0}};
    struct clew_system system = notes;
    struct minimized m;
    system.properties = silence;
    system.setup = ask_once;
    system.shrink = go_round;
    shrink(&system, &m);
    CHECK(m.contents_shrunk <= NUMBER_LIMIT);
    minimized_release(&m);
}
