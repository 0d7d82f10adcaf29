/* dpor beside brute force, on small random programs: threads, locks, conditions, semaphores,
 * atomics, signals, bulk copies and accesses of several sizes to the same words. */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/map.h"
#include "base/mem.h"
#include "exhaust.h"
#include "explore/explore.h"
#include "pick/operation_name.h"
#include "predict/predict.h"
#include "proc/control/program.h"
#include "scratch.h"
#include "test.h"
#include "wire/prng.h"

enum { THREADS_MAX = 3, TEXT_SIZE = 64, EXECUTIONS_MAX = 3000 };

/* The program that executes the words of its arguments, built by clew. */
static const char *program(void)
{
    static const char *built;
    if (built != NULL) {
        return built;
    }
    built = scratch_path("random_program");
    char source[1024];
    (void)snprintf(source, sizeof source, "%s/test/control/random_program.c",
                   getenv("CLEW_SOURCE"));
    char *words[] = {getenv("CLEW"), (char *)"cc", (char *)"-g",  (char *)"-O1", (char *)"-pthread",
                     source,         (char *)"-o", (char *)built, NULL};
    pid_t child = 0;
    int status = 0;
    CHECK_INT(posix_spawn(&child, words[0], NULL, NULL, words, environ), 0);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_INT(status, 0);
    return built;
}

/* The possible results of a program. */
struct brute {
    uint64_t executions;
    struct map classes, keys;
};

struct prefix {
    VEC(uint64_t) names;
};

struct frontier {
    VEC(struct prefix) prefixes;
};

/* Every other choice at a step from `from` on begins an execution of its own. */
static void depart(struct frontier *f, const struct execution *x, size_t from)
{
    for (size_t i = from; i < x->steps.count; i++) {
        const struct step *s = &x->steps.at[i];
        for (uint32_t k = 0; k < s->pending_count; k++) {
            const uint64_t other = x->pending.at[s->pending_first + k].name;
            if (other == s->operation.name) {
                continue;
            }
            struct prefix p = {0};
            for (size_t j = 0; j < i; j++) {
                vec_push(&p.names, x->steps.at[j].operation.name);
            }
            vec_push(&p.names, other);
            vec_push(&f->prefixes, p);
        }
    }
}

static void run_prefix(struct world *w, const struct prefix *p, struct execution *x)
{
    struct err e = {.text = ""};
    VEC(struct pick_turn) turns = {0};
    for (uint32_t i = 0; i < p->names.count; i++) {
        vec_push(&turns, (struct pick_turn){.name = p->names.at[i], .step = i});
    }
    const struct plan plan = {.pick = {.turns = turns.at, .turn_count = turns.count},
                              .steps_max = CONTROL_STEPS_DEFAULT,
                              .wants_pending = true};
    if (world_run(w, &plan, x, &e) < 0) {
        fail_msg("%s", e.text);
    }
    vec_release(&turns);
}

/* False when there are too many. */
static bool brute_force(struct world *w, struct brute *b)
{
    struct frontier f = {0};
    struct execution x = {0};
    vec_push(&f.prefixes, (struct prefix){0});
    while (f.prefixes.count > 0 && b->executions <= EXECUTIONS_MAX) {
        struct prefix p = vec_pop(&f.prefixes);
        run_prefix(w, &p, &x);
        CHECK(x.outcome == OUTCOME_PASSED || outcome_is_violation(x.outcome));
        b->executions++;
        depart(&f, &x, p.names.count);
        map_put(&b->classes, exhaust_class(&x), 1);
        if (outcome_is_violation(x.outcome)) {
            map_put(&b->keys, name_text(x.key, strlen(x.key)), 1);
        }
        vec_release(&p.names);
    }
    const bool is_done = f.prefixes.count == 0;
    vec_each (&f.prefixes, p) {
        vec_release(&p->names);
    }
    vec_release(&f.prefixes);
    execution_release(&x);
    return is_done;
}

static void brute_release(struct brute *b)
{
    map_release(&b->classes);
    map_release(&b->keys);
}

static volatile sig_atomic_t never;

static void no_progress(void *context, const struct explore_progress *p)
{
    (void)context;
    (void)p;
}

/* Random words of a thread; each lock is released. */
static void random_words(struct prng *prng, char text[static TEXT_SIZE])
{
    static const char *const plain[] = {"r0", "r1", "w0", "w1", "w2", "R0", "W0", "b0", "b1",
                                        "i0", "i1", "c0", "c1", "o0", "o1", "a0", "a1", "d0",
                                        "e0", "t0", "p0", "v0", "x0", "x1", "m0", "M0", "n0"};
    static const char *const sections[][2] = {
        {"l0", "u0"}, {"l1", "u1"}, {"s0", "U0"}, {"S0", "U0"}};
    static const char *const whole[] = {"k0", "g0"};
    const uint64_t kind = prng_below(prng, 5);
    const char *first = plain[prng_below(prng, sizeof plain / sizeof *plain)];
    const char *second = plain[prng_below(prng, sizeof plain / sizeof *plain)];
    if (kind == 0) {
        const char *const *section = sections[prng_below(prng, 4)];
        (void)snprintf(text, TEXT_SIZE, "%s,%s,%s", section[0], first, section[1]);
    } else if (kind == 1) {
        (void)snprintf(text, TEXT_SIZE, "%s", whole[prng_below(prng, 2)]);
    } else {
        (void)snprintf(text, TEXT_SIZE, "%s,%s", first, second);
    }
}

