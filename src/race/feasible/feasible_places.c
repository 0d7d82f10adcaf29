#include "race/feasible/feasible_places.h"

#include "base/bits.h"
#include "base/map.h"
#include "base/sort.h"
#include "race/sound/sync_preserving.h"

static struct race_pair pair_of(event_id a, event_id b)
{
    return (struct race_pair){
        .first = a < b ? a : b, .second = a < b ? b : a, .send = EVENT_NONE, .receive = EVENT_NONE};
}

static void add_shown(struct race_groups *y, const struct race_pair *pair)
{
    y->stats->data_races++;
    race_groups_add(y, pair, 1);
}

/* ---- by cuts ---- */

struct finding_places {
    struct race_groups *y;
    struct bits wanted; /* the events that a finding may be about */
};

static bool hear(void *context, const struct sound_race *race)
{
    const struct finding_places *g = context;
    const struct race_pair pair = pair_of(race->pair.a, race->pair.b);
    if (bits_has(g->wanted, pair.first) && bits_has(g->wanted, pair.second)) {
        add_shown(g->y, &pair);
    }
    return true;
}

void feasible_places_find(struct race_groups *y, const struct hb *hb, const struct accesses *a)
{
    if (!sound_is_certain(hb)) {
        return;
    }
    struct arena arena = {0};
    struct finding_places g = {.y = y, .wanted = bits_take(&arena, y->t->events.count + 1)};
    for (size_t i = 0; i < a->count; i++) {
        bits_add(g.wanted, a->events[i]);
    }
    const struct sound_options o = {
        .found = hear, .context = &g, .skips_messages = true, .watch = &y->watch};
    sound_find(hb, &o);
    arena_release(&arena);
}

/* ---- pair by pair ---- */

struct judging {
    struct race_groups *y, *found;
    const struct accesses *a;
    const struct hb *hb;
    struct feasible *f;
    struct map open; /* key of two places to the number of candidates there that are undecided */
};

/* The cost of deciding a candidate, for the budget. */
enum { JUDGE_STEPS = 16 };

static bool is_shown(struct judging *g, const struct race_pair *pair)
{
    return race_groups_find(g->found, pair) != NULL || race_groups_find(g->y, pair) != NULL;
}

/* Where the work is shared, all that looks alike is one worker's. */
static bool is_mine(const struct race_groups *y, uint32_t location_a, uint32_t location_b)
{
    const uint64_t low = location_a < location_b ? location_a : location_b;
    const uint64_t high = location_a < location_b ? location_b : location_a;
    return y->turn_count == 0 || (low * 31 + high) % y->turn_count == y->turn_of;
}

/* A pair of places that was undecided is now shown: corrects the counts. */
static void settle(struct judging *g, uint64_t key)
{
    uint32_t *open = map_slot(&g->open, key, 0, NULL);
    g->y->stats->unknown -= *open;
    *open = 0;
}

/* Counts candidates of these places as undecided. */
static void leave_open(struct judging *g, uint64_t key, uint64_t count)
{
    uint32_t *open = map_slot(&g->open, key, 0, NULL);
    const uint64_t room = UINT32_MAX - *open;
    const uint64_t added = count < room ? count : room;
    *open += (uint32_t)added;
    g->y->stats->unknown += added;
}

/* Decides one candidate of places that are not shown yet. */
static void judge_pair(struct judging *g, const struct race_pair *pair)
{
    const struct sound_pair question = {.a = pair->first, .b = pair->second};
    const enum race_verdict verdict = feasible_decide(g->f, &question, NULL);
    if (verdict == RACE_YES) {
        add_shown(g->y, pair);
        settle(g, race_groups_key(g->found, pair));
    } else if (verdict == RACE_UNKNOWN) {
        leave_open(g, race_groups_key(g->found, pair), 1);
    }
}

/* ---- with handlers: class by class ---- */

/* Decides the candidates of two classes until one is shown. */
static void judge_classes(struct judging *g, const struct access_class *first,
                          const struct access_class *second)
{
    const event_id *events = g->a->events;
    const struct race_pair like = pair_of(events[first->first], events[second->first]);
    if (!is_mine(g->y, first->location, second->location)) {
        return;
    }
    const uint64_t count = (uint64_t)first->count * second->count;
    g->y->stats->data_candidates += count;
    for (uint64_t i = 0; i < count && !is_shown(g, &like); i++) {
        if (limit_is_over(&g->y->watch, JUDGE_STEPS)) {
            leave_open(g, race_groups_key(g->found, &like), count - i);
            return;
        }
        const struct race_pair pair = pair_of(events[first->first + i / second->count],
                                              events[second->first + i % second->count]);
        judge_pair(g, &pair);
    }
}

