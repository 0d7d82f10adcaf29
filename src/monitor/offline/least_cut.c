/* The least cut in which the state of every process is allowed.
 *
 * After Garg and Waldecker (1994): a process in a forbidden state can only advance, and the reports
 * that a taken report needs must be taken too. Nothing is ever taken back, so each report and each
 * message is visited once. The skew needs no pairwise comparison: a heap of processes has the
 * earliest report not yet taken on top. */
#include "monitor/offline/cuts.h"
#include "monitor/online/report_heap.h"

struct advance {
    const struct cuts *cuts;
    uint32_t *taken;
    uint32_t *seen; /* per process: reports whose needs were taken */
    struct front front;
    uint32_t *queue;     /* processes to visit: a ring */
    bool *is_queued;     /* per process */
    uint64_t queue_head; /* the number ever removed */
    uint64_t queue_tail; /* the number ever added */
    bool has_latest;
    int64_t latest; /* time of the latest report taken */
};

static void enqueue(struct advance *a, uint32_t process)
{
    if (!a->is_queued[process]) {
        a->is_queued[process] = true;
        a->queue[a->queue_tail++ % a->cuts->process_count] = process;
    }
}

static void raise_to(struct advance *a, uint32_t process, uint32_t taken)
{
    must(taken <= a->cuts->first[process + 1] - a->cuts->first[process]);
    if (a->taken[process] < taken) {
        a->taken[process] = taken;
        front_sink(&a->front, process);
        enqueue(a, process);
    }
}

static void take_needs(struct advance *a, uint32_t process)
{
    const struct cuts *c = a->cuts;
    const uint32_t from = c->first[process] + a->seen[process];
    const uint32_t end = c->first[process] + a->taken[process];
    must(from <= end);
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
        const uint32_t soonest = front_soonest(&a->front);
        if (front_is_done(&a->front, soonest) ||
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
    a->queue = arena_array(scratch, uint32_t, count);
    a->is_queued = arena_array(scratch, bool, count);
    front_init(&a->front, a->cuts, a->taken, scratch);
    for (uint32_t p = 0; p < count; p++) {
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
        must(a.queue_tail - a.queue_head <= c->process_count);
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
            front_sink(&a.front, p);
            take_needs(&a, p);
            take_overdue(&a);
        }
    }
    arena_reset(scratch, mark);
    return is_possible;
}
