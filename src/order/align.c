/* Pairing of acts. A longest common subsequence of each strand has the most pairs; when all their
 * causes are pairs too, it is final. Otherwise the choice among equal acts matters. So there are
 * two starts, from the beginning of strands and from their end. From each, effects vote for the
 * partners of their causes. Pairs that contradict rule 2 are then separated, and gaps are filled
 * with pairs that do not. The start with the most pairs is taken. */
#include "order/align.h"

#include <string.h>

#include "base/mem.h"
#include "order/align_parts.h"
#include "order/subsequence.h"

void alignment_init(struct alignment *a)
{
    *a = (struct alignment){0};
    names_init(&a->names);
}

void alignment_release(struct alignment *a)
{
    for (int side = 0; side < 2; side++) {
        struct align_acts *acts = &a->sides[side];
        vec_each (&acts->strands, strand) {
            vec_release(&strand->list);
        }
        vec_release(&acts->strands);
        vec_release(&acts->list);
        mem_free(acts->partner_of);
        mem_free(acts->previous);
        mem_free(acts->effect);
        mem_free(acts->next);
    }
    vec_release(&a->differences);
    vec_release(&a->reorderings);
    map_release(&a->number_of);
    map_release(&a->contents);
    map_release(&a->kinds);
    names_release(&a->names);
}

static uint32_t kind_of(struct alignment *a, const struct act_made *made)
{
    const uint32_t what = names_intern_text(&a->names, made->what);
    const uint32_t content =
        *map_slot(&a->contents, made->content, (uint32_t)a->contents.entries.count, NULL);
    return *map_slot(&a->kinds, map_pair(what, content), (uint32_t)a->kinds.entries.count, NULL);
}

void alignment_add(struct alignment *a, enum align_side side, const struct act_made *made)
{
    struct align_acts *acts = &a->sides[side];
    const struct act act = {
        .strand = names_intern_text(&a->names, made->strand),
        .shown = names_intern_text(&a->names, made->shown == NULL ? made->what : made->shown),
        .kind = kind_of(a, made),
        .object = made->object == NULL ? 0 : names_intern_text(&a->names, made->object),
        .index = made->index,
        .cause = made->has_cause ? made->cause : ALIGN_NONE,
        .is_read = made->is_read};
    bool is_new = false;
    const uint32_t number =
        *map_slot(&a->number_of, act.strand, (uint32_t)acts->strands.count, &is_new);
    if (is_new) {
        vec_push(&a->sides[0].strands, (struct strand){0});
        vec_push(&a->sides[1].strands, (struct strand){0});
    }
    vec_push(&acts->strands.at[number].list, (uint32_t)acts->list.count);
    vec_push(&acts->list, act);
}

static uint32_t *numbers(size_t count)
{
    uint32_t *list = mem_zero(count + 1, sizeof *list);
    memset(list, 0xff, (count + 1) * sizeof *list); /* ALIGN_NONE */
    return list;
}

static void link_acts(struct align_acts *acts)
{
    const size_t count = acts->list.count;
    acts->partner_of = numbers(count);
    acts->previous = numbers(count);
    acts->effect = numbers(count);
    acts->next = numbers(count);
    vec_each (&acts->strands, strand) {
        for (size_t i = 1; i < strand->list.count; i++) {
            acts->previous[strand->list.at[i]] = strand->list.at[i - 1];
        }
    }
    for (uint32_t i = (uint32_t)count; i-- > 0;) {
        const uint32_t cause = acts->list.at[i].cause;
        if (cause != ALIGN_NONE) {
            must(cause < count);
            acts->next[i] = acts->effect[cause];
            acts->effect[cause] = i;
        }
    }
}

static void unite(struct alignment *a, uint32_t first, uint32_t second)
{
    a->sides[ALIGN_FIRST].partner_of[first] = second;
    a->sides[ALIGN_SECOND].partner_of[second] = first;
}

void alignment_part(struct alignment *a, uint32_t first)
{
    VEC(uint32_t) parted = {0};
    vec_push(&parted, first);
    while (parted.count > 0) {
        const uint32_t act = vec_pop(&parted);
        struct align_acts *acts = a->sides;
        const uint32_t partner = acts[ALIGN_FIRST].partner_of[act];
        if (partner == ALIGN_NONE) {
            continue;
        }
        must(acts[ALIGN_SECOND].partner_of[partner] == act);
        acts[ALIGN_FIRST].partner_of[act] = ALIGN_NONE;
        acts[ALIGN_SECOND].partner_of[partner] = ALIGN_NONE;
        for (uint32_t i = acts[ALIGN_FIRST].effect[act]; i != ALIGN_NONE;
             i = acts[ALIGN_FIRST].next[i]) {
            vec_push(&parted, i);
        }
    }
    vec_release(&parted);
}

