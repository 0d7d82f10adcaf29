/* Candidates of a long run, as minimizing makes them by the thousand, beside the same candidates
 * run as a whole with everything listed at each step: of all case studies and their bugs, with fuzz
 * files, with specifications, with how each step changed its node. */
#include <stdlib.h>
#include <unistd.h>

#include "sim/sim.h"
#include "system.h"
#include "test.h"
#include "wire/prng.h"

/* The state of the system that candidates belong to, and the reports about them. */
struct course {
    struct world *world;
    struct plan common; /* of all candidates: seed and faults */
    struct prng prng;
    VEC(struct pick_want) wants; /* all of the run's steps */
    VEC(struct pick_want) left;  /* those of a candidate */
    struct execution quick;
    struct execution whole;
    uint64_t reused; /* steps in all */
};

static void course_begin(struct course *c, struct world *w, uint64_t seed)
{
    struct err e = {.text = ""};
    *c = (struct course){.world = w};
    prng_init(&c->prng, seed);
    CHECK_INT(
        fault_budget_parse(&c->common.faults,
                           sim_defaults(w).faults[0] == '\0' ? "none" : sim_defaults(w).faults, &e),
        0);
}

static void course_end(struct course *c)
{
    vec_release(&c->wants);
    vec_release(&c->left);
    execution_release(&c->quick);
    execution_release(&c->whole);
    world_close(c->world);
}

/* Takes the longest of some random runs. */
static void draw_run(struct course *c, uint32_t steps_max)
{
    for (uint32_t i = 0; i < 6; i++) {
        struct plan p = c->common;
        p.steps_max = steps_max;
        p.pick = (struct pick_plan){
            .strategy = PICK_RANDOM, .seed = prng_next(&c->prng), .has_rare_timers = i % 2 == 0};
        system_run(c->world, &p, &c->quick);
        if (c->quick.steps.count <= c->wants.count) {
            continue;
        }
        c->common.pick.seed = p.pick.seed;
        vec_clear(&c->wants);
        vec_each (&c->quick.steps, step) {
            const struct pick_operation *o = &step->operation;
            vec_push(&c->wants, (struct pick_want){.action = o->action,
                                                   .content = o->content,
                                                   .fault = o->fault,
                                                   .is_unignorable = o->is_unignorable});
        }
    }
}

/* Leaves out some in a row, or a share of all that follow the first that goes; where that is. */
static uint32_t draw_candidate(struct course *c)
{
    const uint32_t count = (uint32_t)c->wants.count;
    const uint32_t first = (uint32_t)prng_below(&c->prng, count);
    const uint32_t length = 1 + (uint32_t)prng_below(&c->prng, count - first);
    const uint64_t one_in = UINT64_C(1) << prng_below(&c->prng, 8);
    const uint8_t match = (uint8_t)prng_below(&c->prng, PICK_NEWEST + 1);
    const bool is_mixed = prng_below(&c->prng, 8) == 0;
    vec_clear(&c->left);
    for (uint32_t i = 0; i < count; i++) {
        const bool is_out =
            i == first ||
            (i > first && (one_in == 1 ? i < first + length : prng_below(&c->prng, one_in) == 0));
        if (!is_out || c->wants.at[i].is_unignorable) {
            vec_push(&c->left, c->wants.at[i]);
            vec_last(&c->left)->match =
                is_mixed ? (uint8_t)prng_below(&c->prng, PICK_NEWEST + 1) : match;
        }
    }
    return first;
}

static void check_equal(const struct execution *a, const struct execution *b)
{
    CHECK_INT(a->outcome, b->outcome);
    CHECK_TEXT(a->what, b->what);
    CHECK_TEXT(a->key, b->key);
    CHECK_INT(a->hash, b->hash);
    CHECK_INT(a->without.count, b->without.count);
    for (size_t i = 0; i < a->without.count; i++) {
        CHECK_INT(a->without.at[i], b->without.at[i]);
    }
    CHECK_INT(a->steps.count, b->steps.count);
    for (size_t i = 0; i < a->steps.count; i++) {
        const struct step *of_a = &a->steps.at[i];
        const struct step *of_b = &b->steps.at[i];
        CHECK_INT(of_a->operation.name, of_b->operation.name);
        CHECK_INT(of_a->operation.content, of_b->operation.content);
        CHECK_INT(of_a->cause, of_b->cause);
        CHECK_INT(of_a->transition, of_b->transition);
    }
}

