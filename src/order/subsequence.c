/* Myers, "An O(ND) difference algorithm and its variations", Algorithmica 1986: the greedy one. */
#include "order/subsequence.h"

#include "base/mem.h"
#include "base/vec.h"

/* Memory grows with the square of it. */
enum { DIFFERENCES_MAX = 3000 };

/* `reach` of diagonal k (first minus second) is how far into the first the best path on it has come
 * after so many differences; each round is kept, to walk back. */
struct path {
    struct sequence first, second;
    VEC(uint32_t *) rounds; /* of round d: diagonals -d ... d */
};

static uint32_t reach(const struct path *p, size_t round, int64_t diagonal)
{
    return p->rounds.at[round][diagonal + (int64_t)round];
}

/* Whether the best way to the diagonal in this round leaves out what the second has. */
static bool comes_down(const struct path *p, size_t round, int64_t diagonal)
{
    const int64_t d = (int64_t)round;
    return diagonal == -d ||
           (diagonal != d && reach(p, round - 1, diagonal - 1) < reach(p, round - 1, diagonal + 1));
}

/* Where on the diagonal the round begins, before what is equal. */
static uint32_t begin(const struct path *p, size_t round, int64_t diagonal)
{
    if (round == 0) {
        return 0;
    }
    return comes_down(p, round, diagonal) ? reach(p, round - 1, diagonal + 1)
                                          : reach(p, round - 1, diagonal - 1) + 1;
}

static uint32_t slide(const struct path *p, uint32_t x, int64_t diagonal)
{
    while (x < p->first.count && (int64_t)x - diagonal < (int64_t)p->second.count &&
           p->first.at[x] == p->second.at[(int64_t)x - diagonal]) {
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
        furthest[k + d] = slide(p, begin(p, round, k), k);
        is_over = is_over || (furthest[k + d] >= p->first.count &&
                              (int64_t)furthest[k + d] - k >= (int64_t)p->second.count);
    }
    vec_push(&p->rounds, furthest);
    return is_over;
}

/* Pairs what is equal, from the ends back to the beginning. */
static void walk_back(const struct path *p, uint32_t *partner_of)
{
    int64_t diagonal = (int64_t)p->first.count - (int64_t)p->second.count;
    for (size_t round = p->rounds.count; round-- > 0;) {
        const uint32_t from = begin(p, round, diagonal);
        const uint32_t end = reach(p, round, diagonal);
        for (uint32_t x = from; x < end && x < p->first.count; x++) {
            partner_of[x] = (uint32_t)((int64_t)x - diagonal);
        }
        if (round > 0) {
            diagonal += comes_down(p, round, diagonal) ? 1 : -1;
        }
    }
}

bool subsequence_find(struct sequence first, struct sequence second, uint32_t *partner_of)
{
    struct path p = {.first = first, .second = second};
    for (uint32_t i = 0; i < first.count; i++) {
        partner_of[i] = SUBSEQUENCE_NONE;
    }
    if (first.count == 0 || second.count == 0) {
        return true;
    }
    bool is_over = false;
    while (!is_over && p.rounds.count <= DIFFERENCES_MAX) {
        is_over = advance(&p);
    }
    if (is_over) {
        walk_back(&p, partner_of);
    }
    vec_each (&p.rounds, round) {
        mem_free(*round);
    }
    vec_release(&p.rounds);
    return is_over;
}
