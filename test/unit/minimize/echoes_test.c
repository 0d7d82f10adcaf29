/* Echoes: what they hold, and what they are good for. */
#include "minimize/stages/stages.h"
#include "system.h"
#include "test.h"
#include "wire/prng.h"

static volatile sig_atomic_t never;

enum { STEPS = 240, ECHOES = 3000 };

/* A past whose steps are all different, so that a want says which it is of: some come from outside,
 * some crash a node that restarts later, some may not be ignored. */
struct made {
    struct step steps[STEPS];
    uint32_t partner_of[STEPS];
};

static void make_past(struct made *m, struct prng *prng)
{
    *m = (struct made){0};
    for (uint32_t i = 0; i < STEPS; i++) {
        struct pick_operation *o = &m->steps[i].operation;
        o->action = i + 1;
        o->is_external = prng_below(prng, 4) == 0;
        o->is_unignorable = prng_below(prng, 40) == 0;
        m->partner_of[i] = i;
    }
    for (uint32_t i = 0; i + 20 < STEPS; i += 20) {
        const uint32_t restart = i + 1 + (uint32_t)prng_below(prng, 19);
        m->steps[i].operation.fault = FAULT_CRASH;
        m->steps[restart].operation.fault = FAULT_RESTART;
        m->partner_of[i] = restart;
        m->partner_of[restart] = i;
    }
}

static void check_echo(const struct made *m, const struct candidate *c)
{
    uint32_t times[STEPS] = {0};
    vec_each (&c->wants, want) {
        CHECK(want->action >= 1 && want->action <= STEPS);
        times[want->action - 1]++;
    }
    for (uint32_t i = 0; i < STEPS; i++) {
        const struct pick_operation *o = &m->steps[i].operation;
        CHECK_INT(o->fault != 0 && times[i] != times[m->partner_of[i]], 0);
        CHECK(o->fault == 0 || times[i] <= 1);
        CHECK(!o->is_unignorable || times[i] >= 1);
    }
}

TEST(atoms_stay_whole_and_what_may_not_be_ignored_stays)
{
    struct minimized found = {0};
    struct reducer r = {.result = &found};
    struct made made;
    struct prng prng;
    prng_init(&prng, 11);
    for (uint32_t i = 0; i < ECHOES; i++) {
        if (i % 100 == 0) {
            make_past(&made, &prng);
        }
        const struct past past = {made.steps, made.partner_of, STEPS};
        CHECK(splice_windows_are_worth(&past));
        splice_windows_draw(&r, &past, &prng);
        check_echo(&made, &r.candidate);
    }
    reducer_release(&r);
}

/* A lock that opens when its keys were turned in order: by chance that takes long, and only the end
 * of it matters. */
static const uint8_t secret[] = {0, 1, 2, 0, 1, 2};
static const char *const messages[] = {"a", "b", "c", NULL};

struct lock {
    uint32_t right;
};

static void start(void *state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        clew_send(0, i, NULL, 0);
    }
}

static void turn(void *state, const struct clew_message *m)
{
    struct lock *lock = state;
    lock->right = m->type == secret[lock->right] ? lock->right + 1 : m->type == secret[0];
    clew_send(0, m->type, NULL, 0);
}

static bool is_locked(const struct clew_view *view)
{
    const struct lock *lock = view->states[0];
    return lock == NULL || lock->right < sizeof secret;
}

static const struct clew_property properties[] = {{.name = "locked", .holds = is_locked}, {0}};
static const struct clew_system system_of_keys = {.version = CLEW_SIM_VERSION,
                                                  .size = sizeof(struct clew_system),
                                                  .name = "lock",
                                                  .node_count = 1,
                                                  .messages = messages,
                                                  .state_size = sizeof(struct lock),
                                                  .start = start,
                                                  .message = turn,
                                                  .properties = properties};

/* From a run by chance of three hundred steps or more, by echoes alone. */
static void minimize_long(struct minimized *m)
{
    struct world *w = system_open(&system_of_keys, "datagram");
    struct execution x = {0};
    struct plan p = {.pick = {.strategy = PICK_RANDOM, .seed = 1}, .steps_max = 5000};
    for (system_run(w, &p, &x); p.pick.seed < 100 && x.steps.count < 300; system_run(w, &p, &x)) {
        p.pick.seed++;
    }
    CHECK_INT(x.outcome, OUTCOME_PROPERTY);
    struct err e = {.text = ""};
    CHECK_INT(minimize(w, &p,
                       &(struct minimize_options){.is_stopped = &never,
                                                  .stages = UINT32_C(1) << STAGE_ECHOES},
                       m, &e),
              0);
    execution_release(&x);
    world_close(w);
}

TEST(the_end_of_a_long_run_is_enough)
{
    struct minimized m;
    minimize_long(&m);
    CHECK(m.initial_steps >= 300);
    CHECK(m.best.steps.count < 60); /* from there on other stages do better */
    CHECK(m.stages[STAGE_ECHOES].replays < 1000);
    minimized_release(&m);
}

TEST(what_has_made_replays_is_not_said_to_have_nothing_to_do)
{
    struct minimized m;
    minimize_long(&m);
    CHECK(m.best.steps.count < 60);
    CHECK_TEXT(m.stages[STAGE_ECHOES].note, "");
    minimized_release(&m);
}