/* One candidate in STRAY_ONE_IN has other random numbers, or is asked other questions, or follows a
 * run of another kind. */
enum { STRAY_ONE_IN = 16 };

static void stray(struct course *c)
{
    struct plan p = c->common;
    p.steps_max = 40;
    p.pick = (struct pick_plan){.strategy = PICK_RANDOM, .seed = prng_next(&c->prng)};
    system_run(c->world, &p, &c->whole);
}

static void check_candidates(struct course *c, uint64_t count)
{
    for (uint64_t i = 0; i < count && c->wants.count > 0; i++) {
        if (prng_below(&c->prng, STRAY_ONE_IN) == 0) {
            stray(c);
        }
        const uint32_t first = draw_candidate(c);
        struct plan p = c->common;
        p.pick.wants = c->left.at;
        p.pick.want_count = c->left.count;
        p.wants_kept = first;
        p.pick.seed += prng_below(&c->prng, STRAY_ONE_IN) == 0;
        p.wants_transitions ^= prng_below(&c->prng, STRAY_ONE_IN) == 0;
        system_run(c->world, &p, &c->quick);
        p.wants_pending = true;
        system_run(c->world, &p, &c->whole);
        check_equal(&c->quick, &c->whole);
        CHECK_INT(c->whole.steps_reused, 0);
        c->reused += c->quick.steps_reused;
    }
}

/* The case studies */

static const struct {
    const char *library;
    const char *settings; /* beside its bugs */
} cases[] = {{"raft", "demi=1,patience=1,commands=60"},
             {"raft", "commands=20"},
             {"spark", "workers=8,jobs=12"},
             {"taxdc", ""},
             {"cyclon", "cycles=12"},
             {"libraft", ""}};

/* NULL where it was not built. */
static struct world *open_case(const char *library, const struct sim_options *options)
{
    struct err e = {.text = ""};
    struct world *w = NULL;
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/cases/%s.so", getenv("CLEW_BUILD"), library);
    if (access(path, R_OK) == 0 && sim_open(&w, path, options, &e) < 0) {
        fail_msg("%s", e.text);
    }
    return w;
}

/* The bug of this number, NULL when there is none; the first is no bug at all. */
static const char *bug_of(const char *library, uint32_t number)
{
    static char name[80];
    struct world *w = open_case(library, &(struct sim_options){0});
    const struct clew_bug *bugs = w == NULL ? NULL : sim_choices(w).bugs;
    for (uint32_t i = 1; i < number && bugs != NULL && bugs->name != NULL; i++) {
        bugs++;
    }
    const bool is_any = w != NULL && (number == 0 || (bugs != NULL && bugs->name != NULL));
    (void)snprintf(name, sizeof name, "%s", is_any && number > 0 ? bugs->name : "");
    world_close(w);
    return is_any ? name : NULL;
}

/* Candidates of one case with one of its bugs; how many steps were not taken again. */
static uint64_t check_case(size_t which, const char *bug, const struct sim_options *options,
                           bool wants_transitions)
{
    char with[200];
    const char *settings = cases[which].settings;
    (void)snprintf(with, sizeof with, "%s%s%s", bug,
                   bug[0] == '\0' || settings[0] == '\0' ? "" : ",", settings);
    struct sim_options chosen = *options;
    chosen.with = with[0] == '\0' ? NULL : with;
    struct course c;
    course_begin(&c, open_case(cases[which].library, &chosen), which + 1);
    c.common.wants_transitions = wants_transitions;
    for (uint64_t i = 0; i < test_count(1, 4); i++) {
        vec_clear(&c.wants);
        draw_run(&c, (uint32_t)test_count(400, 3000));
        check_candidates(&c, test_count(40, 200));
    }
    course_end(&c);
    return c.reused;
}

