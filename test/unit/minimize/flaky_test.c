/* Systems that do not behave the same every time: what shows by luck is not taken for a result. */
#include "minimize/minimize.h"
#include "pick/operation_name.h"
#include "test.h"

static volatile sig_atomic_t never;

/* A world that does whatever is wanted of four steps. It breaks when the first and the last have
 * come: always with the second between them, without it in one run of so many. The third does
 * nothing. */
enum { FIRST, STEADY, IDLE, LAST, STEPS };

struct moody {
    struct world world;
    uint32_t runs;         /* so far */
    uint32_t mood_every;   /* the first of so many runs breaks without the steady step */
    bool is_never_itself;  /* no run has the hash of another */
    uint32_t broken_count; /* how many of them broke without the steady step */
};

static void take(struct execution *x, uint32_t index)
{
    const struct pick_operation o = {.name = index + 1, .action = index + 1};
    vec_push(&x->steps, (struct step){.operation = o, .cause = STEP_NONE});
    x->hash = name_mix(x->hash, o.name);
}

static bool has(const struct execution *x, uint32_t index)
{
    vec_each (&x->steps, step) {
        if (step->operation.name == index + 1) {
            return true;
        }
    }
    return false;
}

static int run_moody(struct world *w, const struct plan *p, struct execution *x, struct err *e)
{
    struct moody *m = (struct moody *)w;
    const bool is_in_mood = m->runs++ % m->mood_every == 0;
    (void)e;
    if (p->pick.wants != NULL) {
        for (size_t i = 0; i < p->pick.want_count; i++) {
            take(x, (uint32_t)p->pick.wants[i].action - 1);
        }
    } else {
        const size_t count =
            p->pick.turn_count == 0 && p->steps_max == 0 ? STEPS : p->pick.turn_count;
        for (uint32_t i = 0; i < count; i++) {
            take(x, p->pick.turn_count == 0 ? i : (uint32_t)p->pick.turns[i].name - 1);
        }
    }
    x->hash = name_mix(x->hash, m->is_never_itself ? m->runs : 0);
    const bool is_there = has(x, FIRST) && has(x, LAST);
    const bool is_lucky = is_there && !has(x, STEADY) && is_in_mood;
    m->broken_count += is_lucky;
    x->outcome = is_there && (has(x, STEADY) || is_lucky) ? OUTCOME_PROPERTY : OUTCOME_LIMIT;
    return 0;
}

static const struct world_ops moody_ops = {.name = "moody", .run = run_moody};

/* Minimizes with singles alone; how many steps are left, 0 when it fails. */
static size_t reduce(struct moody *m, uint32_t wanted, uint32_t runs)
{
    struct minimized result;
    struct err e = {.text = ""};
    m->world.ops = &moody_ops;
    const struct minimize_options o = {.is_stopped = &never,
                                       .stages = 1u << STAGE_SINGLES,
                                       .repeat_wanted = wanted,
                                       .repeat_runs = runs};
    const size_t left =
        minimize(&m->world, &(struct plan){0}, &o, &result, &e) == 0 ? result.best.steps.count : 0;
    CHECK(left > 0 || strstr(e.text, "does not show the same violation in every replay") == e.text);
    minimized_release(&result);
    return left;
}

TEST(what_shows_once_by_luck_is_not_taken)
{
    uint32_t lucky = 0;
    for (uint32_t every = 2; every < 12; every++) {
        struct moody m = {.mood_every = every};
        CHECK_INT(reduce(&m, 0, 0), 3);
        lucky += m.broken_count;
    }
    CHECK(lucky > 0);
}

TEST(so_many_of_so_many_replays_must_show_it)
{
    struct moody often = {.mood_every = 2};
    CHECK_INT(reduce(&often, 2, 4), 2);
    often.runs = 0;
    CHECK_INT(reduce(&often, 3, 4), 3);
    struct moody seldom = {.mood_every = 3};
    CHECK_INT(reduce(&seldom, 1, 3), 2);
    seldom.runs = 0;
    CHECK_INT(reduce(&seldom, 2, 3), 3);
}

TEST(one_that_is_never_itself_is_refused_unless_it_is_repeated)
{
    struct moody m = {.mood_every = 1, .is_never_itself = true};
    CHECK_INT(reduce(&m, 0, 0), 0);
    CHECK_INT(reduce(&m, 2, 2), 2);
}
