#include "race/sound/verify.h"

#include "base/arena.h"
#include "base/sort.h"
#include "race/linearize.h"
#include "wire/must.h"

struct proof {
    struct sound_pair pair;
    size_t listed; /* the cut holds all events of the line before this one, and not this one */
    enum { PROOF_UNCHECKED, PROOF_HOLDS, PROOF_REFUSED } state;
};

struct proofs {
    const struct hb *hb;
    const struct proof_options *options;
    struct arena arena;
    struct line line;
    size_t task_count;
    struct line_places places;
    VEC(struct proof) list; /* as found */
    VEC(uint32_t) cuts;     /* task_count numbers each */
    struct witness_checker *checker;
    sound_order order;
    uint32_t *left; /* per task: events of a cut still to come */
};

struct witness_checker *proof_checker_new(const struct hb *hb)
{
    VEC(struct witness_edge) given = {0};
    vec_each (&hb->edges.list, edge) {
        if (edge->kind == EDGE_GIVEN) {
            vec_push(&given, (struct witness_edge){.before = edge->from, .after = edge->to});
        }
    }
    struct witness_checker *c = witness_checker_new(hb->trace, given.at, given.count);
    vec_release(&given);
    return c;
}

static void proofs_init(struct proofs *p, const struct hb *hb, const struct proof_options *o)
{
    const struct trace *t = hb->trace;
    *p = (struct proofs){.hb = hb, .options = o, .task_count = t->tables.tasks.count};
    p->line = line_build(hb, &p->arena);
    p->places = line_places_build(&p->line, t, &p->arena);
    p->left = arena_array(&p->arena, uint32_t, p->task_count + 1);
    must(p->line.count <= t->events.count);
}

static void proofs_release(struct proofs *p)
{
    vec_release(&p->list);
    vec_release(&p->cuts);
    vec_release(&p->order);
    witness_checker_free(p->checker);
    arena_release(&p->arena);
}

/* The place of the first event that the cut leaves out. */
static size_t first_left_out(const struct proofs *p, const uint32_t *cut)
{
    size_t least = p->line.count;
    for (size_t task = 0; task < p->task_count; task++) {
        const size_t left_out = (size_t)p->places.first[task] + cut[task];
        if (left_out < p->places.first[task + 1] && p->places.at[left_out] < least) {
            least = p->places.at[left_out];
        }
    }
    return least;
}

static bool collect(void *context, const struct sound_race *race)
{
    struct proofs *p = context;
    vec_push(&p->list, (struct proof){.pair = race->pair, .listed = first_left_out(p, race->cut)});
    vec_reserve(&p->cuts, p->cuts.count + p->task_count);
    for (size_t i = 0; i < p->task_count; i++) {
        vec_push(&p->cuts, race->cut[i]);
    }
    return p->options->is_enough == NULL ||
           !p->options->is_enough(p->options->context, &race->pair);
}

static struct sound_race race_at(const struct proofs *p, size_t index)
{
    must(index < p->list.count);
    must(p->cuts.count == p->list.count * p->task_count);
    return (struct sound_race){.pair = p->list.at[index].pair,
                               .cut = p->cuts.at + index * p->task_count};
}

