#include "race/parallel_decide.h"

#include <string.h>

#include "base/fork_pool.h"
#include "wire/must.h"

struct shared {
    struct race_groups *y;
    share_fn work;
    void *context;
    uint32_t count;
};

/* The result of a worker: its counts, then its groups. */
static int work_part(void *context, uint32_t part, struct out *result, struct err *e)
{
    const struct shared *s = context;
    struct race_stats stats;
    struct race_groups y;
    race_groups_init(&y, s->y->t, s->y->o, &stats);
    y.turn_of = part;
    y.turn_count = s->count;
    const int done = s->work(s->context, &y, e);
    stats.is_cut = y.watch.is_over;
    out_bytes(result, &stats, sizeof stats);
    vec_each (&y.groups, group) {
        out_bytes(result, &group->pair, sizeof group->pair);
        out_bytes(result, &group->pair_count, sizeof group->pair_count);
    }
    race_groups_release(&y);
    return done;
}

static void add_stats(struct race_stats *to, const struct race_stats *part)
{
    to->data_candidates += part->data_candidates;
    to->data_races += part->data_races;
    to->message_candidates += part->message_candidates;
    to->message_races += part->message_races;
    to->conflict_pairs += part->conflict_pairs;
    to->unknown += part->unknown;
    to->asked += part->asked;
    to->is_cut = to->is_cut || part->is_cut;
    to->silence = to->silence.text[0] == '\0' ? part->silence : to->silence;
    to->constraints = part->constraints > to->constraints ? part->constraints : to->constraints;
}

static int take_part(void *context, const char *bytes, size_t size, struct err *e)
{
    (void)e;
    const struct shared *s = context;
    struct race_stats stats;
    struct race_group group;
    const size_t group_size = sizeof group.pair + sizeof group.pair_count;
    must(size >= sizeof stats);
    must((size - sizeof stats) % group_size == 0);
    memcpy(&stats, bytes, sizeof stats);
    add_stats(s->y->stats, &stats);
    if (s->y->o->wants_pairs && !race_groups_keeps_pairs(s->y)) {
        s->y->stats->location_pairs += stats.location_pairs; /* they came without groups */
    }
    for (size_t at = sizeof stats; at < size; at += group_size) {
        memcpy(&group.pair, bytes + at, sizeof group.pair);
        memcpy(&group.pair_count, bytes + at + sizeof group.pair, sizeof group.pair_count);
        race_groups_add(s->y, &group.pair, group.pair_count);
    }
    return 0;
}

int share_run(struct race_groups *y, share_fn work, void *context, struct err *e)
{
    const struct race_options *o = y->o;
    const bool is_ordered =
        o->decided != NULL || o->smtlib != NULL || (o->wants_pairs && o->find_max != 0);
    if (o->worker_count <= 1 || is_ordered) {
        return work(context, y, e);
    }
    struct shared s = {.y = y, .work = work, .context = context, .count = o->worker_count};
    const struct fork_pool crew = {
        .count = s.count, .work = work_part, .take = take_part, .context = &s};
    return fork_pool_run(&crew, e);
}
