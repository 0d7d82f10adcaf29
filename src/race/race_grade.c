#include "race/race_grade.h"

#include "base/mem.h"
#include "race/feasible/feasible.h"
#include "race/sound/verify.h"
#include "wire/must.h"

/* Bounds on the tries for a group that no cut shows, and for all of them together. */
enum {
    EVENTS_MAX = 4000,
    STEPS_MAX = 200000,
    CLAUSES_MAX = 100000,
    QUESTIONS_MAX = 2000,
    STEPS_TOTAL_MAX = 5000000,
};

/* ---- keeping witnesses ---- */

static void keep_witness(struct race_groups *y, struct race_group *group, const sound_order *order)
{
    group->grade = GRADE_SOUND;
    if (!y->o->wants_witness || group->witness != NULL) {
        return;
    }
    uint64_t *witness = arena_array(&y->arena, uint64_t, order->count);
    for (size_t i = 0; i < order->count; i++) {
        witness[i] = order->at[i];
    }
    group->witness = witness;
    group->witness_count = order->count;
}

static void keep_race(struct race_groups *y, const struct hb *hb, struct race_group *group,
                      const struct sound_race *race)
{
    sound_order order = {0};
    if (y->o->wants_witness) {
        sound_order_of(hb, race, &order);
    }
    keep_witness(y, group, &order);
    vec_release(&order);
}

/* The question of a pair: whether its messages race, or its accesses. */
static struct sound_pair question_of(const struct race_pair *pair)
{
    if (pair->send != EVENT_NONE) {
        return (struct sound_pair){.is_message = true, .a = pair->send, .b = pair->receive};
    }
    return (struct sound_pair){.a = pair->first, .b = pair->second};
}

/* ---- the pairs that stand for the groups ---- */

/* Groups by their question; several may have the same. */
struct asking {
    struct race_groups *y;
    const struct hb *hb;
    struct map first;   /* question to the first of its groups, plus one */
    VEC(uint32_t) next; /* per group: another with the same question, plus one; 0: none */
    VEC(struct sound_pair) questions;
};

static uint64_t question_key(const struct sound_pair *pair)
{
    /* Messages and accesses are different events, so no key is used twice. */
    return map_pair(pair->a, pair->b);
}

static void hear(void *context, const struct sound_race *race)
{
    const struct asking *g = context;
    const uint32_t *first = map_get(&g->first, question_key(&race->pair));
    must(first != NULL);
    for (uint32_t i = *first; i != 0; i = g->next.at[i - 1]) {
        keep_race(g->y, g->hb, &g->y->groups.at[i - 1], race);
    }
}

static void ask_about_pairs(struct race_groups *y, const struct hb *hb)
{
    struct asking g = {.y = y, .hb = hb};
    for (size_t i = 0; i < y->groups.count; i++) {
        const struct sound_pair question = question_of(&y->groups.at[i].pair);
        bool is_new = false;
        uint32_t *first = map_slot(&g.first, question_key(&question), 0, &is_new);
        if (is_new) {
            vec_push(&g.questions, question);
        }
        vec_push(&g.next, *first);
        *first = (uint32_t)i + 1;
    }
    struct proof_stats stats = {0};
    const struct proof_options o = {
        .found = hear, .context = &g, .wants_least_cuts = y->o->wants_witness, .watch = &y->watch};
    proof_ask(hb, g.questions.at, g.questions.count, &o, &stats);
    map_release(&g.first);
    vec_release(&g.next);
    vec_release(&g.questions);
}

/* ---- other pairs that look alike ---- */

struct looking {
    struct race_groups *y;
    const struct hb *hb;
    bool *is_found; /* per group: a pair was found, if not yet checked */
    size_t left;    /* groups of accesses for which none was */
};

