/* Grades and the models that need a prefix, through the front door. */
#include "race/race.h"

#include "base/map.h"
#include "race/witness/witness.h"
#include "race_slow.h"
#include "random_trace.h"
#include "shrink.h"
#include "test.h"
#include "trace_of.h"
#include "trace_text.h"
#include "wire/kind.h"

/* ---- one run ---- */

struct run {
    struct findings findings;
    struct race_stats stats;
    struct notes notes;
    struct map data, message; /* pair of events to verdict */
};

static void hear(void *context, const struct race_decided *d)
{
    struct run *run = context;
    map_put(d->is_message ? &run->message : &run->data, map_pair(d->a, d->b), d->verdict);
}

static void run_races(struct run *run, const struct trace *t, struct race_options options)
{
    *run = (struct run){0};
    struct err e = {0};
    options.decided = hear;
    options.context = run;
    options.wants_witness = true;
    CHECK_INT(race_find(t, &options, &run->findings, &run->stats, &run->notes, &e), 0);
}

static void run_release(struct run *run)
{
    findings_release(&run->findings);
    notes_release(&run->notes);
    map_release(&run->data);
    map_release(&run->message);
}

/* ---- properties ---- */

struct checking {
    struct rules rules;
    struct arena arena;
    struct slow_answer feasible;
    struct witness_checker *checker;
    uint64_t sound, may;
    char fault[700];
};

static bool is_feasible(const struct checking *c, bool is_message, event_id a, event_id b)
{
    const size_t count =
        is_message ? c->rules.message_candidates.count : c->rules.data_candidates.count;
    for (size_t i = 0; i < count; i++) {
        const struct rules_pair *pair =
            is_message ? &c->rules.message_candidates.at[i] : &c->rules.data_candidates.at[i];
        if (pair->a == a && pair->b == b) {
            return is_message ? c->feasible.message[i] : c->feasible.data[i];
        }
    }
    return false;
}

/* A finding that is graded sound is feasible and its witness holds; one that is not has none. */
static void check_finding(struct checking *c, const struct finding *f)
{
    const bool is_message = f->kind == FINDING_MESSAGE_RACE;
    const event_id a = (event_id)f->events[0].index;
    const event_id b = (event_id)f->events[1].index;
    c->sound += f->grade == GRADE_SOUND;
    c->may += f->grade == GRADE_MAY;
    if (f->grade != GRADE_SOUND) {
        if (f->witness != NULL) {
            (void)snprintf(c->fault, sizeof c->fault, "%u and %u: a witness without a grade", a, b);
        }
        return;
    }
    if (!is_feasible(c, is_message, a, b)) {
        (void)snprintf(c->fault, sizeof c->fault, "%u and %u: sound, but not feasible", a, b);
        return;
    }
    VEC(event_id) order = {0};
    for (size_t i = 0; i < f->witness_count; i++) {
        vec_push(&order, (event_id)f->witness[i]);
    }
    const struct witness w = {
        .is_message = is_message, .a = a, .b = b, .order = order.at, .count = order.count};
    struct err e = {0};
    if (f->witness == NULL || witness_check(c->checker, &w, &e) < 0) {
        (void)snprintf(c->fault, sizeof c->fault, "%u and %u: witness: %s", a, b, e.text);
    }
    vec_release(&order);
}

static void check_run(struct checking *c, const struct trace *t, struct race_options options)
{
    struct run run;
    run_races(&run, t, options);
    vec_each (&run.findings.list, f) {
        check_finding(c, f);
        if (options.model == RACE_SOUND && f->grade != GRADE_SOUND) {
            (void)snprintf(c->fault, sizeof c->fault, "model sound tells what is not");
        }
    }
    run_release(&run);
}

/* Model feasible decides every candidate as the walk over states does. */
static void check_verdicts(struct checking *c, const struct trace *t)
{
    struct run run;
    run_races(&run, t, (struct race_options){.model = RACE_FEASIBLE});
    for (size_t i = 0; i < c->rules.data_candidates.count; i++) {
        const struct rules_pair *p = &c->rules.data_candidates.at[i];
        const uint32_t *verdict = map_get(&run.data, map_pair(p->a, p->b));
        if (verdict == NULL || *verdict != (c->feasible.data[i] ? RACE_YES : RACE_NO)) {
            (void)snprintf(c->fault, sizeof c->fault, "%u and %u: wrong verdict", p->a, p->b);
        }
    }
    for (size_t i = 0; i < c->rules.message_candidates.count; i++) {
        const struct rules_pair *p = &c->rules.message_candidates.at[i];
        const uint32_t *verdict = map_get(&run.message, map_pair(p->a, p->b));
        if (verdict == NULL || *verdict != (c->feasible.message[i] ? RACE_YES : RACE_NO)) {
            (void)snprintf(c->fault, sizeof c->fault, "%u and %u: wrong verdict", p->a, p->b);
        }
    }
    run_release(&run);
}

struct race_groups {
    uint64_t sound, may;
    char fault[700];
};