static int compare_places(const void *left, const void *right, const void *context)
{
    (void)context;
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Adds the events that the cut holds from this position on, p->left[task] of each task: by walking
 * the line or, if the events are few, by sorting them. */
static void lay_out_left(struct proofs *p, const struct sound_race *race, size_t listed)
{
    enum { SORT_FACTOR = 16 };
    const struct trace *t = p->hb->trace;
    uint64_t total = 0;
    size_t end = listed;
    for (size_t task = 0; task < p->task_count; task++) {
        const size_t past = (size_t)p->places.first[task] + race->cut[task];
        total += p->left[task];
        end = p->left[task] > 0 && p->places.at[past - 1] >= end ? p->places.at[past - 1] + 1 : end;
    }
    if (total > (end - listed) / SORT_FACTOR) {
        for (size_t i = listed; i < end; i++) {
            const event_id id = line_at(&p->line, i);
            uint32_t *left = &p->left[t->events.at[id].task];
            if (*left > 0) {
                (*left)--;
                vec_push(&p->order, id);
            }
        }
        return;
    }
    for (size_t task = 0; task < p->task_count; task++) {
        const size_t past = (size_t)p->places.first[task] + race->cut[task];
        for (size_t i = past - p->left[task]; i < past; i++) {
            vec_push(&p->order, p->places.at[i]);
        }
    }
    sort_stable(p->order.at, p->order.count, sizeof *p->order.at, compare_places, NULL);
    vec_each (&p->order, place) {
        *place = line_at(&p->line, *place);
    }
}

/* The order from this place on, before which the cut holds all: the rest of it, then the pair. */
static void lay_out_rest(struct proofs *p, const struct sound_race *race, size_t listed)
{
    for (uint32_t task = 0; task < p->task_count; task++) {
        must(race->cut[task] >= line_places_before(&p->places, task, listed));
        p->left[task] = race->cut[task] - line_places_before(&p->places, task, listed);
    }
    vec_clear(&p->order);
    lay_out_left(p, race, listed);
    if (!race->pair.is_message) {
        vec_push(&p->order, race->pair.a);
    }
    vec_push(&p->order, race->pair.b);
}

static bool holds(struct proofs *p, const struct sound_race *race, size_t listed)
{
    /* The checker knows the list, not the line. */
    const size_t from = p->line.events == NULL ? listed : 0;
    lay_out_rest(p, race, from);
    const struct witness w = {.is_message = race->pair.is_message,
                              .a = race->pair.a,
                              .b = race->pair.b,
                              .listed = from,
                              .order = p->order.at,
                              .count = p->order.count};
    struct err refusal = {0};
    return witness_check(p->checker, &w, &refusal) == 0;
}

static int compare_listed(const void *left, const void *right, const void *context)
{
    const struct proof *list = context;
    const size_t a = list[*(const uint32_t *)left].listed;
    const size_t b = list[*(const uint32_t *)right].listed;
    return (a > b) - (a < b);
}

/* Checks by how much of the list they begin with, so that the checker never goes back. */
static void check_all(struct proofs *p)
{
    VEC(uint32_t) by_listed = {0};
    for (size_t i = 0; i < p->list.count; i++) {
        vec_push(&by_listed, (uint32_t)i);
    }
    sort_stable(by_listed.at, by_listed.count, sizeof *by_listed.at, compare_listed, p->list.at);
    vec_each (&by_listed, index) {
        struct proof *proof = &p->list.at[*index];
        const struct sound_race race = race_at(p, *index);
        if (limit_is_over(p->options->watch, LIMIT_STEPS)) {
            break;
        }
        proof->state = holds(p, &race, proof->listed) ? PROOF_HOLDS : PROOF_REFUSED;
    }
    vec_release(&by_listed);
}

static void report_all(struct proofs *p, struct proof_stats *stats)
{
    if (p->list.count == 0) {
        return;
    }
    p->checker = proof_checker_new(p->hb);
    check_all(p);
    for (size_t i = 0; i < p->list.count; i++) {
        must(p->list.at[i].listed <= p->line.count);
        stats->shown += p->list.at[i].state == PROOF_HOLDS;
        stats->refused += p->list.at[i].state == PROOF_REFUSED;
        if (p->list.at[i].state != PROOF_HOLDS) {
            continue;
        }
        const struct sound_race race = race_at(p, i);
        p->options->found(p->options->context, &race);
    }
}

/* A list that contradicts every execution (sections that overlap) is no prefix: cuts then hold only
 * the needs of the pair. */
static struct sound_options collecting(struct proofs *p)
{
    return (struct sound_options){.found = collect,
                                  .context = p,
                                  .skips_data = p->options->skips_data,
                                  .skips_messages = p->options->skips_messages,
                                  .extends_cuts =
                                      !p->options->wants_least_cuts && sound_is_certain(p->hb),
                                  .watch = p->options->watch};
}

void proof_find(const struct hb *hb, const struct proof_options *o, struct proof_stats *stats)
{
    struct proofs p;
    proofs_init(&p, hb, o);
    const struct sound_options options = collecting(&p);
    sound_find(hb, &options);
    report_all(&p, stats);
    proofs_release(&p);
}

void proof_ask(const struct hb *hb, const struct sound_pair *pairs, size_t count,
               const struct proof_options *o, struct proof_stats *stats)
{
    struct proofs p;
    proofs_init(&p, hb, o);
    const struct sound_options options = collecting(&p);
    sound_ask(hb, pairs, count, &options);
    report_all(&p, stats);
    proofs_release(&p);
}