static struct race_pair pair_of(const struct sound_pair *pair)
{
    struct race_pair p = {
        .first = EVENT_NONE, .second = EVENT_NONE, .send = EVENT_NONE, .receive = EVENT_NONE};
    if (pair->is_message) {
        p.send = pair->a;
        p.receive = pair->b;
    } else {
        p.first = pair->a < pair->b ? pair->a : pair->b;
        p.second = pair->a < pair->b ? pair->b : pair->a;
    }
    return p;
}

static bool is_enough(void *context, const struct sound_pair *pair)
{
    struct looking *g = context;
    const struct race_pair alike = pair_of(pair);
    const struct race_group *group = race_groups_find(g->y, &alike);
    if (group != NULL && !g->is_found[group - g->y->groups.at]) {
        g->is_found[group - g->y->groups.at] = true;
        g->left--;
    }
    return g->left == 0;
}

/* The first pair of a group that holds represents it. */
static void hear_alike(void *context, const struct sound_race *race)
{
    const struct looking *g = context;
    const struct race_pair alike = pair_of(&race->pair);
    struct race_group *group = race_groups_find(g->y, &alike);
    if (group != NULL && group->grade != GRADE_SOUND) {
        group->pair = alike;
        keep_race(g->y, g->hb, group, race);
    }
}

static void look_for_pairs(struct race_groups *y, const struct hb *hb)
{
    struct looking g = {.y = y, .hb = hb};
    g.is_found = mem_zero(y->groups.count + 1, sizeof *g.is_found);
    for (size_t i = 0; i < y->groups.count; i++) {
        const bool is_of_accesses = y->groups.at[i].pair.send == EVENT_NONE;
        g.is_found[i] = !is_of_accesses || y->groups.at[i].grade == GRADE_SOUND;
        g.left += !g.is_found[i];
    }
    if (g.left > 0) {
        struct proof_stats stats = {0};
        const struct proof_options o = {.is_enough = is_enough,
                                        .found = hear_alike,
                                        .context = &g,
                                        .skips_messages = true,
                                        .wants_least_cuts = y->o->wants_witness,
                                        .watch = &y->watch};
        proof_find(hb, &o, &stats);
    }
    mem_free(g.is_found);
}

/* ---- slices ---- */

bool grade_holds(struct witness_checker *c, const struct sound_pair *pair, const sound_order *order)
{
    const struct witness w = {.is_message = pair->is_message,
                              .a = pair->a,
                              .b = pair->b,
                              .order = order->at,
                              .count = order->count};
    struct err refusal = {0};
    return witness_check(c, &w, &refusal) == 0;
}

void grade_keep_order(struct race_groups *y, struct race_group *group,
                      const struct sound_pair *pair, const sound_order *order)
{
    if (!pair->is_message) {
        group->pair = pair_of(pair);
    }
    keep_witness(y, group, order);
}

/* Bounds on the cost of all questions together. */
struct totals {
    uint64_t question_max, step_max;
};

/* Asks about the pairs that stand for the groups that are left. */
static void ask_about_slices(struct race_groups *y, const struct hb *hb,
                             const struct feasible_options *options, struct totals totals)
{
    struct feasible *f = feasible_new(hb, options);
    struct witness_checker *c = proof_checker_new(hb);
    sound_order order = {0};
    uint64_t questions = 0;
    for (size_t i = 0; i < y->groups.count && questions < totals.question_max &&
                       !limit_is_over(&y->watch, LIMIT_STEPS);
         i++) {
        struct race_group *group = &y->groups.at[i];
        if (group->grade == GRADE_SOUND || feasible_stats(f)->steps > totals.step_max) {
            continue;
        }
        const struct sound_pair pair = question_of(&group->pair);
        questions++;
        const enum race_verdict verdict = feasible_decide(f, &pair, &order);
        group->is_infeasible = verdict == RACE_NO;
        if (verdict == RACE_YES && grade_holds(c, &pair, &order)) {
            keep_witness(y, group, &order);
        }
    }
    vec_release(&order);
    witness_checker_free(c);
    feasible_free(f);
}

