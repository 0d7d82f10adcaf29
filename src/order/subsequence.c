/* Myers, "An O(ND) difference algorithm and its variations", Algorithmica 1986: the greedy one. */
#include "order/subsequence.h"

#include <stdbool.h>

#include "base/mem.h"
#include "base/vec.h"

/* Memory grows with the square of the first. Once the result is not the longest any more, time
 * matters. */
enum { DIFFERENCES_EXACT = 3000, DIFFERENCES_AT_ONCE = 300 };

/* `reach` of diagonal k (first minus second) is the position in the first that the best path on it
 * reaches after d differences; each round is kept, to walk back. */
struct path {
    struct sequence first, second;
    VEC(uint32_t *) rounds; /* of round d: diagonals -d ... d */
};

static uint32_t reach(const struct path *p, size_t round, int64_t diagonal)
{
    return p->rounds.at[round][diagonal + (int64_t)round];
}

/* Whether the best path to the diagonal in this round skips an element of the second. */
static bool comes_down(const struct path *p, size_t round, int64_t diagonal)
{
    const int64_t d = (int64_t)round;
    return diagonal == -d ||
           (diagonal != d && reach(p, round - 1, diagonal - 1) < reach(p, round - 1, diagonal + 1));
}

/* The position on the diagonal where the round begins, before equal elements. */
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

/* The unpaired rest of both, and the number of elements before it. */
struct rest {
    struct sequence first, second;
    uint32_t first_offset, second_offset;
    uint32_t *partner_of;
};

/* Pairs the equal elements on the path to the end of the diagonal, back to the beginning. */
static void walk_back(const struct rest *r, const struct path *p, int64_t diagonal)
{
    for (size_t round = p->rounds.count; round-- > 0;) {
        const uint32_t end = reach(p, round, diagonal);
        for (uint32_t x = begin(p, round, diagonal); x < end; x++) {
            must(r->partner_of[r->first_offset + x] == SUBSEQUENCE_NONE);
            must(p->first.at[x] == p->second.at[(int64_t)x - diagonal]);
            r->partner_of[r->first_offset + x] =
                r->second_offset + (uint32_t)((int64_t)x - diagonal);
        }
        if (round > 0) {
            diagonal += comes_down(p, round, diagonal) ? 1 : -1;
        }
    }
}

/* The diagonal with the most elements of both behind it, neither of them passed. */
static int64_t furthest_diagonal(const struct path *p)
{
    const size_t round = p->rounds.count - 1;
    const int64_t d = (int64_t)round;
    int64_t furthest = 0;
    int64_t most = -1;
    for (int64_t k = -d; k <= d; k += 2) {
        const int64_t x = reach(p, round, k);
        if (x <= (int64_t)p->first.count && x - k <= (int64_t)p->second.count && x - k >= 0 &&
            2 * x - k > most) {
            most = 2 * x - k;
            furthest = k;
        }
    }
    must(most > 0);
    return furthest;
}

static struct sequence sequence_after(struct sequence s, uint32_t count)
{
    return (struct sequence){s.at + count, s.count - count};
}

/* Pairs up to both ends, or as far as `differences_max` differences lead. */
static void go_on(struct rest *r, size_t differences_max)
{
    struct path p = {.first = r->first, .second = r->second};
    bool is_over = false;
    while (!is_over && p.rounds.count <= differences_max) {
        is_over = advance(&p);
    }
    const int64_t diagonal =
        is_over ? (int64_t)r->first.count - (int64_t)r->second.count : furthest_diagonal(&p);
    const uint32_t x = is_over ? r->first.count : reach(&p, p.rounds.count - 1, diagonal);
    const uint32_t y = (uint32_t)((int64_t)x - diagonal);
    must(x <= r->first.count);
    must(y <= r->second.count);
    must(x > 0 || y > 0); /* each round ends nearer to both ends */
    walk_back(r, &p, diagonal);
    vec_each (&p.rounds, round) {
        mem_free(*round);
    }
    vec_release(&p.rounds);
    r->first = sequence_after(r->first, x);
    r->second = sequence_after(r->second, y);
    r->first_offset += x;
    r->second_offset += y;
}

void subsequence_find(struct sequence first, struct sequence second, uint32_t *partner_of)
{
    struct rest rest = {.first = first, .second = second, .partner_of = partner_of};
    size_t differences_max = DIFFERENCES_EXACT;
    for (uint32_t i = 0; i < first.count; i++) {
        partner_of[i] = SUBSEQUENCE_NONE;
    }
    while (rest.first.count > 0 && rest.second.count > 0) {
        go_on(&rest, differences_max);
        differences_max = DIFFERENCES_AT_ONCE;
    }
}