static uint64_t check_cases(const struct sim_options *options, bool wants_transitions)
{
    uint64_t reused = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *bug = NULL;
        for (uint32_t k = 0; (bug = bug_of(cases[i].library, k)) != NULL; k++) {
            reused += check_case(i, bug, options, wants_transitions);
        }
    }
    return reused;
}

TEST(candidates_of_case_studies_come_to_what_whole_runs_do)
{
    CHECK(check_cases(&(struct sim_options){0}, false) > 5000);
}

TEST(and_with_how_each_step_changed_its_node)
{
    CHECK(check_cases(&(struct sim_options){0}, true) > 5000);
}

/* Specifications: of one moment, looking back, and looking ahead. Those that count messages fit
 * every system whose nodes are called so. */
static const char *const formulas[] = {
    "a: never messages(n1, n2) > 6",
    "b: always (messages(n1, n2) < 5 or once messages(n2, n1) = 3)",
    "c: never steps > 350 and messages(n2, n1) = 1",
    "d: never (messages(n1, n2) > 3 since messages(n2, n1) > 3) and messages(n1, n2) = 4",
    "e: always messages(n1, n2) = 3 leads to messages(n2, n1) = 3",
    "f: always once <= 40ms messages(n1, n2) = 0",
};

static void read_spec(struct spec *s, const char *text)
{
    struct err e = {.text = ""};
    struct in in;
    spec_init(s);
    in_open_memory(&in, text, strlen(text));
    if (spec_parse(s, &in, &e) < 0) {
        fail_msg("%s", e.text);
    }
}

TEST(and_with_specifications)
{
    uint64_t reused = 0;
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        struct spec spec;
        read_spec(&spec, formulas[i]);
        reused += check_case(i % 2, i % 3 == 0 ? "raft-56" : "raft-42",
                             &(struct sim_options){.spec = &spec}, i % 3 == 0);
        spec_release(&spec);
    }
    CHECK(reused > 1000);
}

/* Fuzz files: nodes that forward their messages, and external events. */

enum { NODES = 3 };
enum { PUT, PASS };
enum { TICK };
static const char *const messages[] = {"put", "pass", NULL};
static const char *const timers[] = {"tick", NULL};

struct node {
    int64_t count;
    uint32_t ticks;
};

static void begin(void *state)
{
    (void)state;
    clew_variable("count", 0);
    clew_timer_set(TICK, 2);
}

static void take(void *state, const struct clew_message *m)
{
    struct node *node = state;
    clew_variable("count", ++node->count);
    if (m->type == PUT || node->count % 4 == 0) {
        clew_send((clew_self() + 1 + (int)clew_random(2)) % NODES, PASS, m->bytes, m->size);
    }
}

static void tick(void *state, int timer)
{
    struct node *node = state;
    node->ticks = (node->ticks + 1) % 3;
    clew_timer_set(timer, 2);
}

static bool is_balanced(const struct clew_view *view)
{
    const struct node *a = view->states[0];
    const struct node *b = view->states[1];
    return a == NULL || b == NULL || a->count < 12 || b->count != 7;
}

static const struct clew_property properties[] = {{.name = "balance", .holds = is_balanced}, {0}};
static const struct clew_system passing = {.version = CLEW_SIM_VERSION,
                                           .size = sizeof(struct clew_system),
                                           .name = "passing",
                                           .node_count = NODES,
                                           .messages = messages,
                                           .timers = timers,
                                           .state_size = sizeof(struct node),
                                           .properties = properties,
                                           .start = begin,
                                           .message = take,
                                           .timer = tick};

