/* Measures the solvers on questions that race analysis asks: may two events of threads that share
 * locks and messages be at the same time? Prints a table; every verdict of libz3 must be that of
 * the native solver. */
#include <stdio.h>

#include "base/arena.h"
#include "base/limit.h"
#include "solve/solve.h"
#include "wire/prng.h"

struct shape {
    uint32_t thread_count;
    uint32_t section_count; /* of each thread: LOCK, access, UNLOCK */
    uint32_t lock_count;
    uint32_t question_count;
};

/* A variable is (thread, section, place): 0 LOCK, 1 the access, 2 UNLOCK. */
static uint32_t variable(const struct shape *shape, uint32_t thread, uint32_t section,
                         uint32_t place)
{
    return (thread * shape->section_count + section) * 3 + place;
}

/* Sections of one lock never overlap. */
static void add_exclusions(struct problem *p, const struct shape *shape, const uint32_t *lock_of)
{
    const uint32_t section_total = shape->thread_count * shape->section_count;
    for (uint32_t a = 0; a < section_total; a++) {
        for (uint32_t b = 0; b < a; b++) {
            const bool is_same_thread = a / shape->section_count == b / shape->section_count;
            if (lock_of[a] == lock_of[b] && !is_same_thread) {
                problem_add_either(p, solve_before(a * 3 + 2, b * 3),
                                   solve_before(b * 3 + 2, a * 3));
            }
        }
    }
}

/* Threads in program order, a message from each section to a later one of another thread now and
 * then, and locks. */
static void build(struct problem *p, const struct shape *shape, struct prng *prng,
                  struct arena *scratch)
{
    const uint32_t section_total = shape->thread_count * shape->section_count;
    uint32_t *lock_of = arena_array(scratch, uint32_t, section_total);
    (void)problem_variables(p, section_total * 3);
    for (uint32_t i = 0; i < section_total; i++) {
        lock_of[i] = (uint32_t)prng_below(prng, shape->lock_count);
        const uint32_t section = i % shape->section_count;
        for (uint32_t place = section == 0 ? 1 : 0; place < 3; place++) {
            problem_add(p, solve_before(i * 3 + place - 1, i * 3 + place));
        }
        if (prng_below(prng, 4) == 0 && section + 1 < shape->section_count) {
            const uint32_t peer = (uint32_t)prng_below(prng, shape->thread_count);
            problem_add(p, solve_before(i * 3 + 1, variable(shape, peer, section + 1, 0)));
        }
    }
    add_exclusions(p, shape, lock_of);
}

struct result {
    double seconds;
    uint64_t sat_count;
    uint64_t unknown_count;
};

static struct result measure(const struct problem *p, const struct shape *shape, enum solve_way way)
{
    struct err e = {0};
    struct solver *s = solver_new(&(struct solver_options){.way = way}, p, &e);
    must(s != NULL);
    struct prng prng;
    prng_init(&prng, 7);
    struct result result = {0};
    const double begin = limit_usage().cpu_seconds;
    for (uint32_t i = 0; i < shape->question_count; i++) {
        const uint32_t section_total = shape->thread_count * shape->section_count;
        const struct solve_atom assumed =
            solve_same((uint32_t)prng_below(&prng, section_total) * 3 + 1,
                       (uint32_t)prng_below(&prng, section_total) * 3 + 1);
        struct solve_answer answer;
        solver_decide(s, &(struct solve_question){.assumed = &assumed, .assumed_count = 1},
                      &answer);
        result.sat_count += answer.verdict == SOLVE_SAT;
        result.unknown_count += answer.verdict == SOLVE_UNKNOWN;
    }
    result.seconds = limit_usage().cpu_seconds - begin;
    solver_free(s);
    return result;
}

int main(void)
{
    static const struct shape shapes[] = {
        {.thread_count = 4, .section_count = 10, .lock_count = 2, .question_count = 500},
        {.thread_count = 8, .section_count = 20, .lock_count = 4, .question_count = 500},
        {.thread_count = 8, .section_count = 50, .lock_count = 16, .question_count = 500},
        {.thread_count = 16, .section_count = 50, .lock_count = 8, .question_count = 200},
    };
    (void)printf("variables  clauses  questions    sat  native us each  libz3 us each   ratio\n");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct shape *shape = &shapes[i];
        struct arena scratch = {0};
        struct problem p = {0};
        struct prng prng;
        prng_init(&prng, 1);
        build(&p, shape, &prng, &scratch);
        const struct result native = measure(&p, shape, SOLVE_NATIVE);
        const struct result libz3 = measure(&p, shape, SOLVE_LIBZ3);
        must(native.sat_count == libz3.sat_count);
        must(native.unknown_count + libz3.unknown_count == 0);
        const double each = 1e6 / shape->question_count;
        (void)printf("%9u %8zu %10u %6llu %15.1f %14.1f %7.0f\n", p.variable_count, p.clauses.count,
                     shape->question_count, (unsigned long long)native.sat_count,
                     native.seconds * each, libz3.seconds * each, libz3.seconds / native.seconds);
        problem_release(&p);
        arena_release(&scratch);
    }
    return 0;
}
