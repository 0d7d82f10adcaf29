#include "race/feasible_places.h"

#include "base/bits.h"
#include "base/map.h"
#include "race/sound.h"

static struct race_pair pair_of(event_id a, event_id b)
{
    return (struct race_pair){
        .first = a < b ? a : b, .second = a < b ? b : a, .send = EVENT_NONE, .receive = EVENT_NONE};
}

static void add_shown(struct tally *y, const struct race_pair *pair)
{
    y->stats->data_races++;
    tally_add(y, pair, 1);
}

/* ---- by cuts ---- */

struct finding_places {
    struct tally *y;
    struct bits wanted; /* events that may be told */
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

void feasible_places_find(struct tally *y, const struct hb *hb, const struct accesses *a)
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
    struct tally *y, *found;
    const struct accesses *a;
    struct feasible *f;
    struct map open; /* key of two places to the number of candidates there that are undecided */
};

/* What deciding a candidate costs, for the watch. */
enum { JUDGE_STEPS = 16 };

static bool is_shown(struct judging *g, const struct race_pair *pair)
{
    return tally_find(g->found, pair) != NULL || tally_find(g->y, pair) != NULL;
}

/* Decides the candidates of two classes until one is shown; returns how many stay undecided. */
static uint64_t judge_classes(struct judging *g, const struct access_class *first,
                              const struct access_class *second)
{
    const event_id *events = g->a->events;
    uint64_t open = 0;
    for (uint32_t i = 0; i < first->count; i++) {
        for (uint32_t k = 0; k < second->count; k++) {
            const event_id a = events[first->first + i];
            const event_id b = events[second->first + k];
            if (limit_is_over(&g->y->watch, JUDGE_STEPS)) {
                return open + (uint64_t)(first->count - i) * second->count - k;
            }
            const struct race_pair pair = pair_of(a, b);
            const struct sound_pair question = {.a = pair.first, .b = pair.second};
            const enum race_verdict verdict = feasible_decide(g->f, &question, NULL);
            if (verdict == RACE_YES) {
                add_shown(g->y, &pair);
                return 0;
            }
            open += verdict == RACE_UNKNOWN;
        }
    }
    return open;
}

static void judge_conflict(struct judging *g, const struct access_class *first,
                           const struct access_class *second)
{
    struct tally *y = g->y;
    const struct race_pair like = pair_of(g->a->events[first->first], g->a->events[second->first]);
    const uint64_t key = tally_key(g->found, &like);
    /* Where the work is shared, all that looks alike is one worker's. */
    if (y->turn_count > 0 && key % y->turn_count != y->turn_of) {
        return;
    }
    y->stats->data_candidates += (uint64_t)first->count * second->count;
    if (is_shown(g, &like)) {
        return;
    }
    const uint64_t open = judge_classes(g, first, second);
    if (is_shown(g, &like)) {
        y->stats->unknown -= map_get(&g->open, key) == NULL ? 0 : *map_get(&g->open, key);
        map_put(&g->open, key, 0);
        return;
    }
    uint32_t *so_far = map_slot(&g->open, key, 0, NULL);
    const uint64_t room = UINT32_MAX - *so_far;
    *so_far += (uint32_t)(open < room ? open : room);
    y->stats->unknown += open < room ? open : room;
}

void feasible_places_judge(struct tally *y, struct tally *found, const struct accesses *a,
                           struct feasible *f)
{
    struct judging g = {.y = y, .found = found, .a = a, .f = f};
    for (uint32_t v = 0; v < a->variable_count; v++) {
        const struct access_class *classes = a->classes + a->variables[v].first;
        for (uint32_t i = 0; i < a->variables[v].count; i++) {
            for (uint32_t k = i + 1; k < a->variables[v].count; k++) {
                if (access_classes_conflict(&classes[i], &classes[k])) {
                    judge_conflict(&g, &classes[i], &classes[k]);
                }
            }
        }
    }
    map_release(&g.open);
}
