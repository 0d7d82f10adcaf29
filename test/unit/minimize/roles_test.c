/* One node in the place of another. */
#include "minimize/minimize.h"
#include "random_system.h"
#include "system.h"
#include "test.h"

static volatile sig_atomic_t never;

/* A worker breaks once it has work for each of those behind it, and its own. */
enum { WORKERS = 4 };
enum { NOTE, WORK };
static const char *const messages[] = {"note", "work", NULL};

struct worker {
    int works;
};

static void ask(void)
{
    for (int i = 1; i < WORKERS; i++) {
        clew_request(i, NOTE, NULL, 0);
    }
    for (int i = 0; i < WORKERS * WORKERS; i++) {
        clew_request(i / WORKERS, WORK, NULL, 0);
    }
}

static void get(void *state, const struct clew_message *m)
{
    ((struct worker *)state)->works += m->type == WORK;
}

static bool can_work(const struct clew_view *view)
{
    for (int i = 0; i < WORKERS; i++) {
        if (((const struct worker *)view->states[i])->works >= WORKERS - i) {
            return false;
        }
    }
    return true;
}

static const struct clew_property properties[] = {{.name = "can work", .holds = can_work}, {0}};
static const struct clew_system workers = {.version = CLEW_SIM_VERSION,
                                           .size = sizeof(struct clew_system),
                                           .name = "workers",
                                           .node_count = WORKERS,
                                           .messages = messages,
                                           .state_size = sizeof(struct worker),
                                           .setup = ask,
                                           .message = get,
                                           .properties = properties};

static void reduce(struct world *w, const struct plan *p, uint32_t stages, struct minimized *m)
{
    struct err e = {.text = ""};
    const struct minimize_options o = {.stages = stages, .is_stopped = &never};
    if (minimize(w, p, &o, m, &e) < 0) {
        fail_msg("%s", e.text);
    }
}

TEST(a_violation_may_show_sooner_on_another_node)
{
    const uint32_t singles = 1u << STAGE_SINGLES;
    struct minimized m;
    struct world *w = system_open(&workers, "datagram");
    reduce(w, &(struct plan){0}, singles, &m);
    CHECK_INT(m.initial_steps, WORKERS - 1 + WORKERS);
    CHECK_INT(m.best.steps.count, WORKERS);
    minimized_release(&m);
    reduce(w, &(struct plan){0}, singles | 1u << STAGE_ROLES, &m);
    CHECK_INT(m.best.steps.count, 1);
    CHECK_INT(m.best.steps.at[0].operation.node, WORKERS - 1);
    minimized_release(&m);
    world_close(w);
}

/* Two that change places twice are where they were, whatever they do. */
static uint32_t check_exchanged(struct world *w, const struct execution *x)
{
    uint32_t moved = 0;
    vec_each (&x->steps, step) {
        const struct pick_operation *o = &step->operation;
        struct pick_operation other = *o;
        other.action = w->ops->exchanged(w, o, 0, 1);
        other.node = o->node < 2 ? 1 - o->node : o->node;
        CHECK(o->node > 1 || other.action != o->action);
        CHECK_INT(w->ops->exchanged(w, &other, 0, 1), o->action);
        moved += other.action != o->action;
    }
    return moved;
}

TEST(all_that_nodes_do_can_be_exchanged)
{
    struct prng prng;
    struct err e = {.text = ""};
    prng_init(&prng, 1);
    uint32_t moved = 0;
    uint32_t faults = 0;
    for (int i = 0; i < 300; i++) {
        const struct random_system_options o = {
            .has_timers = true, .has_disk = true, .can_fail = true};
        struct plan p = {0};
        struct execution x = {0};
        CHECK_INT(fault_budget_parse(&p.faults, "crash=1,restart=1,drop=1,slow-disk=1", &e), 0);
        struct world *w = system_open(random_system(&prng, &o), i % 2 == 0 ? "fifo" : "datagram");
        if (system_break(w, &p, &prng, &x)) {
            moved += check_exchanged(w, &x);
            vec_each (&x.steps, step) {
                faults += step->operation.fault != 0;
            }
        }
        execution_release(&x);
        world_close(w);
    }
    CHECK(moved > 100);
    CHECK(faults > 20);
}
