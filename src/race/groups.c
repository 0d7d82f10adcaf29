#include "race/groups.h"

#include "base/sort.h"
#include "wire/must.h"

void race_groups_init(struct race_groups *y, const struct trace *t, const struct race_options *o,
                      struct race_stats *stats)
{
    *stats = (struct race_stats){0};
    *y = (struct race_groups){
        .t = t, .run = t, .o = o, .stats = stats, .watch = {.limit = o->budget}};
    alike_init(&y->alike);
}

void race_groups_release(struct race_groups *y)
{
    vec_release(&y->groups);
    map_release(&y->places);
    alike_release(&y->alike);
    map_release(&y->group_of);
    map_release(&y->judged);
    map_release(&y->judged_uses);
    arena_release(&y->arena);
}

static int compare_ids(event_id a, event_id b)
{
    return (a > b) - (a < b);
}

/* The race that was there first in the list is the one whose second access was. */
static int compare_pairs(const struct race_pair *a, const struct race_pair *b)
{
    int order = compare_ids(a->second, b->second);
    order = order != 0 ? order : compare_ids(a->first, b->first);
    order = order != 0 ? order : compare_ids(a->receive, b->receive);
    return order != 0 ? order : compare_ids(a->send, b->send);
}

uint64_t race_groups_key(struct race_groups *y, const struct race_pair *pair)
{
    const bool has_accesses = pair->first != EVENT_NONE;
    const struct event *a = trace_at(y->t, has_accesses ? pair->first : pair->send);
    const struct event *b = trace_at(y->t, has_accesses ? pair->second : pair->receive);
    const uint32_t low = a->location < b->location ? a->location : b->location;
    const uint32_t high = a->location < b->location ? b->location : a->location;
    const uint32_t places =
        *map_slot(&y->places, map_pair(low, high), (uint32_t)y->places.entries.count, NULL);
    const uint32_t variable =
        has_accesses ? alike_number(&y->alike, &y->t->tables.names, 0, a->object) + 1 : 0;
    const bool is_message = pair->send != EVENT_NONE;
    must(variable < UINT32_MAX / 2);
    return map_pair(places, variable * 2 + is_message);
}

struct race_group *race_groups_find(struct race_groups *y, const struct race_pair *pair)
{
    const uint32_t *number = map_get(&y->group_of, race_groups_key(y, pair));
    return number == NULL ? NULL : &y->groups.at[*number];
}

bool race_groups_keeps_pairs(const struct race_groups *y)
{
    /* Pairs are graded one by one even where they are only counted. */
    const bool is_graded = y->o->model == RACE_SOUND || race_groups_decides_places(y);
    return y->o->wants_pairs && (!y->o->counts_only || is_graded);
}

void race_groups_add(struct race_groups *y, const struct race_pair *pair, uint64_t pair_count)
{
    if (y->o->wants_pairs && !race_groups_keeps_pairs(y)) {
        y->stats->location_pairs += pair_count;
        return;
    }
    if (y->o->wants_pairs) {
        must(pair_count == 1);
        if (y->o->find_max == 0 || y->groups.count < y->o->find_max) {
            vec_push(&y->groups, (struct race_group){.pair = *pair, .pair_count = 1});
        }
        y->stats->location_pairs++;
        return;
    }
    bool is_new = false;
    const uint32_t fresh = (uint32_t)y->groups.count;
    const uint32_t number = *map_slot(&y->group_of, race_groups_key(y, pair), fresh, &is_new);
    if (is_new) {
        vec_push(&y->groups, (struct race_group){.pair = *pair});
        y->stats->location_pairs++;
    }
    must(number < y->groups.count);
    must(pair_count > 0);
    struct race_group *group = &y->groups.at[number];
    group->pair_count += pair_count;
    if (compare_pairs(pair, &group->pair) < 0) {
        group->pair = *pair;
    }
}

void race_groups_decided(struct race_groups *y, const struct race_decided *d)
{
    y->stats->unknown += d->verdict == RACE_UNKNOWN;
    if (y->o->decided != NULL) {
        y->o->decided(y->o->context, d);
    }
}

bool race_groups_decides_places(const struct race_groups *y)
{
    return (y->o->decides_places || y->t->tables.order == ORDER_STAMPED) && !y->o->skips_grades;
}

bool race_groups_wants_each(const struct race_groups *y)
{
    return y->o->decided != NULL || race_groups_keeps_pairs(y);
}

static int by_pair(const void *left, const void *right, const void *context)
{
    (void)context;
    return compare_pairs(&((const struct race_group *)left)->pair,
                         &((const struct race_group *)right)->pair);
}

void race_groups_sort(struct race_groups *y)
{
    sort_stable(y->groups.at, y->groups.count, sizeof *y->groups.at, by_pair, NULL);
}