static bool has_signals(char *const *words)
{
    for (words++; *words != NULL; words++) {
        if (strstr(*words, "n0") != NULL) {
            return true;
        }
    }
    return false;
}

static void check_dpor(struct world *w, const struct brute *b, char *const *words)
{
    const struct explore_options o = {.strategy = EXPLORE_DPOR,
                                      .search = {.depth = CONTROL_STEPS_DEFAULT, .seed = 1},
                                      .jobs = 1,
                                      .progress = no_progress,
                                      .is_stopped = &never};
    struct explored found = {0};
    struct err e = {.text = ""};
    if (explore(w, &o, &found, &e) < 0) {
        fail_msg("%s", e.text);
    }
    /* A signal that a task takes instead of going on may make a run redundant. */
    const bool is_same =
        found.violations.count == b->keys.entries.count &&
        (b->keys.entries.count > 0 || (found.executions == b->classes.entries.count &&
                                       (found.redundant_runs == 0 || has_signals(words))));
    if (!is_same) {
        fail_msg("%s %s %s: %llu runs, %llu redundant, %zu violations; there are %zu executions, "
                 "%zu violations",
                 words[1], words[2], words[3] == NULL ? "" : words[3],
                 (unsigned long long)found.runs, (unsigned long long)found.redundant_runs,
                 found.violations.count, b->classes.entries.count, b->keys.entries.count);
    }
    explored_release(&found);
}

/* The steps of x once more, with a choice before each access: the same execution. */
static void check_again(struct world *w, const struct execution *x)
{
    struct execution again = {0};
    struct prefix p = {0};
    vec_each (&x->steps, step) {
        vec_push(&p.names, step->operation.name);
    }
    run_prefix(w, &p, &again);
    CHECK(again.hash == x->hash);
    CHECK_INT(again.outcome, x->outcome);
    execution_release(&again);
    vec_release(&p.names);
}

/* Every run under wishes, with choices only where tasks meet, is one of the program's executions;
 * and each violation is found. */
static void check_directed(struct world *w, const struct brute *b)
{
    enum { RUNS = 400, AGAIN_ONE_IN = 20 };
    const struct search_options o = {
        .depth = CONTROL_STEPS_DEFAULT, .has_tasks = true, .seed = 1, .predict = predict_aims};
    struct search *s = search_directed(&o);
    struct execution x = {0};
    struct plan plan;
    struct map keys = {0};
    for (uint64_t i = 0; i < RUNS; i++) {
        struct err e = {.text = ""};
        CHECK(s->ops->next(s, i, &plan));
        if (world_run(w, &plan, &x, &e) < 0) {
            fail_msg("%s", e.text);
        }
        CHECK(x.outcome == OUTCOME_PASSED || outcome_is_violation(x.outcome));
        if (outcome_is_violation(x.outcome)) {
            const uint64_t key = name_text(x.key, strlen(x.key));
            CHECK(map_get(&b->keys, key) != NULL);
            map_put(&keys, key, 1);
        } else {
            CHECK(map_get(&b->classes, exhaust_class(&x)) != NULL);
        }
        s->ops->learn(s, &plan, &x);
        if (i % AGAIN_ONE_IN == 0) {
            check_again(w, &x);
        }
    }
    CHECK_INT(keys.entries.count, b->keys.entries.count);
    map_release(&keys);
    execution_release(&x);
    s->ops->free(s);
}

/* Whether it was small enough. */
static bool check_program(char *const *words)
{
    struct err e = {.text = ""};
    struct world *w = NULL;
    struct brute b = {0};
    const struct control_options options = {.command = words, .mode = CONTROL_MODE_AUTO};
    if (control_open(&w, &options, &e) < 0) {
        fail_msg("%s", e.text);
    }
    const bool is_small = brute_force(w, &b);
    CHECK(!control_told(w).is_inexact); /* no task was passed over: all loops count their rounds */
    if (is_small) {
        check_dpor(w, &b, words);
        check_directed(w, &b);
    }
    brute_release(&b);
    world_close(w);
    return is_small;
}

TEST(dpor_makes_one_run_of_each_execution_of_random_programs)
{
    struct prng prng;
    prng_init(&prng, 1);
    const uint64_t wanted = test_count(25, 300);
    for (uint64_t checked = 0; checked < wanted;) {
        char texts[THREADS_MAX][TEXT_SIZE];
        char *words[THREADS_MAX + 2] = {(char *)program()};
        const uint64_t thread_count = 2 + prng_below(&prng, 2);
        for (uint64_t i = 0; i < thread_count; i++) {
            random_words(&prng, texts[i]);
            words[i + 1] = texts[i];
        }
        checked += check_program(words);
    }
}