/* Some acts of a strand on both sides, with the label that the acts of a pair share. */
struct labelled {
    VEC(uint32_t) acts[2];
    VEC(uint64_t) labels[2];
    VEC(uint32_t) partner_of;
};

static void labelled_release(struct labelled *l)
{
    for (int side = 0; side < 2; side++) {
        vec_release(&l->acts[side]);
        vec_release(&l->labels[side]);
    }
    vec_release(&l->partner_of);
}

static void labelled_add(struct labelled *l, int side, uint32_t act, uint64_t label)
{
    vec_push(&l->acts[side], act);
    vec_push(&l->labels[side], label);
}

/* Pairs as many of them as possible; true when there are any. */
static bool labelled_pair(struct labelled *l, struct alignment *a)
{
    const struct sequence first = {l->labels[0].at, (uint32_t)l->labels[0].count};
    const struct sequence second = {l->labels[1].at, (uint32_t)l->labels[1].count};
    bool is_any = false;
    vec_reserve(&l->partner_of, (size_t)first.count + 1);
    subsequence_find(first, second, l->partner_of.at);
    for (uint32_t i = 0; i < first.count; i++) {
        if (l->partner_of.at[i] != SUBSEQUENCE_NONE) {
            unite(a, l->acts[0].at[i], l->acts[1].at[l->partner_of.at[i]]);
            is_any = true;
        }
    }
    for (int side = 0; side < 2; side++) {
        vec_clear(&l->acts[side]);
        vec_clear(&l->labels[side]);
    }
    return is_any;
}

/* A pair, the same number on both sides; 0: it is none. */
static uint32_t pair_number(const struct alignment *a, int side, uint32_t act)
{
    const uint32_t partner = a->sides[side].partner_of[act];
    return partner == ALIGN_NONE ? 0 : 1 + (side == ALIGN_FIRST ? act : partner);
}

/* The vote of the effects on the partner of their cause: the least one counts. */
static uint32_t vote_on(const struct alignment *a, int side, uint32_t act)
{
    const struct align_acts *acts = &a->sides[side];
    uint32_t vote = 0;
    for (uint32_t i = acts->effect[act]; i != ALIGN_NONE; i = acts->next[i]) {
        const uint32_t number = pair_number(a, side, i);
        vote = number != 0 && (vote == 0 || number < vote) ? number : vote;
    }
    return vote;
}

/* Pairs all strands again, by actions and, if there are any, by votes. */
static void pair_strands(struct alignment *a, bool is_from_end, const uint32_t *const *votes)
{
    struct labelled l = {0};
    for (int side = 0; side < 2; side++) {
        memset(a->sides[side].partner_of, 0xff,
               a->sides[side].list.count * sizeof *a->sides[side].partner_of);
    }
    for (size_t strand = 0; strand < a->sides[0].strands.count; strand++) {
        for (int side = 0; side < 2; side++) {
            const struct align_acts *acts = &a->sides[side];
            const struct strand *s = &acts->strands.at[strand];
            for (size_t i = 0; i < s->list.count; i++) {
                const uint32_t act = s->list.at[is_from_end ? s->list.count - 1 - i : i];
                labelled_add(
                    &l, side, act,
                    map_pair(acts->list.at[act].kind, votes == NULL ? 0 : votes[side][act]));
            }
        }
        (void)labelled_pair(&l, a);
    }
    labelled_release(&l);
}

static void count_votes(const struct alignment *a, uint32_t **votes)
{
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < a->sides[side].list.count; i++) {
            votes[side][i] = vote_on(a, side, i);
        }
    }
}

/* Enforces rule 2; true when nothing contradicted it. */
static bool part_contradictions(struct alignment *a)
{
    const struct align_acts *first = &a->sides[ALIGN_FIRST];
    const struct align_acts *second = &a->sides[ALIGN_SECOND];
    bool is_fine = true;
    for (uint32_t i = 0; i < first->list.count; i++) {
        const uint32_t partner = first->partner_of[i];
        if (partner == ALIGN_NONE) {
            continue;
        }
        const uint32_t cause = first->list.at[i].cause;
        const uint32_t wanted = second->list.at[partner].cause;
        if ((cause == ALIGN_NONE ? ALIGN_NONE : first->partner_of[cause]) != wanted ||
            (cause == ALIGN_NONE) != (wanted == ALIGN_NONE)) {
            alignment_part(a, i);
            is_fine = false;
        }
    }
    return is_fine;
}

