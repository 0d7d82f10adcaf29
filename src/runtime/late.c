#include "runtime/late.h"

#include <string.h>

#include "runtime/rt.h"

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
};

static uint64_t kind_of_entry(uint64_t entry)
{
    return entry & ~UINT64_C(14);
}

static struct span span_of(uintptr_t word, uint64_t t)
{
    const uint64_t entry = site_known(trail_site(t));
    const uintptr_t start = word + trail_first(t);
    return (struct span){start, start + site_size(entry), entry, trail_maker(t)};
}

static struct rt_mark record(const struct span *s)
{
    return rt_record_late((struct rt_late){
        .is_write = site_is_write(s->entry),
        .task = (uint32_t)(s->maker >> TRAIL_EPOCH_BITS),
        .epoch = (uint32_t)(s->maker & ((1u << TRAIL_EPOCH_BITS) - 1)),
        .address = s->start,
        .size = (uint32_t)(s->end - s->start),
        .place = site_place(s->entry),
    });
}

static void tell(const struct span *s)
{
    if (own.is_busy || rt_is_watched) {
        (void)record(s);
        return;
    }
    own.is_busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    const uint64_t kind = kind_of_entry(s->entry);
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

void late_record(uintptr_t word, const uint64_t *trails, size_t count)
{
    struct span all = {0};
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        if (trails[i] == 0 || trails[i] == before) {
            continue;
        }
        before = trails[i];
        const struct span s = span_of(word, before);
        if (all.end == s.start && all.maker == s.maker &&
            kind_of_entry(all.entry) == kind_of_entry(s.entry)) {
            all.end = s.end;
            continue;
        }
        if (all.end != 0) {
            tell(&all);
        }
        all = s;
    }
    if (all.end != 0) {
        tell(&all);
    }
}

void late_forked(void)
{
    memset(&own, 0, sizeof own);
}