static const char *const events[] = {
    "  - {request: put, to: any, numbers: [0..2]}\n",
    "  - {request: pass, to: n2, numbers: [0..2]}\n",
    "  - {request: put, to: n1, numbers: [7]}\n",
    "  - crash: n2\n",
    "  - crash: any\n",
    "  - restart: any\n",
    "  - partition: n3\n",
    "  - heal: any\n",
    "  - wait: rest\n",
    "  - wait: n1.count >= 3\n",
    "  - wait: n2.count = 2 or messages(n1, n2) > 1\n",
};

static const char *const others[] = {
    "",
    "generate:\n"
    "  events: 40\n"
    "  from:\n"
    "    - {request: put, to: any, numbers: [0..3], weight: 9}\n"
    "    - {crash: any, most: 3}\n"
    "    - {restart: any, needs: crash}\n",
    "check_every: 3\n",
    "channels: [{from: n1, to: n2, net: datagram}]\nfingerprint: what\n",
    "faults: crash=1,restart=1,drop=2\n",
};

static void read_fuzz(struct fuzz *f, const char *text, size_t size)
{
    struct err e = {.text = ""};
    struct in in;
    in_open_memory(&in, text, size);
    *f = (struct fuzz){0};
    if (fuzz_read(f, &in, &e) < 0) {
        fail_msg("%s", e.text);
    }
}

static void draw_fuzz(struct fuzz *f, struct prng *prng)
{
    struct out text;
    out_open_memory(&text);
    out_text(&text, "initial:\n");
    for (uint32_t i = 0; i < 40; i++) {
        const bool is_request = prng_below(prng, 4) != 0;
        out_text(&text, events[prng_below(prng, is_request ? 3 : sizeof events / sizeof *events)]);
    }
    out_text(&text, others[prng_below(prng, sizeof others / sizeof *others)]);
    read_fuzz(f, text.buffer, text.used);
    out_abandon(&text);
}

static struct world *open_passing(const struct clew_system *system,
                                  const struct sim_options *options)
{
    struct err e = {.text = ""};
    struct world *w = NULL;
    if (sim_open_system(&w, system, &clew_calls, options, &e) < 0) {
        fail_msg("%s", e.text);
    }
    return w;
}

TEST(and_with_fuzz_files)
{
    static const char *const said[] = {"none: never false", "a: never n1.count > 9",
                                       "b: always (n2.count < 5 or once n1.count > 4)",
                                       "c: always n1.count = 3 leads to n2.count = 4"};
    struct prng prng;
    uint64_t reused = 0;
    prng_init(&prng, 1);
    for (uint64_t i = 0; i < test_count(40, 600); i++) {
        struct fuzz fuzz;
        struct spec spec;
        const uint64_t which = prng_below(&prng, sizeof said / sizeof *said);
        draw_fuzz(&fuzz, &prng);
        read_spec(&spec, said[which]);
        const struct sim_options options = {
            .fuzz = &fuzz, .fuzz_name = "drawn", .spec = which == 0 ? NULL : &spec};
        struct course c;
        course_begin(&c, open_passing(&passing, &options), i);
        c.common.wants_transitions = prng_below(&prng, 3) == 0;
        draw_run(&c, 200);
        check_candidates(&c, test_count(30, 100));
        course_end(&c);
        reused += c.reused;
        spec_release(&spec);
        fuzz_release(&fuzz);
    }
    CHECK(reused > 5000);
}

TEST(and_of_systems_with_much_memory)
{
    static const char requests[] = "generate:\n"
                                   "  events: 300\n"
                                   "  from: [{request: put, to: any, numbers: [0..3]}]\n";
    struct clew_system large = passing;
    large.state_size = 200 << 10;
    large.properties = NULL;
    struct fuzz fuzz;
    read_fuzz(&fuzz, requests, sizeof requests - 1);
    struct course c;
    course_begin(
        &c, open_passing(&large, &(struct sim_options){.fuzz = &fuzz, .fuzz_name = "drawn"}), 1);
    draw_run(&c, 700);
    check_candidates(&c, test_count(60, 300));
    course_end(&c);
    fuzz_release(&fuzz);
    CHECK(c.reused > 500);
}
