#include "hunt/race_orders.h"

#include <stdio.h>

#include "base/map.h"
#include "base/mem.h"
#include "hunt/run_rows.h"
#include "pick/operation_name.h"
#include "world/recipe.h"

/* Runs after each order: in the default order, then sampled with the seed of the run. */
static const enum pick_strategy rests[] = {PICK_FIRST, PICK_POS, PICK_SURW, PICK_RANDOM};
enum { REST_COUNT = sizeof rests / sizeof *rests };

struct both {
    struct world *world;
    const struct plan *plan;
    struct race_orders *result;
    VEC(struct pick_turn) turns; /* the common beginning, and the two operations */
    uint64_t names[2];           /* of the two, as found */
    struct execution runs[2];    /* the last run of each order */
    struct run_rows rows[2];
    bool has_rows; /* of the runs in default order */
};

const char *race_harm_name(enum race_harm harm)
{
    switch (harm) {
    case HARM_UNKNOWN: return "unknown";
    case HARM_BENIGN: return "benign here";
    case HARM_HARMFUL: return "harmful";
    }
    bug("a harm has a name");
}

void race_orders_release(struct race_orders *o)
{
    mem_free(o->schedules[0]);
    mem_free(o->schedules[1]);
    *o = (struct race_orders){0};
}

void race_orders_blame(struct race_orders *o, const struct execution *x)
{
    must(outcome_is_violation(x->outcome));
    o->harm = HARM_HARMFUL;
    (void)snprintf(o->failure, sizeof o->failure, "%s: %.380s", outcome_name(x->outcome), x->what);
    o->violation.outcome = x->outcome;
    o->violation.severity = x->severity;
    (void)snprintf(o->violation.what, sizeof o->violation.what, "%s", x->what);
    (void)snprintf(o->violation.key, sizeof o->violation.key, "%s", x->key);
}

char *race_schedule_text(struct world *w, const struct plan *plan, const struct execution *x)
{
    struct schedule s;
    struct out out;
    schedule_init(&s);
    out_open_memory(&out);
    recipe_write(&s, w, plan, x);
    schedule_print(&s, &out);
    char *text = mem_text(out.buffer, out.used);
    out_abandon(&out);
    schedule_release(&s);
    return text;
}

/* The steps before the first of the two, and those between that do not come after it. */
static void collect_turns(struct both *b, const struct execution *x, const struct relation *r,
                          struct step_race race)
{
    must(race.first < race.second);
    for (uint32_t i = 0; i < race.second; i++) {
        if (i < race.first || (i > race.first && !relation_is_before(r, race.first, i))) {
            vec_push(&b->turns, (struct pick_turn){.name = x->steps.at[i].operation.name,
                                                   .step = (uint32_t)b->turns.count});
        }
    }
    b->names[0] = x->steps.at[race.first].operation.name;
    b->names[1] = x->steps.at[race.second].operation.name;
    for (size_t i = 0; i < 2; i++) {
        vec_push(&b->turns,
                 (struct pick_turn){.name = b->names[i], .step = (uint32_t)b->turns.count});
    }
}

static bool fails(const struct execution *x)
{
    return outcome_is_violation(x->outcome) && !outcome_is_cut(x->outcome, x->severity);
}

/* Whether the run has the two side by side. One that fails at the first of them ends there: the
 * second is the next of its task all the same, as the run in the other order shows. */
static bool is_adjacent(const struct both *b, const struct execution *x, size_t order)
{
    const size_t first = b->turns.count - 2;
    if (x->steps.count <= first || x->steps.at[first].operation.name != b->names[order]) {
        return false;
    }
    return x->steps.count == first + 1
               ? fails(x)
               : x->steps.at[first + 1].operation.name == b->names[1 - order];
}

static int run_order(struct both *b, size_t order, enum pick_strategy rest, struct err *e)
{
    const size_t first = b->turns.count - 2;
    b->turns.at[first].name = b->names[order];
    b->turns.at[first + 1].name = b->names[1 - order];
    const struct plan plan = {.pick = {.turns = b->turns.at,
                                       .turn_count = b->turns.count,
                                       .strategy = rest,
                                       .seed = b->plan->pick.seed},
                              .steps_max = b->plan->steps_max};
    b->result->run_count++;
    return world_run(b->world, &plan, &b->runs[order], e);
}

static void keep_schedule(struct both *b, size_t order)
{
    const struct plan plan = {.pick.seed = b->plan->pick.seed};
    mem_free(b->result->schedules[order]);
    b->result->schedules[order] = race_schedule_text(b->world, &plan, &b->runs[order]);
}

/* Values */

/* The word that a step writes; 0: none. */
static uint64_t word_written(const struct pick_operation *o)
{
    return o->is_access && (o->writes & 1) != 0 && o->region != 0
               ? pick_point_of_word(o->region, o->begin)
               : 0;
}

/* For each word, the name of its last write. */
static void collect_writes(const struct execution *x, struct map *last)
{
    for (uint32_t i = 0; i < x->steps.count; i++) {
        const uint64_t word = word_written(&x->steps.at[i].operation);
        if (word != 0) {
            map_put(last, word, i);
        }
    }
}

static bool has_same_writes(const struct execution *a, const struct execution *b)
{
    struct map of_a = {0};
    struct map of_b = {0};
    collect_writes(a, &of_a);
    collect_writes(b, &of_b);
    bool is_same = of_a.entries.count == of_b.entries.count;
    vec_each (&of_a.entries, entry) {
        const uint32_t *other = map_get(&of_b, entry->key);
        is_same = is_same && other != NULL &&
                  a->steps.at[entry->value].operation.name == b->steps.at[*other].operation.name;
    }
    map_release(&of_a);
    map_release(&of_b);
    return is_same;
}

