#include "race/data.h"

#include "race/plain.h"

static struct race_pair pair_of(event_id a, event_id b)
{
    return (struct race_pair){
        .first = a < b ? a : b,
        .second = a < b ? b : a,
        .send = EVENT_NONE,
        .receive = EVENT_NONE,
    };
}

/* Takes one decided candidate; false counts are the caller's. */
static void take(struct tally *y, event_id a, event_id b, enum race_verdict verdict)
{
    const struct race_pair pair = pair_of(a, b);
    const bool is_left = verdict == RACE_UNKNOWN && tally_decides_places(y); /* to its grade */
    tally_decided(y, &(struct race_decided){.verdict = verdict, .a = pair.first, .b = pair.second});
    y->stats->unknown -= is_left;
    if (verdict == RACE_YES || is_left) {
        y->stats->data_races++;
        tally_add(y, &pair, 1);
    }
}

/* Calls `each` for every two classes of the variable that can race. */
static void each_conflict_of(const struct accesses *a, const struct access_variable *v,
                             conflict_fn each, void *context)
{
    const struct access_class *classes = a->classes + v->first;
    for (uint32_t i = 0; i < v->count; i++) {
        for (uint32_t k = i + 1; k < v->count; k++) {
            if (access_classes_conflict(&classes[i], &classes[k])) {
                each(context, &classes[i], &classes[k]);
            }
        }
    }
}

void data_each_conflict(const struct accesses *a, conflict_fn each, void *context)
{
    for (uint32_t v = 0; v < a->variable_count; v++) {
        each_conflict_of(a, &a->variables[v], each, context);
    }
}

/* What deciding a candidate costs, for the watch. */
enum { JUDGE_STEPS = 16 };

/* Counts candidates as unknown, all at once, when no time is left and nobody wants to hear of each.
 */
static bool is_left_open(struct tally *y, uint64_t count)
{
    const bool is_open = limit_is_over(&y->watch, 1) && y->o->decided == NULL;
    y->stats->unknown += is_open ? count : 0;
    return is_open;
}

struct judging {
    struct tally *y;
    const struct accesses *a;
    const struct judge *judge;
};

static void judge_classes(void *context, const struct access_class *first,
                          const struct access_class *second)
{
    struct judging *g = context;
    for (uint32_t i = 0; i < first->count; i++) {
        if (!tally_takes(g->y)) {
            continue;
        }
        g->y->stats->data_candidates += second->count;
        if (is_left_open(g->y, second->count)) {
            continue;
        }
        for (uint32_t k = 0; k < second->count; k++) {
            const event_id a = g->a->events[first->first + i];
            const event_id b = g->a->events[second->first + k];
            take(g->y, a, b,
                 limit_is_over(&g->y->watch, JUDGE_STEPS) ? RACE_UNKNOWN
                                                          : g->judge->data(g->judge->self, a, b));
        }
    }
}

void data_judge(struct tally *y, const struct accesses *a, const struct judge *judge)
{
    struct judging g = {.y = y, .a = a, .judge = judge};
    data_each_conflict(a, judge_classes, &g);
}

struct counting {
    struct tally *y;
    const struct accesses *a;
    const struct hb *hb;
    struct ancestors ancestors;
    struct arena arena;   /* of the ancestors */
    struct arena scratch; /* of two classes */
};

static void count_classes(void *context, const struct access_class *first,
                          const struct access_class *second)
{
    struct counting *g = context;
    const uint64_t candidates = (uint64_t)first->count * second->count;
    if (is_left_open(g->y, candidates)) {
        g->y->stats->data_candidates += candidates;
        return;
    }
    const struct access_class *const classes[] = {first, second};
    const struct arena_mark mark = arena_mark(&g->scratch);
    const struct plain_pair p = plain_pair_of(g->hb, &g->ancestors, g->a, classes, &g->scratch);
    g->y->stats->data_candidates += candidates;
    (void)limit_is_over(&g->y->watch, first->count + second->count);
    if (tally_wants_each(g->y)) {
        for (uint32_t i = 0; i < first->count; i++) {
            for (uint32_t k = 0; k < second->count; k++) {
                take(g->y, p.first[i], p.second[k],
                     limit_is_over(&g->y->watch, 1) ? RACE_UNKNOWN
                     : plain_races(&p, i, k)        ? RACE_YES
                                                    : RACE_NO);
            }
        }
    } else {
        event_id a_first = EVENT_NONE;
        event_id b_first = EVENT_NONE;
        const uint64_t count = plain_count(&p, &a_first, &b_first);
        g->y->stats->data_races += count;
        if (count > 0) {
            const struct race_pair pair = pair_of(a_first, b_first);
            tally_add(g->y, &pair, count);
        }
    }
    arena_reset(&g->scratch, mark);
}

void data_count(struct tally *y, const struct accesses *a, const struct hb *hb)
{
    struct counting g = {.y = y, .a = a, .hb = hb};
    ancestors_build(&g.ancestors, hb, &g.arena);
    data_each_conflict(a, count_classes, &g);
    arena_release(&g.scratch);
    arena_release(&g.arena);
}
