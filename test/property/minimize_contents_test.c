/* What requests bring is made as small as it can be: no variant that the system proposes for what
 * is left shows the violation any more. */
#include <string.h>

#include "base/mem.h"
#include "minimize/minimize.h"
#include "system.h"
#include "test.h"
#include "world/recipe.h"

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

static bool leave_one_out(const struct clew_message *m, uint32_t index, void *bytes, size_t *size)
{
    if (index >= m->size) {
        return false;
    }
    *size = m->size - 1;
    memcpy(bytes, m->bytes, index);
    memcpy((char *)bytes + index, (const char *)m->bytes + index + 1, m->size - index - 1);
    return true;
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
                                         .shrink = leave_one_out};

/* Draws what is asked for, such that a run breaks. */
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

/* The plan as its schedule says it, whose contents live in the recipe. */
static void read_back(struct world *w, const struct minimized *m, struct recipe *r)
{
    char *text = system_schedule(w, &m->plan, &m->best);
    struct schedule s;
    struct in in;
    struct err e = {.text = ""};
    in_open_memory(&in, text, strlen(text));
    schedule_init(&s);
    CHECK_INT(schedule_parse(&s, &in, &e), 0);
    CHECK_INT(recipe_parse(r, &s, &e), 0);
    schedule_release(&s);
    mem_free(text);
}

static void check_fixpoint(struct world *w, const struct minimized *m)
{
    struct recipe r = {0};
    struct execution x = {0};
    read_back(w, m, &r);
    for (size_t k = 0; k < m->best.steps.count; k++) {
        struct plan_content smaller;
        for (uint32_t i = 0; i < NUMBERS_MAX + 1; i++) {
            system_run(w, &r.plan, &x);
            CHECK_INT(x.hash, m->best.hash);
            if (!w->ops->shrink(w, m->best.steps.at[k].operation.name, i, &smaller)) {
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

/* What a whole run brings, and what the stages changed, comes to what the result brings. */
static void check_bytes(struct world *w, const struct minimized *m)
{
    struct recipe r = {0};
    struct execution x = {0};
    uint64_t bytes = 0;
    int64_t changed = 0;
    read_back(w, m, &r);
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
