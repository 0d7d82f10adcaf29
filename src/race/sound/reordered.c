#include "race/sound/reordered.h"

#include "base/mem.h"
#include "order/object_key.h"
#include "race/access_classes.h"
#include "race/feasible/dependencies.h"
#include "wire/must.h"

static bool is_access(const struct event *e)
{
    return (access_is_plain(e) || access_is_atomic(e)) && e->object != 0;
}

void reordered_init(struct reordered *o, const struct hb *observed, const struct reads_from *reads)
{
    const struct trace *t = observed->trace;
    *o = (struct reordered){.observed = observed, .reads = reads};
    o->place = mem_zero(t->events.count + 1, sizeof *o->place);
    o->next = mem_zero(t->tables.tasks.count + 1, sizeof *o->next);
    trace_each (t, e) {
        if (is_access(e)) {
            const uint32_t variable = *map_slot(&o->variable_of, scope_name(t, e, e->object),
                                                (uint32_t)o->variable_of.entries.count, NULL);
            *map_slot(&o->uses, map_pair(variable, e->task), 0, NULL) |= dependency_reads(e);
        }
    }
}

void reordered_release(struct reordered *o)
{
    map_release(&o->variable_of);
    map_release(&o->uses);
    map_release(&o->is_read);
    mem_free(o->place);
    mem_free(o->next);
}

/* Whether the write, at its place, comes before the next events of all tasks that use its variable
 * in the run too. */
static bool passes_nothing(const struct reordered *o, const event_id *order, event_id write)
{
    const struct trace *t = o->observed->trace;
    const struct event *e = trace_at(t, write);
    const uint32_t *variable = map_get(&o->variable_of, scope_name(t, e, e->object));
    const bool is_read = variable != NULL && map_get(&o->is_read, *variable) != NULL;
    for (uint32_t task = 0; variable != NULL && task < t->tables.tasks.count; task++) {
        const uint32_t *reads = map_get(&o->uses, map_pair(*variable, task));
        if (task == e->task || o->next[task] == 0 || reads == NULL || (*reads == 0 && !is_read)) {
            continue;
        }
        if (!hb_is_before(o->observed, write, order[o->next[task] - 1])) {
            return false;
        }
    }
    return true;
}

/* Whether the cut has the read's write, with all unrecorded accesses of its epoch. */
static bool has_writer(const struct reordered *o, event_id read)
{
    const event_id end = o->reads->writer_end[read];
    return reads_from_is_certain(o->reads, read) &&
           (end == EVENT_NONE ||
            trace_at(o->observed->trace, end)->task == trace_at(o->observed->trace, read)->task ||
            (o->place[end] != 0 && o->place[end] < o->place[read]));
}

static bool all_hold(struct reordered *o, const event_id *order, size_t count)
{
    const struct trace *t = o->observed->trace;
    for (size_t i = count; i-- > 0;) {
        const struct event *e = trace_at(t, order[i]);
        if (dependency_reads(e) && !has_writer(o, order[i])) {
            return false;
        }
        const bool is_ignored = o->ignored != NULL && bits_has(*o->ignored, order[i]);
        if (dependency_writes(e) && !is_ignored && !passes_nothing(o, order, order[i])) {
            return false;
        }
        o->next[e->task] = (uint32_t)i + 1;
    }
    return true;
}

bool reordered_is_proof(struct reordered *o, const event_id *order, size_t count)
{
    const struct trace *t = o->observed->trace;
    map_release(&o->is_read);
    o->is_read = (struct map){0};
    for (size_t i = 0; i < count; i++) {
        const struct event *e = trace_at(t, order[i]);
        must(o->place[order[i]] == 0); /* no event comes twice */
        o->place[order[i]] = (uint32_t)i + 1;
        if (dependency_reads(e) && e->object != 0) {
            const uint32_t *variable = map_get(&o->variable_of, scope_name(t, e, e->object));
            (void)map_slot(&o->is_read, *variable, 1, NULL);
        }
    }
    for (size_t i = 0; i < t->tables.tasks.count; i++) {
        o->next[i] = 0;
    }
    const bool is_proof = all_hold(o, order, count);
    for (size_t i = 0; i < count; i++) {
        o->place[order[i]] = 0;
    }
    return is_proof;
}
