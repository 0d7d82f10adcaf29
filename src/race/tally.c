#include "race/tally.h"

#include "base/sort.h"

void tally_init(struct tally *y, const struct trace *t, const struct race_options *o,
                struct race_stats *stats)
{
    *stats = (struct race_stats){0};
    *y = (struct tally){.t = t, .o = o, .stats = stats};
}

void tally_release(struct tally *y)
{
    vec_release(&y->groups);
    map_release(&y->places);
    map_release(&y->group_of);
}

static int compare_ids(event_id a, event_id b)
{
    return (a > b) - (a < b);
}

static int compare_pairs(const struct race_pair *a, const struct race_pair *b)
{
    int order = compare_ids(a->first, b->first);
    order = order != 0 ? order : compare_ids(a->second, b->second);
    order = order != 0 ? order : compare_ids(a->receive, b->receive);
    return order != 0 ? order : compare_ids(a->send, b->send);
}

/* Where to look for the group of a pair: its places, in either order, and what it is about. */
static uint32_t *group_slot(struct tally *y, const struct race_pair *pair, bool *is_new)
{
    const bool has_accesses = pair->first != EVENT_NONE;
    const struct event *a = trace_at(y->t, has_accesses ? pair->first : pair->send);
    const struct event *b = trace_at(y->t, has_accesses ? pair->second : pair->receive);
    const uint32_t low = a->location < b->location ? a->location : b->location;
    const uint32_t high = a->location < b->location ? b->location : a->location;
    const uint32_t places =
        *map_slot(&y->places, map_pair(low, high), (uint32_t)y->places.entries.count, NULL);
    const uint32_t variable = has_accesses ? a->object : 0;
    const bool is_message = pair->send != EVENT_NONE;
    must(variable < UINT32_MAX / 2);
    return map_slot(&y->group_of, map_pair(places, variable * 2 + is_message),
                    (uint32_t)y->groups.count, is_new);
}

void tally_add(struct tally *y, const struct race_pair *pair, uint64_t pair_count)
{
    if (y->o->wants_pairs) {
        must(pair_count == 1);
        if (y->o->find_max == 0 || y->groups.count < y->o->find_max) {
            vec_push(&y->groups, (struct race_group){.pair = *pair, .pair_count = 1});
        }
        y->stats->location_pairs++;
        return;
    }
    bool is_new = false;
    const uint32_t number = *group_slot(y, pair, &is_new);
    if (is_new) {
        vec_push(&y->groups, (struct race_group){.pair = *pair});
        y->stats->location_pairs++;
    }
    struct race_group *group = &y->groups.at[number];
    group->pair_count += pair_count;
    if (compare_pairs(pair, &group->pair) < 0) {
        group->pair = *pair;
    }
}

void tally_decided(struct tally *y, const struct race_decided *d)
{
    y->stats->unknown += d->verdict == RACE_UNKNOWN;
    if (y->o->decided != NULL) {
        y->o->decided(y->o->context, d);
    }
}

bool tally_wants_each(const struct tally *y)
{
    return y->o->decided != NULL || y->o->wants_pairs;
}

static int by_pair(const void *left, const void *right, const void *context)
{
    (void)context;
    return compare_pairs(&((const struct race_group *)left)->pair,
                         &((const struct race_group *)right)->pair);
}

void tally_sort(struct tally *y)
{
    sort_stable(y->groups.at, y->groups.count, sizeof *y->groups.at, by_pair, NULL);
}
