#include "spec/checker.h"

#include "base/arena.h"
#include "random_spec.h"
#include "slow_spec.h"
#include "test.h"

/* A printed formula parses as the same one */

struct pair {
    const struct spec *first, *second;
};

static bool is_same_name(const struct pair *p, uint32_t a, uint32_t b)
{
    return strcmp(names_text(&p->first->names, a), names_text(&p->second->names, b)) == 0;
}

static bool is_same_process(const struct pair *p, const struct spec_process *a,
                            const struct spec_process *b)
{
    return is_same_name(p, a->name, b->name) &&
           (a->binder == SPEC_NONE) == (b->binder == SPEC_NONE);
}

static bool is_same_tree(const struct pair *p, uint32_t a, uint32_t b)
{
    if (a == SPEC_NONE || b == SPEC_NONE) {
        return a == b;
    }
    const struct spec_node *m = spec_at(p->first, a);
    const struct spec_node *n = spec_at(p->second, b);
    return m->op == n->op && m->relation == n->relation && m->is_temporal == n->is_temporal &&
           m->number == n->number && is_same_process(p, &m->process, &n->process) &&
           is_same_process(p, &m->other, &n->other) && is_same_name(p, m->variable, n->variable) &&
           is_same_name(p, m->group, n->group) && is_same_tree(p, m->left, n->left) &&
           is_same_tree(p, m->right, n->right);
}

static void print_and_parse(struct spec *again, const struct spec *s, uint64_t seed)
{
    struct out out;
    struct in in;
    struct err e = {.text = ""};
    out_open_memory(&out);
    spec_print(s, &out);
    in_open_memory(&in, out.buffer, out.used);
    spec_init(again);
    if (spec_parse(again, &in, &e) < 0) {
        fail_msg("seed %llu: %s in\n%.*s", (unsigned long long)seed, e.text, (int)out.used,
                 out.buffer);
    }
    const struct pair p = {s, again};
    if (!is_same_tree(&p, s->properties.at[0].root, again->properties.at[0].root)) {
        fail_msg("seed %llu: another tree from\n%.*s", (unsigned long long)seed, (int)out.used,
                 out.buffer);
    }
    CHECK_INT(s->properties.at[0].claim, again->properties.at[0].claim);
    CHECK_INT(s->properties.at[0].severity, again->properties.at[0].severity);
    out_abandon(&out);
}

TEST(what_is_printed_is_parsed_as_the_same)
{
    const uint64_t count = test_count(3000, 100000);
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct prng prng;
        prng_init(&prng, seed);
        struct spec s;
        struct spec again;
        spec_init(&s);
        random_spec(&s,
                    &(struct random_spec){.depth = 1 + (unsigned)prng_below(&prng, 6),
                                          .is_temporal = true,
                                          .has_clocks = true,
                                          .has_long_bounds = true},
                    &prng);
        print_and_parse(&again, &s, seed);
        spec_release(&again);
        spec_release(&s);
    }
}

/* Verdicts equal those of the definition */

enum { STEPS_MAX = 8, TURNS = 60, ROOM = STEPS_MAX * (TURNS + 1) };

/* A random run, its checker, and the same run written out at length. */
struct relevant_events {
    struct prng prng;
    struct spec spec;
    struct checker *checker;
    struct slow_state states[ROOM];
    size_t step_count;
    size_t count; /* of states written out */
    size_t loop;  /* the first of the last turn */
    struct checker_ending ending;
};

static void set_slots(struct relevant_events *s, const struct slow_state *state, bool has_absent)
{
    for (uint32_t p = 0; p < RANDOM_PROCESS_COUNT; p++) {
        for (uint32_t v = 0; v < RANDOM_VARIABLE_COUNT; v++) {
            const uint32_t slot = checker_slot(s->checker, p, random_variables[v]);
            if (has_absent && prng_below(&s->prng, 4) == 0) {
                checker_unset(s->checker, slot);
            } else {
                checker_set(s->checker, slot, state->values[p][v]);
            }
        }
        for (uint32_t q = 0; q < RANDOM_PROCESS_COUNT; q++) {
            checker_set(s->checker, checker_message_slot(s->checker, p, q), state->messages[p][q]);
        }
    }
}

