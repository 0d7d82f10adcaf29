#include "race/sound/first_race.h"

#include "order/object_key.h"
#include "race/access_classes.h"
#include "race/feasible/dependencies.h"
#include "wire/must.h"

/* Reads in doubt that are looked at for one pair. */
enum { DOUBTS_MAX = 256 };

void first_races_init(struct first_races *f, const struct hb *observed,
                      const struct reads_from *reads)
{
    const struct trace *t = observed->trace;
    const size_t task_count = t->tables.tasks.count;
    *f = (struct first_races){.observed = observed, .reads = reads};
    uint32_t *first = arena_array(&f->arena, uint32_t, task_count + 2);
    uint32_t *next = arena_array(&f->arena, uint32_t, task_count + 1);
    size_t count = 0;
    for (event_id id = 0; id < t->events.count; id++) {
        const bool is_in_doubt = !reads_from_is_certain(reads, id);
        first[t->events.at[id].task + 1] += is_in_doubt;
        count += is_in_doubt;
    }
    for (size_t i = 0; i < task_count; i++) {
        first[i + 1] += first[i];
        next[i] = first[i];
    }
    uint32_t *doubts = arena_array(&f->arena, uint32_t, count + 1);
    for (event_id id = 0; id < t->events.count; id++) {
        if (!reads_from_is_certain(reads, id)) {
            doubts[next[t->events.at[id].task]++] = observed->contexts.position[id];
        }
    }
    must(first[task_count] == count);
    must(task_count == 0 || next[task_count - 1] == count);
    f->doubt_first = first;
    f->doubts = doubts;
}

void first_races_release(struct first_races *f)
{
    arena_release(&f->arena);
}

/* How many events of the task come before this one, itself not counted. */
static uint32_t past_of(const struct first_races *f, event_id id, uint32_t task)
{
    return f->observed->trace->events.at[id].task == task
               ? f->observed->contexts.position[id]
               : reach_count(&f->observed->before, id, task);
}

/* The first read in doubt of the task at or behind this position, as an index into doubts. */
static uint32_t doubt_from(const struct first_races *f, uint32_t task, uint32_t position)
{
    uint32_t low = f->doubt_first[task];
    uint32_t high = f->doubt_first[task + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (f->doubts[middle] < position) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    must(low <= f->doubt_first[task + 1]);
    return low;
}

/* Whether `read`, which comes before b, stands for the same pair of places beside a. */
static bool stands_for(const struct trace *t, event_id read, event_id a, event_id b)
{
    must(read < t->events.count);
    must(read != b);
    const struct event *r = &t->events.at[read];
    const struct event *x = &t->events.at[a];
    const struct event *y = &t->events.at[b];
    return r->task != x->task && scope_name(t, r, r->object) == scope_name(t, x, x->object) &&
           r->location == y->location && (dependency_writes(x) || dependency_writes(r)) &&
           !(access_is_atomic(x) && access_is_atomic(r));
}

/* Whether, if a came first, all reads in doubt that b needs and a does not know stand for b. */
static bool has_no_artifact(const struct first_races *f, event_id a, event_id b,
                            enum first_race_claim claim)
{
    const struct hb *hb = f->observed;
    uint32_t looked_at = claim == FIRST_RACE_PAIR ? DOUBTS_MAX : 0;
    for (uint32_t task = 0; task < hb->contexts.task_count; task++) {
        const uint32_t to = past_of(f, b, task);
        const uint32_t end = f->doubt_first[task + 1];
        for (uint32_t i = doubt_from(f, task, past_of(f, a, task)); i < end; i++) {
            if (f->doubts[i] >= to) {
                break;
            }
            if (looked_at++ == DOUBTS_MAX ||
                !stands_for(hb->trace, context_event(&hb->contexts, task, f->doubts[i]), a, b)) {
                return false;
            }
        }
    }
    return true;
}

bool first_races_show(const struct first_races *f, event_id a, event_id b,
                      enum first_race_claim claim)
{
    return hb_is_concurrent(f->observed, a, b) && has_no_artifact(f, a, b, claim) &&
           has_no_artifact(f, b, a, claim);
}