static bool is_wrong(const struct trace *t, void *context)
{
    struct race_groups *groups = context;
    struct checking c = {0};
    rules_read(&c.rules, t);
    c.feasible = slow_answer_take(&c.arena, &c.rules);
    c.checker = witness_checker_new(t, NULL, 0);
    if (slow_by_states(&c.rules, SLOW_FEASIBLE, &c.feasible)) {
        check_run(&c, t, (struct race_options){0});
        check_run(&c, t, (struct race_options){.wants_pairs = true});
        check_run(&c, t, (struct race_options){.prunes = true});
        check_run(&c, t, (struct race_options){.model = RACE_SOUND});
        check_run(&c, t, (struct race_options){.model = RACE_FEASIBLE});
        check_verdicts(&c, t);
    }
    groups->sound += c.sound;
    groups->may += c.may;
    memcpy(groups->fault, c.fault, sizeof groups->fault);
    witness_checker_free(c.checker);
    rules_release(&c.rules);
    arena_release(&c.arena);
    return c.fault[0] != '\0';
}

TEST(what_is_graded_sound_is_feasible_and_its_witness_holds)
{
    struct race_groups groups = {0};
    for (uint64_t seed = test_seed(); seed < test_seed() + test_count(150, 10000); seed++) {
        struct prng prng;
        struct trace t;
        prng_init(&prng, seed);
        const struct random_shape shape =
            random_shape(&prng, 8 + (uint32_t)prng_below(&prng, test_count(16, 36)));
        random_trace(&t, &prng, &shape);
        if (is_wrong(&t, &groups)) {
            struct trace small;
            trace_shrink(&small, &t, is_wrong, &groups);
            (void)is_wrong(&small, &groups);
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, groups.fault,
                     trace_text(&small));
        }
        trace_release(&t);
    }
    print_message("# %llu sound, %llu may\n", (unsigned long long)groups.sound,
                  (unsigned long long)groups.may);
    CHECK(groups.sound > 100);
    CHECK(groups.may > 10);
}

/* ---- single cases ---- */

/* The grades of the findings, a letter each. */
static void check_grades(const char *text, struct race_options options, const char *wanted)
{
    struct run run;
    char grades[16] = "";
    run_races(&run, trace_of(text), options);
    CHECK(run.findings.list.count < sizeof grades);
    for (size_t i = 0; i < run.findings.list.count; i++) {
        const enum finding_grade grade = run.findings.list.at[i].grade;
        grades[i] = grade == GRADE_SOUND ? 's' : grade == GRADE_MAY ? 'm' : '?';
    }
    CHECK_TEXT(grades, wanted);
    run_release(&run);
}

static const char read_from[] =
    "A w x @a; A acq m; A w flag; A rel m; B acq m; B r flag; B rel m; B r x @b";

TEST(a_race_that_what_was_read_rules_out_may_be)
{
    check_grades(read_from, (struct race_options){0}, "m");
    check_grades(read_from, (struct race_options){.model = RACE_SOUND}, "");
    check_grades(read_from, (struct race_options){.model = RACE_FEASIBLE}, "");
}

TEST(a_race_is_told_by_the_pair_that_is_shown)
{
    /* The first pair of places is ruled out, the second pair that looks alike is not. */
    const char *text = "A w x @a; A acq m; A w flag; A rel m; B acq m; B r flag; B rel m; B r x @b;"
                       "A w x @a";
    struct run run;
    run_races(&run, trace_of(text), (struct race_options){0});
    CHECK_INT(run.findings.list.count, 1);
    CHECK_INT(run.findings.list.at[0].grade, GRADE_SOUND);
    CHECK_INT(run.findings.list.at[0].events[0].index, 7);
    CHECK_INT(run.findings.list.at[0].events[1].index, 8);
    run_release(&run);
}

TEST(what_only_another_order_of_sections_shows_is_sound)
{
    /* The section of B has to come before that of A, which it does not in the list. */
    check_grades("A acq m; A w x @a; A rel m; B acq m; B rel m; B w x @b", (struct race_options){0},
                 "s");
}

TEST(a_race_behind_a_doubtful_read_is_not_graded_sound)
{
    /* In a recording B's read of f may have seen either value of it, and with the other one B may
     * not reach its read of x. Nothing comes before the race on f. */
    struct run run;
    run_races(&run, trace_of("order stamped; A w x @a; A w f @b; B r f @c; B r x @d"),
              (struct race_options){0});
    CHECK_INT(run.findings.list.count, 2);
    for (size_t i = 0; i < run.findings.list.count; i++) {
        const struct finding *f = &run.findings.list.at[i];
        const bool is_flag = strcmp(f->events[0].object, "f") == 0;
        CHECK_INT(f->grade, is_flag ? GRADE_SOUND : GRADE_OBSERVED);
    }
    run_release(&run);
}

TEST(a_race_behind_an_unrelated_race_is_sound)
{
    /* It is not known which count each task read. But in a prefix with both writes of it, in the
     * order of the run, each read sees its write. */
    struct run run;
    run_races(&run,
              trace_of("order stamped; A r n @a; A w n @b; A acq o; A rel o; A w x @c; A acq m; "
                       "A rel m; B r n @d; B w n @e; B acq o; B rel o; B acq m; B rel m; B w x @f"),
              (struct race_options){0});
    bool is_shown = false;
    for (size_t i = 0; i < run.findings.list.count; i++) {
        const struct finding *f = &run.findings.list.at[i];
        is_shown |= strcmp(f->events[0].object, "x") == 0 && f->grade == GRADE_SOUND;
    }
    CHECK(is_shown);
    for (size_t i = 0; i < RACE_OPEN_COUNT; i++) {
        CHECK_INT(run.stats.places_open[i], 0);
    }
    run_release(&run);
}