static void draw_state(struct relevant_events *s, struct slow_state *state, size_t step,
                       uint64_t time)
{
    *state = (struct slow_state){.time = time, .now = time, .step = step + 1};
    for (uint32_t p = 0; p < RANDOM_PROCESS_COUNT; p++) {
        for (uint32_t v = 0; v < RANDOM_VARIABLE_COUNT; v++) {
            state->values[p][v] = (int64_t)prng_below(&s->prng, 3);
        }
        for (uint32_t q = 0; q < RANDOM_PROCESS_COUNT; q++) {
            state->messages[p][q] = (int64_t)prng_below(&s->prng, 2);
        }
    }
}

static void draw_run(struct relevant_events *s, const struct random_spec *options)
{
    struct err e = {.text = ""};
    spec_init(&s->spec);
    random_spec(&s->spec, options, &s->prng);
    if (checker_new(&s->checker, &s->spec,
                    &(struct checker_system){random_processes, RANDOM_PROCESS_COUNT}, &e) < 0) {
        fail_msg("%s", e.text);
    }
    s->step_count = 2 + prng_below(&s->prng, STEPS_MAX - 1);
    uint64_t time = prng_below(&s->prng, 3);
    for (size_t i = 0; i < s->step_count; i++) {
        draw_state(s, &s->states[i], i, time);
        time += prng_below(&s->prng, 3);
    }
}

/* Goes on after the last step: the last state again and again, or the loop. */
static void write_out(struct relevant_events *s)
{
    const size_t last = s->step_count - 1;
    s->count = s->step_count;
    const bool is_lasso = s->ending.kind == CHECKER_LASSO;
    const size_t first = is_lasso ? s->ending.repeats + 1 : last;
    const uint64_t turn_ns =
        s->states[last].time - s->states[is_lasso ? s->ending.repeats : 0].time;
    for (uint64_t turn = 1; turn <= TURNS; turn++) {
        for (size_t i = first; i <= last; i++) {
            s->states[s->count] = s->states[i];
            s->states[s->count].time += is_lasso ? turn * turn_ns : turn * 1000000000000;
            s->count++;
        }
    }
    s->loop = s->count - (last + 1 - first);
}

/* Whether the definition has the property violated (or shown). */
static bool slow_verdict(struct relevant_events *s, size_t *first)
{
    const struct spec_property *property = &s->spec.properties.at[0];
    bool is_true[ROOM];
    slow_decide(&s->spec, property->root, &(struct slow_run){s->states, s->count, s->loop},
                is_true);
    const bool wanted = property->claim != SPEC_CLAIM_ALWAYS;
    for (size_t i = 0; i < s->count; i++) {
        if (is_true[i] == wanted) {
            *first = i;
            return true;
        }
    }
    return false;
}

static void check_verdict(struct relevant_events *s, uint64_t seed)
{
    const struct spec_property *property = &s->spec.properties.at[0];
    const struct checker_status *status = checker_status(s->checker, 0);
    const bool is_possibly = property->claim == SPEC_CLAIM_POSSIBLY;
    size_t first = 0;
    const bool is_shown = slow_verdict(s, &first);
    const enum checker_verdict wanted = is_possibly ? (is_shown ? CHECKER_HELD : CHECKER_UNKNOWN)
                                        : is_shown  ? CHECKER_VIOLATED
                                                    : CHECKER_HELD;
    if (status->verdict != wanted) {
        struct out out;
        out_open_memory(&out);
        spec_print(&s->spec, &out);
        fail_msg("seed %llu: verdict %d, not %d, of\n%.*s", (unsigned long long)seed,
                 (int)status->verdict, (int)wanted, (int)out.used, out.buffer);
    }
    /* Of always, the step is where the answer is missing, which may be later than where the whole
     * is false. */
    if (is_shown && first < s->step_count && property->claim != SPEC_CLAIM_ALWAYS) {
        CHECK_INT(status->step, first);
    }
}

static void run_steps(struct relevant_events *s)
{
    for (size_t i = 0; i < s->step_count; i++) {
        set_slots(s, &s->states[i], false);
        (void)checker_step(s->checker, s->states[i].time);
    }
}

static void relevant_release(struct relevant_events *s)
{
    checker_free(s->checker);
    spec_release(&s->spec);
}

