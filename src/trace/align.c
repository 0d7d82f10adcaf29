#include "trace/align.h"

#include <string.h>

#include "base/mem.h"

/* Of one strand: memory grows with the square of it. */
enum { DIFFERENCES_MAX = 3000 };

void alignment_init(struct alignment *a)
{
    *a = (struct alignment){0};
    names_init(&a->names);
}

void alignment_release(struct alignment *a)
{
    for (int side = 0; side < 2; side++) {
        vec_each (&a->strands[side], strand) {
            vec_release(&strand->list);
        }
        vec_release(&a->strands[side]);
    }
    vec_release(&a->differences);
    map_release(&a->number_of);
    names_release(&a->names);
}

void alignment_add(struct alignment *a, enum align_side side, const char *strand, const char *what,
                   uint32_t index)
{
    const struct act act = {.strand = names_intern_text(&a->names, strand),
                            .what = names_intern_text(&a->names, what),
                            .index = index};
    bool is_new = false;
    const uint32_t number =
        *map_slot(&a->number_of, act.strand, (uint32_t)a->strands[0].count, &is_new);
    if (is_new) {
        vec_push(&a->strands[0], (struct acts){0});
        vec_push(&a->strands[1], (struct acts){0});
    }
    vec_push(&a->strands[side].at[number].list, act);
}

/* Myers' greedy algorithm: `furthest[k]` is how far into the first the best path on diagonal k
 * (first minus second) has come after so many differences; each round is kept, to walk back. */
struct path {
    const struct acts *first;
    const struct acts *second;
    VEC(uint32_t *) rounds; /* of round d: diagonals -d ... d */
};

static uint32_t reach(const struct path *p, size_t round, int64_t diagonal)
{
    return p->rounds.at[round][diagonal + (int64_t)round];
}

/* Whether the best way to the diagonal in this round adds what the second has. */
static bool comes_down(const struct path *p, size_t round, int64_t diagonal)
{
    const int64_t d = (int64_t)round;
    return diagonal == -d ||
           (diagonal != d && reach(p, round - 1, diagonal - 1) < reach(p, round - 1, diagonal + 1));
}

static uint32_t slide(const struct path *p, uint32_t x, int64_t diagonal)
{
    const struct acts *a = p->first;
    const struct acts *b = p->second;
    while (x < a->list.count && (size_t)((int64_t)x - diagonal) < b->list.count &&
           a->list.at[x].what == b->list.at[(int64_t)x - diagonal].what) {
        x++;
    }
    return x;
}

/* One more difference; true when both ends are reached. */
static bool advance(struct path *p)
{
    const size_t round = p->rounds.count;
    const int64_t d = (int64_t)round;
    uint32_t *furthest = mem_zero(2 * round + 1, sizeof *furthest);
    bool is_over = false;
    for (int64_t k = -d; k <= d; k += 2) {
        uint32_t x = 0;
        if (round > 0) {
            x = comes_down(p, round, k) ? reach(p, round - 1, k + 1)
                                        : reach(p, round - 1, k - 1) + 1;
        }
        furthest[k + d] = slide(p, x, k);
        is_over = is_over || (furthest[k + d] >= p->first->list.count &&
                              (int64_t)furthest[k + d] - k >= (int64_t)p->second->list.count);
    }
    vec_push(&p->rounds, furthest);
    return is_over;
}

struct marks {
    bool *first;
    bool *second;
};

/* Marks what is on one side only, from the ends back to the beginning. */
static void walk_back(const struct path *p, const struct marks *only)
{
    int64_t diagonal = (int64_t)p->first->list.count - (int64_t)p->second->list.count;
    for (size_t round = p->rounds.count - 1; round > 0; round--) {
        if (comes_down(p, round, diagonal)) {
            diagonal++;
            only->second[(int64_t)reach(p, round - 1, diagonal) - diagonal] = true;
        } else {
            diagonal--;
            only->first[reach(p, round - 1, diagonal)] = true;
        }
    }
}

/* False when they differ too much: then all of both is marked. */
static bool compare(const struct acts *first, const struct acts *second, const struct marks *only)
{
    struct path p = {.first = first, .second = second};
    bool is_over = first->list.count == 0 || second->list.count == 0;
    while (!is_over && p.rounds.count <= DIFFERENCES_MAX) {
        is_over = advance(&p);
    }
    if (p.rounds.count > 0 && is_over) {
        walk_back(&p, only);
    } else {
        memset(only->first, true, first->list.count);
        memset(only->second, true, second->list.count);
    }
    vec_each (&p.rounds, round) {
        mem_free(*round);
    }
    vec_release(&p.rounds);
    return is_over;
}

static const struct meeting nowhere = {{ALIGN_NONE, ALIGN_NONE}};

/* The differences of one strand, in its order: of the first side before the second. */
static void tell(struct alignment *a, uint32_t strand, const struct marks *only)
{
    const struct acts *first = &a->strands[0].at[strand];
    const struct acts *second = &a->strands[1].at[strand];
    struct meeting last = nowhere;
    size_t open = a->differences.count; /* from here on they are behind the last meeting */
    size_t i = 0;
    size_t k = 0;
    while (i < first->list.count || k < second->list.count) {
        if (i < first->list.count && only->first[i]) {
            vec_push(&a->differences,
                     (struct difference){ALIGN_FIRST, first->list.at[i++], last, nowhere});
        } else if (k < second->list.count && only->second[k]) {
            vec_push(&a->differences,
                     (struct difference){ALIGN_SECOND, second->list.at[k++], last, nowhere});
        } else {
            a->common++;
            last = (struct meeting){{first->list.at[i++].index, second->list.at[k++].index}};
            for (; open < a->differences.count; open++) {
                a->differences.at[open].before = last;
            }
        }
    }
}

void alignment_find(struct alignment *a)
{
    for (uint32_t i = 0; i < a->strands[0].count; i++) {
        const struct acts *first = &a->strands[0].at[i];
        const struct acts *second = &a->strands[1].at[i];
        const struct marks only = {.first = mem_zero(first->list.count + 1, sizeof(bool)),
                                   .second = mem_zero(second->list.count + 1, sizeof(bool))};
        a->shared += first->list.count > 0 && second->list.count > 0;
        a->unaligned += !compare(first, second, &only);
        tell(a, i, &only);
        mem_free(only.first);
        mem_free(only.second);
    }
}