/* Whether a step reads a value that clew does not know. */
static bool has_unknown_value(const struct step *s, const struct run_row *row)
{
    const uint16_t kind = s->operation.kind;
    const bool reads = kind == EVENT_READ || kind == EVENT_ATOMIC_LOAD || kind == EVENT_ATOMIC_RMW;
    return reads && (row == NULL || !row->words.is_value_known);
}

/* Compares two runs that passed, step by step of each name; `reason` names the first difference. */
static enum race_harm compare_passed(struct both *b)
{
    const struct execution *a = &b->runs[0];
    const struct execution *c = &b->runs[1];
    char *reason = b->result->reason;
    const size_t size = sizeof b->result->reason;
    struct map step_of = {0};
    for (uint32_t i = 0; i < c->steps.count; i++) {
        map_put(&step_of, c->steps.at[i].operation.name, i);
    }
    enum race_harm harm = HARM_BENIGN;
    const bool is_whole = b->rows[0].first == 0 && b->rows[1].first == 0;
    (void)snprintf(reason, size,
                   "both orders take the same steps, read the same values and end with the same "
                   "writes");
    for (uint32_t i = 0; i < a->steps.count && harm == HARM_BENIGN && is_whole; i++) {
        const uint32_t *at = map_get(&step_of, a->steps.at[i].operation.name);
        const struct run_row *one = run_rows_at(&b->rows[0], i);
        const struct run_row *other = at == NULL ? NULL : run_rows_at(&b->rows[1], *at);
        if (other == NULL || a->steps.count != c->steps.count) {
            harm = HARM_UNKNOWN;
            (void)snprintf(reason, size, "both orders pass, but with other steps");
        } else if (one->words.is_value_known && other->words.is_value_known &&
                   one->words.value != other->words.value) {
            harm = HARM_UNKNOWN;
            (void)snprintf(reason, size,
                           "both orders pass, but %.60s %.60s at %.60s sees %lld or %lld",
                           one->words.task, one->words.operation, one->words.location,
                           (long long)one->words.value, (long long)other->words.value);
        } else if (has_unknown_value(&a->steps.at[i], one)) {
            harm = HARM_UNKNOWN;
            (void)snprintf(reason, size,
                           "both orders pass, but the value of %.60s %.60s at %.60s is not known",
                           one->words.task, one->words.operation, one->words.location);
        }
    }
    if (harm == HARM_BENIGN && (!is_whole || !has_same_writes(a, c))) {
        harm = HARM_UNKNOWN;
        (void)snprintf(reason, size,
                       is_whole ? "both orders pass, but a variable ends with another write"
                                : "both orders pass; the runs are too long to be compared");
    }
    map_release(&step_of);
    return harm;
}

/* Judging */

/* One order failed, and the other did not. */
static void judge_failure(struct both *b, size_t order)
{
    struct race_orders *o = b->result;
    keep_schedule(b, order);
    race_orders_blame(o, &b->runs[order]);
    (void)snprintf(o->reason, sizeof o->reason,
                   "a run fails after one order, and none of those after the other");
    if (order == 1) {
        char *first = o->schedules[0];
        o->schedules[0] = o->schedules[1];
        o->schedules[1] = first;
    }
}

/* Runs on from both orders with each of the strategies, until one fails. */
static int judge(struct both *b, struct err *e)
{
    for (size_t i = 0; i < REST_COUNT; i++) {
        for (size_t order = 0; order < 2; order++) {
            /* The first runs are there, in the default order. */
            if (i > 0 && run_order(b, order, rests[i], e) < 0) {
                return -1;
            }
        }
        const bool has_failed[] = {fails(&b->runs[0]), fails(&b->runs[1])};
        if (has_failed[0] != has_failed[1]) {
            judge_failure(b, has_failed[0] ? 0 : 1);
            return 0;
        }
        if (has_failed[0]) {
            (void)snprintf(b->result->reason, sizeof b->result->reason,
                           "runs fail after both orders: the failure does not depend on this "
                           "race alone");
            return 0;
        }
    }
    return 0;
}

static int run_both(struct both *b, struct err *e)
{
    bool has_both = false; /* in one of the orders at least */
    for (size_t order = 0; order < 2; order++) {
        if (run_order(b, order, PICK_FIRST, e) < 0) {
            return -1;
        }
        if (!is_adjacent(b, &b->runs[order], order)) {
            return 0;
        }
        has_both = has_both || b->runs[order].steps.count >= b->turns.count;
        keep_schedule(b, order);
        run_rows_read(&b->rows[order], b->world, b->plan, &b->runs[order]);
    }
    b->result->is_shown = has_both;
    b->result->shown_steps = (uint32_t)b->turns.count;
    const bool has_passed =
        b->runs[0].outcome == OUTCOME_PASSED && b->runs[1].outcome == OUTCOME_PASSED;
    if (has_passed) {
        b->result->harm = compare_passed(b);
    } else {
        (void)snprintf(b->result->reason, sizeof b->result->reason,
                       "a run does not end by itself, so the two cannot be compared");
    }
    return judge(b, e);
}

int race_orders_run(struct world *w, const struct plan *plan, const struct execution *x,
                    const struct relation *r, struct step_race race, struct race_orders *o,
                    struct err *e)
{
    struct both b = {.world = w, .plan = plan, .result = o};
    must(race.second < x->steps.count);
    must(!o->is_shown);
    collect_turns(&b, x, r, race);
    const int result = run_both(&b, e);
    for (size_t i = 0; i < 2; i++) {
        execution_release(&b.runs[i]);
        run_rows_release(&b.rows[i]);
    }
    vec_release(&b.turns);
    return result;
}
