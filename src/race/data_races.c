#include "race/data_races.h"

#include "race/strict/lock_free.h"

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
static void take(struct race_groups *y, event_id a, event_id b, enum race_verdict verdict)
{
    const struct race_pair pair = pair_of(a, b);
    const bool is_left =
        verdict == RACE_UNKNOWN && race_groups_decides_places(y); /* to its grade */
    race_groups_decided(
        y, &(struct race_decided){.verdict = verdict, .a = pair.first, .b = pair.second});
    y->stats->unknown -= is_left;
    if (verdict == RACE_YES || is_left) {
        y->stats->data_races++;
        race_groups_add(y, &pair, 1);
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

enum {
    JUDGE_STEPS = 16,       /* the cost of deciding a candidate, for the budget */
    PAIRS_MAX = 1000000,    /* candidates that are all decided where places are graded */
    SEARCH_TRIES_MAX = 256, /* pairs of two classes that are, of more, until one may race */
};

/* Counts candidates as unknown, all at once, when no time is left and nobody wants to hear of each.
 */
static bool is_left_open(struct race_groups *y, uint64_t count)
{
    const bool is_open = limit_is_over(&y->watch, 1) && y->o->decided == NULL;
    y->stats->unknown += is_open ? count : 0;
    return is_open;
}

struct judging {
    struct race_groups *y;
    const struct accesses *a;
    const struct judge *judge;
};

/* Of the second class, the accesses that the judge's order leaves concurrent with one of the first:
 * [from, to). Both ends rise from one access of the first class to the next. */
struct concurrent {
    uint32_t from, to;
};

static void concurrent_move(struct concurrent *c, const struct hb *order, event_id a,
                            const event_id *b, uint32_t count)
{
    while (c->from < count && hb_is_before(order, b[c->from], a)) {
        c->from++;
    }
    c->to = c->to < c->from ? c->from : c->to;
    while (c->to < count && !hb_is_before(order, a, b[c->to])) {
        c->to++;
    }
}

static void add_pairs(void *context, const struct access_class *first,
                      const struct access_class *second)
{
    uint64_t *count = context;
    *count += (uint64_t)first->count * second->count;
}

/* Whether there are too many candidates to decide them all. Where places are graded, each pair of
 * places needs one: grading looks at its pairs. */
static bool is_searched(const struct race_groups *y, const struct accesses *a)
{
    uint64_t count = 0;
    if (!race_groups_decides_places(y) || race_groups_wants_each(y)) {
        return false;
    }
    data_each_conflict(a, add_pairs, &count);
    return count > (y->o->pairs_max == 0 ? PAIRS_MAX : y->o->pairs_max);
}

static void judge_classes(void *context, const struct access_class *first,
                          const struct access_class *second)
{
    struct judging *g = context;
    const struct judge *judge = g->judge;
    const bool skips_denied = g->y->o->decided == NULL; /* else each pair is to be reported */
    const bool is_denied =
        skips_denied && judge->excludes != NULL && judge->excludes(judge->self, first, second);
    const event_id *b = g->a->events + second->first;
    struct concurrent span = {.from = 0, .to = second->count};
    struct concurrent rising = {0};
    for (uint32_t i = 0; i < first->count; i++) {
        if (!race_groups_takes(g->y)) {
            continue;
        }
        g->y->stats->data_candidates += second->count;
        if (is_denied || is_left_open(g->y, second->count)) {
            continue;
        }
        const event_id a = g->a->events[first->first + i];
        if (skips_denied && judge->order != NULL) {
            concurrent_move(&rising, judge->order, a, b, second->count);
            span = rising;
        }
        for (uint32_t k = span.from; k < span.to; k++) {
            take(g->y, a, b[k],
                 limit_is_over(&g->y->watch, JUDGE_STEPS) ? RACE_UNKNOWN
                                                          : judge->data(judge->self, a, b[k]));
        }
    }
}

void data_judge(struct race_groups *y, const struct accesses *a, const struct judge *judge,
                enum data_part part)
{
    struct judging g = {.y = y, .a = a, .judge = judge};
    if (part == DATA_FEW && is_searched(y, a)) {
        return;
    }
    data_each_conflict(a, judge_classes, &g);
}

/* Looks for one candidate of the two classes. If it finds none in a bounded number of tries, it
 * leaves the pair to grading as a candidate. */
static void search_classes(void *context, const struct access_class *first,
                           const struct access_class *second)
{
    struct judging *g = context;
    const struct judge *judge = g->judge;
    const event_id *a = g->a->events + first->first;
    const event_id *b = g->a->events + second->first;
    struct concurrent span = {.to = second->count};
    struct concurrent rising = {0};
    uint32_t tries = 0;
    g->y->stats->data_candidates += (uint64_t)first->count * second->count;
    const struct race_pair any = pair_of(a[0], b[0]);
    if ((judge->excludes != NULL && judge->excludes(judge->self, first, second)) ||
        race_groups_find(g->y, &any) != NULL) {
        return;
    }
    for (uint32_t i = 0; i < first->count; i++) {
        if (judge->order != NULL) {
            concurrent_move(&rising, judge->order, a[i], b, second->count);
            span = rising;
        }
        for (uint32_t k = span.from; k < span.to; k++) {
            const bool is_left =
                tries++ == SEARCH_TRIES_MAX || limit_is_over(&g->y->watch, JUDGE_STEPS);
            const enum race_verdict verdict =
                is_left ? RACE_UNKNOWN : judge->data(judge->self, a[i], b[k]);
            if (verdict != RACE_NO) {
                take(g->y, a[i], b[k], verdict);
                return;
            }
        }
    }
}

void data_search(struct race_groups *y, const struct accesses *a, const struct judge *judge)
{
    struct judging g = {.y = y, .a = a, .judge = judge};
    if (is_searched(y, a)) {
        data_each_conflict(a, search_classes, &g);
    }
}

struct counting {
    struct race_groups *y;
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
    if (race_groups_wants_each(g->y)) {
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
            race_groups_add(g->y, &pair, count);
        }
    }
    arena_reset(&g->scratch, mark);
}

void data_count(struct race_groups *y, const struct accesses *a, const struct hb *hb)
{
    struct counting g = {.y = y, .a = a, .hb = hb};
    ancestors_build(&g.ancestors, hb, &g.arena);
    data_each_conflict(a, count_classes, &g);
    arena_release(&g.scratch);
    arena_release(&g.arena);
}
