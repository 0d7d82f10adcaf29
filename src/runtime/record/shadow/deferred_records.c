#include "runtime/record/shadow/deferred_records.h"

#include <string.h>

#include "runtime/record/log/recorder.h"

enum { RUNS_MAX = 4 };

/* The last late records. A task that takes a whole array from another finds, word by word, accesses
 * that were made at one place in one epoch: the record grows instead. */
static __thread struct {
    struct run {
        struct rt_mark mark;
        uint64_t kind; /* of the site's entry: place and is_write */
        uint64_t maker;
        uintptr_t start, end;
    } runs[RUNS_MAX];
    bool is_busy; /* a signal handler that finds it so leaves the runs alone */
} own;

struct span {
    uintptr_t start, end;
    uint64_t entry, maker;
    bool is_lost; /* accesses that there is no record of */
};

enum { KIND_LOST = 2 }; /* a bit that no kind of an entry has */

_Static_assert((KIND_LOST & 14) == KIND_LOST, "kind_of_entry clears it");
static uint64_t kind_of_entry(uint64_t entry)
{
    return entry & ~UINT64_C(14);
}

static struct span span_of(uintptr_t word, uint64_t t, bool is_lost)
{
    const uint64_t entry = site_known(trail_site(t));
    const uintptr_t start = word + trail_first(t);
    return (struct span){start, start + site_size(entry), entry, trail_maker(t), is_lost};
}

static struct rt_mark record(const struct span *s)
{
    return rt_record_late((struct rt_late){
        .kind = s->is_lost                ? EVENT_LOST
                : site_is_write(s->entry) ? EVENT_WRITE
                                          : EVENT_READ,
        .task = (uint32_t)(s->maker >> TRAIL_EPOCH_BITS),
        .epoch = (uint32_t)(s->maker & ((1u << TRAIL_EPOCH_BITS) - 1)),
        .address = s->start,
        .size = (uint32_t)(s->end - s->start),
        .place = site_place(s->entry),
    });
}

static void record_span(const struct span *s)
{
    if (own.is_busy || rt_is_watched) {
        (void)record(s);
        return;
    }
    own.is_busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    const uint64_t kind = kind_of_entry(s->entry) | (s->is_lost ? KIND_LOST : 0);
    struct run *run = &own.runs[(kind >> 4 ^ kind) % RUNS_MAX];
    if (run->end == s->start && run->kind == kind && run->maker == s->maker &&
        s->end - run->start <= RECORD_LATE_SIZE_MAX &&
        rt_amend_size(run->mark, s->end - run->start)) {
        run->end = s->end;
    } else {
        *run = (struct run){record(s), kind, s->maker, s->start, s->end};
    }
    atomic_signal_fence(memory_order_seq_cst);
    own.is_busy = false;
}

/* Records the accesses of some trails, or that accesses were lost. */
static void record_row(uintptr_t word, const uint64_t *trails, size_t count, bool is_lost)
{
    struct span all = {0};
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        if (trails[i] == 0 || trail_is_same(trails[i], before) ||
            (is_lost && (trails[i] & TRAIL_LOST) == 0)) {
            continue;
        }
        before = trails[i];
        const struct span s = span_of(word, before, is_lost);
        if (all.end == s.start && all.maker == s.maker &&
            kind_of_entry(all.entry) == kind_of_entry(s.entry)) {
            all.end = s.end;
            continue;
        }
        if (all.end != 0) {
            record_span(&all);
        }
        all = s;
    }
    if (all.end != 0) {
        record_span(&all);
    }
}

void deferred_record(uintptr_t word, const uint64_t *trails, size_t count)
{
    record_row(word, trails, count, false);
}

void deferred_record_lost(uintptr_t word, const uint64_t *trails, size_t count)
{
    record_row(word, trails, count, true);
}

/* Whether another access of this kind in the row was also made to the bytes of slot i: then the
 * access of slot i came later. */
static bool has_replaced(const uint64_t *row, size_t count, size_t i)
{
    const uintptr_t start = i * (WORD_SIZE / count);
    for (size_t j = 0; j < count; j++) {
        if (row[j] != 0 && !trail_is_same(row[j], row[i]) &&
            trail_maker(row[j]) == trail_maker(row[i])) {
            const struct span s = span_of(0, row[j], false);
            if (s.start <= start && start < s.end) {
                return true;
            }
        }
    }
    return false;
}

/* Whether an access that is still in the rows came before this one. */
static bool is_behind(uint64_t rows[2][WORD_SIZE], size_t count, int is_write, uint64_t t)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t other = rows[!is_write][i];
        const bool is_write_last = ((rows[is_write][i] ^ other) & TRAIL_TURN) != 0;
        const bool is_last =
            other != 0 && trail_maker(other) == trail_maker(t) && is_write_last == (is_write != 0);
        if (trail_is_same(rows[is_write][i], t) &&
            (is_last || has_replaced(rows[is_write], count, i))) {
            return true;
        }
    }
    return false;
}

static bool move_first(uint64_t rows[2][WORD_SIZE], size_t count, int is_write,
                       uint64_t next[WORD_SIZE])
{
    bool is_found = false;
    for (size_t i = 0; i < count; i++) {
        const uint64_t t = rows[is_write][i];
        next[i] = t != 0 && !is_behind(rows, count, is_write, t) ? t : 0;
        is_found |= next[i] != 0;
    }
    for (size_t i = 0; i < count; i++) {
        rows[is_write][i] = next[i] != 0 ? 0 : rows[is_write][i];
    }
    return is_found;
}

/* The one trail that a row has; 0: none, UINT64_MAX: several. */
static uint64_t only_trail(const uint64_t *row, size_t count)
{
    uint64_t only = 0;
    for (size_t i = 0; i < count; i++) {
        if (row[i] != 0 && only != 0 && !trail_is_same(row[i], only)) {
            return UINT64_MAX;
        }
        only = row[i] != 0 ? row[i] : only;
    }
    return only;
}

/* Moves a whole row. */
static void move_row(uint64_t *row, size_t count, uint64_t next[WORD_SIZE])
{
    for (size_t i = 0; i < count; i++) {
        next[i] = row[i];
        row[i] = 0;
    }
}

bool deferred_next(uint64_t rows[2][WORD_SIZE], size_t count, uint64_t next[WORD_SIZE])
{
    const uint64_t only[2] = {only_trail(rows[0], count), only_trail(rows[1], count)};
    if (only[0] == 0 && only[1] == 0) {
        return false;
    }
    for (int is_write = 0; is_write < 2; is_write++) {
        if (only[!is_write] == 0 && only[is_write] != UINT64_MAX) {
            move_row(rows[is_write], count, next);
            return true;
        }
    }
    if (move_first(rows, count, 1, next) || move_first(rows, count, 0, next)) {
        return true;
    }
    /* Trails that were read while their owner left others need not fit together. */
    bool is_found = false;
    for (size_t i = 0; i < count; i++) {
        const int is_write = rows[1][i] != 0;
        next[i] = rows[is_write][i];
        rows[is_write][i] = 0;
        is_found |= next[i] != 0;
    }
    return is_found;
}

void deferred_forked(void)
{
    memset(&own, 0, sizeof own);
}