/* ---- grading ---- */

static bool has_grade_to_give(const struct race_groups *y)
{
    vec_each (&y->groups, group) {
        if (group->grade != GRADE_SOUND) {
            return true;
        }
    }
    return false;
}

void grade_by_cuts(struct race_groups *y, const struct hb *hb, struct notes *n)
{
    if (y->t->tables.tasks.count > SOUND_TASKS_MAX) {
        notes_add(n, "", "more than %d tasks: races are graded sound by small slices only",
                  SOUND_TASKS_MAX);
    }
    if (has_grade_to_give(y)) {
        ask_about_pairs(y, hb);
    }
    if (has_grade_to_give(y) && !y->o->wants_pairs) {
        look_for_pairs(y, hb);
    }
}

void grade_groups(struct race_groups *y, const struct hb *hb, struct notes *n)
{
    vec_each (&y->groups, group) {
        group->grade = GRADE_MAY;
    }
    const char *refusal = sound_refusal(hb);
    if (refusal != NULL) {
        notes_add(n, "", "%s; no race is graded sound", refusal);
        return;
    }
    grade_by_cuts(y, hb, n);
    if (has_grade_to_give(y)) {
        const struct feasible_options options = {.step_max = STEPS_MAX,
                                                 .event_max = EVENTS_MAX,
                                                 .clause_max = CLAUSES_MAX,
                                                 .watch = &y->watch};
        ask_about_slices(y, hb, &options, (struct totals){QUESTIONS_MAX, STEPS_TOTAL_MAX});
    }
}

void grade_shown(struct race_groups *y, const struct hb *hb)
{
    vec_each (&y->groups, group) {
        group->grade = GRADE_MAY;
    }
    if (has_grade_to_give(y)) {
        const struct feasible_options options = {.is_about_many = true, .watch = &y->watch};
        ask_about_slices(y, hb, &options, (struct totals){UINT64_MAX, UINT64_MAX});
    }
}

void grade_keep_sound(struct race_groups *y)
{
    size_t kept = 0;
    y->stats->data_races = 0;
    vec_each (&y->groups, group) {
        if (group->grade == GRADE_SOUND) {
            y->stats->data_races += group->pair.send == EVENT_NONE ? group->pair_count : 0;
            y->groups.at[kept++] = *group;
        } else if (!group->is_infeasible) {
            y->stats->unknown += group->pair_count; /* neither proven nor refuted */
        }
    }
    y->groups.count = kept;
    y->stats->location_pairs = kept;
}

/* ---- finding ---- */

struct adding {
    struct race_groups *y;
    const struct hb *hb;
    const struct bits *wanted;
};

static void add_shown(void *context, const struct sound_race *race)
{
    const struct adding *g = context;
    const struct race_pair pair = pair_of(&race->pair);
    if (!race->pair.is_message &&
        !(bits_has(*g->wanted, pair.first) && bits_has(*g->wanted, pair.second))) {
        return;
    }
    *(race->pair.is_message ? &g->y->stats->message_races : &g->y->stats->data_races) += 1;
    race_groups_add(g->y, &pair, 1);
    struct race_group *group =
        g->y->o->wants_pairs ? vec_last(&g->y->groups) : race_groups_find(g->y, &pair);
    if (group->grade != GRADE_SOUND) {
        group->pair = pair;
        keep_race(g->y, g->hb, group, race);
    }
}

void grade_find(struct race_groups *y, const struct hb *hb, const struct bits *wanted)
{
    struct adding g = {.y = y, .hb = hb, .wanted = wanted};
    struct proof_stats stats = {0};
    const struct proof_options o = {.found = add_shown,
                                    .context = &g,
                                    .skips_data = y->o->skips_data,
                                    .skips_messages = y->o->skips_messages,
                                    .wants_least_cuts = y->o->wants_witness,
                                    .watch = &y->watch};
    proof_find(hb, &o, &stats);
}