TEST(verdicts_are_those_of_the_definition)
{
    const uint64_t count = test_count(3000, 200000);
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct relevant_events s = {0};
        prng_init(&s.prng, seed);
        draw_run(&s, &(struct random_spec){.depth = 1 + (unsigned)prng_below(&s.prng, 4),
                                           .is_temporal = prng_below(&s.prng, 4) > 0,
                                           .has_clocks = prng_below(&s.prng, 2) == 0});
        s.ending.kind = prng_below(&s.prng, 2) == 0 ? CHECKER_REST : CHECKER_LASSO;
        if (s.ending.kind == CHECKER_LASSO) {
            s.ending.repeats = prng_below(&s.prng, s.step_count - 1);
        }
        run_steps(&s);
        write_out(&s);
        (void)checker_end(s.checker, &s.ending);
        check_verdict(&s, seed);
        relevant_release(&s);
    }
}

/* A verdict on a cut run holds for every continuation. */
TEST(a_cut_run_decides_what_no_continuation_changes)
{
    const uint64_t count = test_count(2000, 100000);
    uint64_t decided = 0;
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct relevant_events s = {.ending = {.kind = CHECKER_CUT}};
        prng_init(&s.prng, seed);
        draw_run(&s, &(struct random_spec){.depth = 1 + (unsigned)prng_below(&s.prng, 3),
                                           .is_temporal = true});
        const size_t whole = s.step_count;
        s.step_count = 1 + prng_below(&s.prng, whole - 1);
        run_steps(&s);
        const size_t cut = s.step_count;
        (void)checker_end(s.checker, &s.ending);
        const struct checker_status early = *checker_status(s.checker, 0);
        checker_rewind(s.checker, cut);
        for (size_t i = cut; i < whole; i++) {
            set_slots(&s, &s.states[i], false);
            (void)checker_step(s.checker, s.states[i].time);
        }
        (void)checker_end(s.checker, &(struct checker_ending){.kind = CHECKER_REST});
        const enum checker_verdict late = checker_status(s.checker, 0)->verdict;
        const bool is_possibly = s.spec.properties.at[0].claim == SPEC_CLAIM_POSSIBLY;
        const enum checker_verdict firm = is_possibly ? CHECKER_HELD : CHECKER_VIOLATED;
        if (early.verdict == firm && late != firm) {
            fail_msg("seed %llu: decided too early", (unsigned long long)seed);
        }
        decided += early.verdict == firm;
        relevant_release(&s);
    }
    CHECK(decided > count / 10);
}

/* A verdict reached although variables are absent holds for all their values. */
TEST(absent_variables_can_be_anything)
{
    const uint64_t count = test_count(5000, 200000);
    uint64_t decided = 0;
    uint64_t skipped = 0;
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct relevant_events s = {0};
        prng_init(&s.prng, seed);
        draw_run(&s, &(struct random_spec){.depth = 1 + (unsigned)prng_below(&s.prng, 4)});
        s.step_count = s.count = 1;
        set_slots(&s, &s.states[0], true);
        (void)checker_step(s.checker, s.states[0].time);
        const struct checker_status *status = checker_status(s.checker, 0);
        CHECK_INT(status->checks + status->skips, 1);
        if (status->checks == 1) {
            check_verdict(&s, seed);
        }
        decided += status->checks;
        skipped += status->skips;
        relevant_release(&s);
    }
    CHECK(decided > count / 4);
    CHECK(skipped > count / 20);
}

/* Going back and on again is as if the steps had been taken once. */
TEST(rewinding_forgets_the_steps_behind)
{
    const uint64_t count = test_count(500, 20000);
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct relevant_events s = {.ending = {.kind = CHECKER_REST}};
        prng_init(&s.prng, seed);
        draw_run(&s, &(struct random_spec){.depth = 3, .is_temporal = seed % 2 == 0});
        run_steps(&s);
        checker_rewind(s.checker, prng_below(&s.prng, s.step_count));
        checker_rewind(s.checker, 0);
        run_steps(&s);
        write_out(&s);
        (void)checker_end(s.checker, &s.ending);
        check_verdict(&s, seed);
        relevant_release(&s);
    }
}
