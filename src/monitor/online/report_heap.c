#include "monitor/online/report_heap.h"

static void put(struct front *f, uint32_t at, uint32_t process)
{
    must(at < f->cuts->process_count);
    f->heap[at] = process;
    f->heap_at[process] = at;
}

void front_sink(struct front *f, uint32_t process)
{
    const uint32_t count = f->cuts->process_count;
    const int64_t *next = f->next;
    must(f->taken[process] <= f->cuts->first[process + 1] - f->cuts->first[process]);
    f->next[process] = front_is_done(f, process)
                           ? INT64_MAX
                           : f->cuts->time[f->cuts->first[process] + f->taken[process]];
    uint32_t at = f->heap_at[process];
    must(f->heap[at] == process);
    for (uint32_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && next[f->heap[child + 1]] < next[f->heap[child]]) {
            child++;
        }
        if (next[f->heap[child]] >= next[process]) {
            break;
        }
        put(f, at, f->heap[child]);
        at = child;
    }
    put(f, at, process);
}

void front_init(struct front *f, const struct cuts *c, uint32_t *taken, struct arena *a)
{
    f->cuts = c;
    f->taken = taken;
    f->heap = arena_array(a, uint32_t, c->process_count);
    f->heap_at = arena_array(a, uint32_t, c->process_count);
    f->next = arena_array(a, int64_t, c->process_count);
    for (uint32_t p = 0; p < c->process_count; p++) {
        put(f, p, p);
    }
    for (uint32_t p = c->process_count; p-- > 0;) {
        front_sink(f, p);
    }
}