/* An unpaired act may become a pair if it has no cause, or a paired one. */
static void label_free(const struct alignment *a, int side, uint32_t act, struct labelled *l)
{
    const struct act *at = &a->sides[side].list.at[act];
    const uint32_t cause = at->cause == ALIGN_NONE ? 0 : pair_number(a, side, at->cause);
    if (at->cause == ALIGN_NONE || cause != 0) {
        labelled_add(l, side, act, map_pair(at->kind, cause));
    }
}

/* The acts of a strand on a side, from the next on, up to its next pair. */
static void label_gap(const struct alignment *a, int side, const struct strand *s, size_t *next,
                      struct labelled *l)
{
    while (*next < s->list.count && a->sides[side].partner_of[s->list.at[*next]] == ALIGN_NONE) {
        label_free(a, side, s->list.at[*next], l);
        ++*next;
    }
}

/* Pairs acts between two pairs of a strand on both sides; true when there are any. */
static bool fill_gaps(struct alignment *a)
{
    struct labelled l = {0};
    bool is_any = false;
    for (size_t strand = 0; strand < a->sides[0].strands.count; strand++) {
        const struct strand *s[] = {&a->sides[0].strands.at[strand],
                                    &a->sides[1].strands.at[strand]};
        size_t next[2] = {0};
        bool is_over = false;
        while (!is_over) {
            label_gap(a, 0, s[0], &next[0], &l);
            label_gap(a, 1, s[1], &next[1], &l);
            is_over = next[0] >= s[0]->list.count;
            next[0]++; /* over the pair */
            next[1]++;
            is_any = labelled_pair(&l, a) || is_any;
        }
    }
    labelled_release(&l);
    return is_any;
}

static uint64_t count_pairs(const struct alignment *a)
{
    const struct align_acts *first = &a->sides[ALIGN_FIRST];
    uint64_t count = 0;
    for (size_t i = 0; i < first->list.count; i++) {
        count += first->partner_of[i] != ALIGN_NONE;
    }
    return count;
}

/* The best pairing so far. */
struct pairing {
    uint32_t *partner_of[2];
    uint64_t count;
};

static void keep_if_better(struct alignment *a, struct pairing *best)
{
    const uint64_t count = count_pairs(a);
    if (best->partner_of[0] != NULL && count <= best->count) {
        return;
    }
    for (int side = 0; side < 2; side++) {
        if (best->partner_of[side] == NULL) {
            best->partner_of[side] = numbers(a->sides[side].list.count);
        }
        memcpy(best->partner_of[side], a->sides[side].partner_of,
               a->sides[side].list.count * sizeof *best->partner_of[side]);
    }
    best->count = count;
}

static void take(struct alignment *a, struct pairing *best)
{
    for (int side = 0; side < 2; side++) {
        mem_free(a->sides[side].partner_of);
        a->sides[side].partner_of = best->partner_of[side];
    }
}

enum { VOTES_MAX = 6 };

/* One start. Votes are counted before contradicting pairs are separated, since they vote against
 * those. True when no more pairs are possible. */
static bool go(struct alignment *a, bool is_from_end, struct pairing *best)
{
    uint32_t *votes[] = {numbers(a->sides[0].list.count), numbers(a->sides[1].list.count)};
    bool is_perfect = false;
    for (uint32_t i = 0; i <= VOTES_MAX && !is_perfect; i++) {
        pair_strands(a, is_from_end, i == 0 ? NULL : (const uint32_t *const *)votes);
        count_votes(a, votes);
        is_perfect = part_contradictions(a) && i == 0;
        while (!is_perfect && fill_gaps(a)) {
        }
        keep_if_better(a, best);
    }
    mem_free(votes[0]);
    mem_free(votes[1]);
    return is_perfect;
}

static void pair_all(struct alignment *a)
{
    struct pairing best = {0};
    if (!go(a, false, &best)) {
        (void)go(a, true, &best);
    }
    take(a, &best);
}

void alignment_find(struct alignment *a)
{
    link_acts(&a->sides[ALIGN_FIRST]);
    link_acts(&a->sides[ALIGN_SECOND]);
    pair_all(a);
    for (size_t i = 0; i < a->sides[0].strands.count; i++) {
        a->shared +=
            a->sides[0].strands.at[i].list.count > 0 && a->sides[1].strands.at[i].list.count > 0;
    }
    alignment_merge(a);
    a->common = count_pairs(a);
    alignment_compare_objects(a);
}
