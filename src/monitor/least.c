/* The least cut in which every process is in an allowed state.
 *
 * After Garg and Waldecker (1994): a process whose state is not allowed can only go on, and what a
 * report brings with it can only be taken too. Nothing is ever taken back, so each report and each
 * message is looked at once. The skew needs no comparison of all with all: of the reports not yet
 * taken, the one with the least time stands at the top of a heap of processes. */
#include "monitor/cuts.h"

struct advance {
    const struct cuts *cuts;
    uint32_t *taken;
    uint32_t *seen;      /* per process: reports whose needs have been taken */
    uint32_t *heap;      /* processes, the one with the earliest report to come first */
    uint32_t *heap_at;   /* per process: its place in the heap */
    uint32_t *queue;     /* processes to be looked at: a ring */
    bool *is_queued;     /* per process */
    uint64_t queue_head; /* ever taken out */
    uint64_t queue_tail; /* ever put in */
    bool has_latest;
    int64_t latest; /* time of the latest report taken */
};

static bool is_done(const struct advance *a, uint32_t process)
{
    return a->cuts->first[process] + a->taken[process] == a->cuts->first[process + 1];
}

static bool comes_sooner(const struct advance *a, uint32_t left, uint32_t right)
{
    if (is_done(a, left) || is_done(a, right)) {
        return !is_done(a, left);
    }
    const int64_t *time = a->cuts->time;
    const uint32_t *first = a->cuts->first;
    return time[first[left] + a->taken[left]] < time[first[right] + a->taken[right]];
}

static void heap_put(struct advance *a, uint32_t at, uint32_t process)
{
    a->heap[at] = process;
    a->heap_at[process] = at;
}

/* The process's next report is later than it was: others may come before it now. */
static void heap_sink(struct advance *a, uint32_t process)
{
    const uint32_t count = a->cuts->process_count;
    uint32_t at = a->heap_at[process];
    for (uint32_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && comes_sooner(a, a->heap[child + 1], a->heap[child])) {
            child++;
        }
        if (!comes_sooner(a, a->heap[child], process)) {
            break;
        }
        heap_put(a, at, a->heap[child]);
        at = child;
    }
    heap_put(a, at, process);
}

static void enqueue(struct advance *a, uint32_t process)
{
    if (!a->is_queued[process]) {
        a->is_queued[process] = true;
        a->queue[a->queue_tail++ % a->cuts->process_count] = process;
    }
}

static void raise_to(struct advance *a, uint32_t process, uint32_t taken)
{
    if (a->taken[process] < taken) {
        a->taken[process] = taken;
        heap_sink(a, process);
        enqueue(a, process);
    }
}

static void take_needs(struct advance *a, uint32_t process)
{
    const struct cuts *c = a->cuts;
    const uint32_t from = c->first[process] + a->seen[process];
    const uint32_t end = c->first[process] + a->taken[process];
    a->seen[process] = a->taken[process];
    for (uint32_t n = c->need_first[from]; n < c->need_first[end]; n++) {
        const uint32_t other = c->process[c->needs[n]];
        raise_to(a, other, c->needs[n] - c->first[other] + 1);
    }
    if (end > c->first[process] && (!a->has_latest || c->time[end - 1] > a->latest)) {
        a->has_latest = true;
        a->latest = c->time[end - 1];
    }
}

static void take_overdue(struct advance *a)
{
    const struct cuts *c = a->cuts;
    while (a->has_latest) {
        const uint32_t soonest = a->heap[0];
        if (is_done(a, soonest) ||
            !cuts_is_over(c, c->time[c->first[soonest] + a->taken[soonest]], a->latest)) {
            return;
        }
        raise_to(a, soonest, a->taken[soonest] + 1);
    }
}

static void advance_init(struct advance *a, struct arena *scratch)
{
    const uint32_t count = a->cuts->process_count;
    a->seen = arena_array(scratch, uint32_t, count);
    a->heap = arena_array(scratch, uint32_t, count);
    a->heap_at = arena_array(scratch, uint32_t, count);
    a->queue = arena_array(scratch, uint32_t, count);
    a->is_queued = arena_array(scratch, bool, count);
    for (uint32_t p = 0; p < count; p++) {
        heap_put(a, p, p);
    }
    for (uint32_t p = count; p-- > 0;) {
        heap_sink(a, p);
        enqueue(a, p);
    }
}

bool cuts_least(const struct cuts *c, const uint8_t *allowed, uint32_t *taken,
                struct arena *scratch)
{
    const struct arena_mark mark = arena_mark(scratch);
    struct advance a = {.cuts = c, .taken = taken};
    advance_init(&a, scratch);
    bool is_possible = true;
    while (is_possible && a.queue_head != a.queue_tail) {
        const uint32_t p = a.queue[a.queue_head++ % c->process_count];
        a.is_queued[p] = false;
        const uint32_t report_count = c->first[p + 1] - c->first[p];
        uint32_t state = taken[p];
        while (state <= report_count && allowed[cuts_state(c, p, state)] == 0) {
            state++;
        }
        is_possible = state <= report_count;
        if (is_possible) {
            taken[p] = state;
            heap_sink(&a, p);
            take_needs(&a, p);
            take_overdue(&a);
        }
    }
    arena_reset(scratch, mark);
    return is_possible;
}
