#include "spec/temporal.h"

#include <string.h>

#include "wire/must.h"

/* Linear temporal logic with past over a word that ends in a loop. Each part becomes a row of
 * truths, one per step, from the rows of its operands. Future operators run from the back, twice
 * around the loop: the first turn computes the start of the second. Past operators run from the
 * front. The loop must already have been unrolled temporal_turns() times, or past operators would
 * differ from turn to turn. */

enum { TURNS_MAX = 1 << 16 };

static uint8_t smaller(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

static uint8_t larger(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    uint64_t total = 0;
    return __builtin_add_overflow(a, b, &total) ? UINT64_MAX : total;
}

/* The step after step i, SIZE_MAX when it is unknown. */
static size_t after(const struct track *t, size_t i)
{
    return i + 1 < t->count ? i + 1 : t->loop;
}

static void decide_next(const struct track *t, const uint8_t *left, uint8_t *row)
{
    for (size_t i = 0; i < t->count; i++) {
        const size_t next = after(t, i);
        row[i] = next == TRACK_OPEN ? TRUTH_UNKNOWN : left[next];
    }
}

static void decide_until(const struct track *t, const uint8_t *left, const uint8_t *right,
                         uint8_t *row)
{
    uint8_t then = t->loop == TRACK_OPEN ? TRUTH_UNKNOWN : TRUTH_NO;
    const int rounds = t->loop == TRACK_OPEN ? 1 : 2;
    for (int round = 0; round < rounds; round++) {
        const size_t first = round + 1 < rounds ? t->loop : 0;
        for (size_t i = t->count; i-- > first;) {
            row[i] = then = larger(right[i], smaller(left[i], then));
        }
    }
}

static void decide_since(const struct track *t, const uint8_t *left, const uint8_t *right,
                         uint8_t *row)
{
    uint8_t before = TRUTH_NO;
    for (size_t i = 0; i < t->count; i++) {
        row[i] = before = larger(right[i], smaller(left[i], before));
    }
}

/* The time of the nearest step with at least this truth; UINT64_MAX with is_none when there is
 * none. */
struct nearest {
    uint64_t time;
    bool is_none;
};

static bool is_within(struct nearest n, uint64_t from, uint64_t to, uint64_t bound)
{
    must(n.is_none || from <= to);
    return !n.is_none && to - from <= bound;
}

/* Finds for each step the nearest one, from it on, where left is at least `least`, and raises the
 * row to `least` where that is soon enough. */
static void raise_ahead(const struct track *t, const uint8_t *left, const struct part *part,
                        uint8_t least, uint8_t *row)
{
    struct nearest n = {.is_none = true};
    const int rounds = t->loop == TRACK_OPEN ? 1 : 2;
    for (int round = 0; round < rounds; round++) {
        const size_t first = round + 1 < rounds ? t->loop : 0;
        if (round > 0 && !n.is_none) {
            n.time = sum(n.time, t->loop_ns); /* from the end, the loop is one turn later */
        }
        for (size_t i = t->count; i-- > first;) {
            if (left[i] >= least) {
                n = (struct nearest){.time = t->times[i]};
            }
            if (is_within(n, t->times[i], n.time, part->bound)) {
                row[i] = larger(row[i], least);
            }
        }
    }
}

static void decide_eventually(const struct track *t, const uint8_t *left, const struct part *part,
                              uint8_t *row)
{
    memset(row, TRUTH_NO, t->count);
    raise_ahead(t, left, part, TRUTH_UNKNOWN, row);
    raise_ahead(t, left, part, TRUTH_YES, row);
    if (t->loop != TRACK_OPEN) {
        return;
    }
    /* A future truth occurs at the time of the last step or later. */
    for (size_t i = 0; i < t->count; i++) {
        if (t->times[t->count - 1] - t->times[i] <= part->bound) {
            row[i] = larger(row[i], TRUTH_UNKNOWN);
        }
    }
}

static void decide_once(const struct track *t, const uint8_t *left, const struct part *part,
                        uint8_t *row)
{
    struct nearest nearest[] = {{.is_none = true}, {.is_none = true}};
    for (size_t i = 0; i < t->count; i++) {
        row[i] = TRUTH_NO;
        for (int least = TRUTH_UNKNOWN; least <= TRUTH_YES; least++) {
            struct nearest *n = &nearest[least - TRUTH_UNKNOWN];
            if (left[i] >= least) {
                *n = (struct nearest){.time = t->times[i]};
            }
            if (is_within(*n, n->time, t->times[i], part->bound)) {
                row[i] = (uint8_t)least;
            }
        }
    }
}

static void decide_here(const struct track *t, const struct part *part, uint8_t *const *rows,
                        uint8_t *row)
{
    for (size_t i = 0; i < t->count; i++) {
        switch ((enum part_op)part->op) {
        case PART_ATOM: row[i] = t->atoms[i * t->atom_count + part->left]; break;
        case PART_NOT: row[i] = (uint8_t)(TRUTH_YES - rows[part->left][i]); break;
        case PART_AND: row[i] = smaller(rows[part->left][i], rows[part->right][i]); break;
        case PART_OR: row[i] = larger(rows[part->left][i], rows[part->right][i]); break;
        case PART_NEXT:
        case PART_UNTIL:
        case PART_EVENTUALLY:
        case PART_ONCE:
        case PART_SINCE: bug("not about one step");
        }
    }
}

static void decide(const struct track *t, const struct part *part, uint8_t *const *rows,
                   uint8_t *row)
{
    must(part->op != PART_ATOM || part->left < t->atom_count);
    switch ((enum part_op)part->op) {
    case PART_ATOM:
    case PART_NOT:
    case PART_AND:
    case PART_OR: decide_here(t, part, rows, row); return;
    case PART_NEXT: decide_next(t, rows[part->left], row); return;
    case PART_UNTIL: decide_until(t, rows[part->left], rows[part->right], row); return;
    case PART_EVENTUALLY: decide_eventually(t, rows[part->left], part, row); return;
    case PART_ONCE: decide_once(t, rows[part->left], part, row); return;
    case PART_SINCE: decide_since(t, rows[part->left], rows[part->right], row); return;
    }
    bug("part op");
}

/* Marks the parts that the root depends on. */
static bool *parts_below(const struct parts *p, uint32_t root, struct arena *arena)
{
    bool *is_below = arena_array(arena, bool, p->list.count);
    is_below[root] = true;
    for (uint32_t i = root + 1; i-- > 0;) {
        const struct part *part = vec_at(&p->list, i);
        if (is_below[i] && part->op != PART_ATOM) {
            must(part->left < i);
            must(part->right < i);
            is_below[part->left] = true;
            is_below[part->right] = true;
        }
    }
    return is_below;
}

const uint8_t *temporal_decide(const struct parts *p, uint32_t root, const struct track *t,
                               struct arena *arena)
{
    must(t->loop == TRACK_OPEN || t->loop < t->count);
    must(root < p->list.count);
    const bool *is_below = parts_below(p, root, arena);
    uint8_t **rows = arena_array(arena, uint8_t *, root + 1);
    for (uint32_t i = 0; i <= root; i++) {
        if (is_below[i]) {
            rows[i] = arena_array(arena, uint8_t, t->count + 1);
            decide(t, vec_at(&p->list, i), rows, rows[i]);
        }
    }
    return rows[root];
}

/* Each past operator needs one turn more than its operand; one with a bound, the turns in which it
 * could still see past the loop. */
size_t temporal_turns(const struct parts *p, uint32_t root, uint64_t loop_ns, uint64_t before_ns)
{
    struct arena arena = {0};
    const bool *is_below = parts_below(p, root, &arena);
    size_t turns = 0;
    for (uint32_t i = 0; i <= root; i++) {
        const struct part *part = vec_at(&p->list, i);
        if (!is_below[i] || (part->op != PART_ONCE && part->op != PART_SINCE)) {
            continue;
        }
        turns++;
        if (part->op == PART_ONCE && part->bound != PART_UNBOUNDED && loop_ns > 0) {
            const uint64_t more = sum(part->bound, before_ns) / loop_ns + 1;
            turns = more > TURNS_MAX ? SIZE_MAX : turns + (size_t)more;
        }
        if (turns > TURNS_MAX) {
            turns = SIZE_MAX;
            break;
        }
    }
    arena_release(&arena);
    return turns;
}