static void judge_products(struct judging *g)
{
    const struct accesses *a = g->a;
    for (uint32_t v = 0; v < a->variable_count; v++) {
        const struct access_class *classes = a->classes + a->variables[v].first;
        for (uint32_t i = 0; i < a->variables[v].count; i++) {
            for (uint32_t k = i + 1; k < a->variables[v].count; k++) {
                if (access_classes_conflict(&classes[i], &classes[k])) {
                    judge_classes(g, &classes[i], &classes[k]);
                }
            }
        }
    }
}

/* ---- without handlers: only pairs that nothing needed puts in order ---- */

/* An access to the variable at hand. */
struct touch {
    event_id event;
    uint32_t class;
    uint32_t position; /* in its task */
    uint32_t needs;    /* how many events of the other task come before it; rises in its task */
};

/* Those of one task, as listed. */
struct touches {
    uint32_t task;
    struct touch *at;
    uint32_t count;
};

static int compare_touches(const void *left, const void *right, const void *context)
{
    const struct accesses *a = context;
    const struct touch *x = left;
    const struct touch *y = right;
    const uint32_t task_x = a->classes[x->class].task;
    const uint32_t task_y = a->classes[y->class].task;
    const int order = (task_x > task_y) - (task_x < task_y);
    return order != 0 ? order : (x->event > y->event) - (x->event < y->event);
}

static void find_needs(struct judging *g, const struct touches *l, uint32_t other_task)
{
    for (uint32_t i = 0; i < l->count; i++) {
        l->at[i].needs = feasible_needed_of(g->f, l->at[i].event, other_task);
        must(i == 0 || l->at[i - 1].needs <= l->at[i].needs);
    }
}

static void judge_touches(struct judging *g, const struct touch *x, const struct touch *y)
{
    const struct access_class *first = &g->a->classes[x->class];
    const struct access_class *second = &g->a->classes[y->class];
    if (!access_classes_conflict(first, second) ||
        !is_mine(g->y, first->location, second->location)) {
        return;
    }
    const struct race_pair pair = pair_of(x->event, y->event);
    if (limit_is_over(&g->y->watch, JUDGE_STEPS)) {
        g->y->stats->unknown += !is_shown(g, &pair);
    } else if (!is_shown(g, &pair)) {
        judge_pair(g, &pair);
    }
}

/* The accesses of x that come neither before nor after one of y are neighbours, and the first and
 * the last of them rise with it. */
static void judge_tasks(struct judging *g, const struct touches *x, const struct touches *y)
{
    uint32_t from = 0;
    find_needs(g, x, y->task);
    find_needs(g, y, x->task);
    for (uint32_t k = 0; k < y->count; k++) {
        while (from < x->count && x->at[from].position < y->at[k].needs) {
            from++;
        }
        for (uint32_t i = from; i < x->count && x->at[i].needs <= y->at[k].position; i++) {
            judge_touches(g, &x->at[i], &y->at[k]);
        }
    }
}

/* Decides the candidates of the variable, task by task. */
static void judge_variable(struct judging *g, const struct access_variable *v)
{
    const struct accesses *a = g->a;
    VEC(struct touch) all = {0};
    VEC(struct touches) tasks = {0};
    for (uint32_t class = v->first; class < v->first + v->count; class ++) {
        for (uint32_t i = 0; i < a->classes[class].count; i++) {
            const event_id id = a->events[a->classes[class].first + i];
            const struct touch touch = {
                .event = id, .class = class, .position = g->hb->contexts.position[id]};
            vec_push(&all, touch);
        }
    }
    sort_stable(all.at, all.count, sizeof *all.at, compare_touches, a);
    vec_each (&all, touch) {
        const uint32_t task = a->classes[touch->class].task;
        if (tasks.count == 0 || vec_last(&tasks)->task != task) {
            vec_push(&tasks, (struct touches){.task = task, .at = touch});
        }
        vec_last(&tasks)->count++;
    }
    for (size_t i = 0; i < tasks.count; i++) {
        for (size_t k = i + 1; k < tasks.count; k++) {
            judge_tasks(g, &tasks.at[i], &tasks.at[k]);
        }
    }
    vec_release(&tasks);
    vec_release(&all);
}

void feasible_places_judge(struct race_groups *y, struct race_groups *found,
                           const struct feasible_input *in, struct feasible *f)
{
    struct judging g = {.y = y, .found = found, .a = in->accesses, .hb = in->hb, .f = f};
    if (in->hb->contexts.count > in->hb->contexts.task_count) {
        judge_products(&g);
    } else {
        for (uint32_t v = 0; v < g.a->variable_count; v++) {
            /* One worker counts for all. */
            const uint64_t count =
                y->turn_of == 0 ? access_candidate_count(g.a, v, in->hb->contexts.task_count) : 0;
            y->stats->data_candidates += count;
            if (limit_is_over(&y->watch, 1)) {
                y->stats->unknown += count;
            } else {
                judge_variable(&g, &g.a->variables[v]);
            }
        }
    }
    map_release(&g.open);
}
