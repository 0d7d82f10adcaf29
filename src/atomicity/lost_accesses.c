#include "atomicity/lost_accesses.h"

#include "atomicity/handover.h"
#include "base/bits.h"

/* A question about one lost access. */
struct asking {
    const struct frame *f;
    struct handover handover; /* built when it is first asked for */
    const struct lost *lost;
};

static const struct access *access_at(const struct frame *f, const struct variable *v, uint32_t i)
{
    return &f->variables.accesses.at[f->variables.by_variable.at[v->first + i]];
}

/* Whether a task other than this one writes the variable once that is published. */
static bool is_written_beside(const struct frame *f, const struct variable *v, uint32_t task)
{
    for (uint32_t i = 0; i < v->count; i++) {
        const struct access *a = access_at(f, v, i);
        if (a->is_write && a->task != task && !f->settled.is_private[a->event] &&
            !f->settled.is_freeing[a->event]) {
            return true;
        }
    }
    return false;
}

/* Whether all that the task does to the variable in the operation of the lost access must come
 * before the other access. */
static bool is_all_before(const struct asking *q, const struct variable *v, event_id other)
{
    const struct frame *f = q->f;
    if (!frame_is_before(f, q->lost->event, other)) {
        return false;
    }
    for (uint32_t i = 0; i < v->count; i++) {
        const struct access *a = access_at(f, v, i);
        if (a->task == q->lost->task && a->event > q->lost->event &&
            a->operation == q->lost->operation && !frame_is_before(f, a->event, other)) {
            return false;
        }
    }
    return true;
}

static bool is_settled(struct asking *q, event_id other)
{
    const struct settled *s = &q->f->settled;
    const event_id lost = q->lost->event;
    if (settled_order(s, lost, other) != SETTLED_NOT ||
        settled_order(s, other, lost) != SETTLED_NOT || s->is_freeing[other]) {
        return true;
    }
    if (!handover_concerns(q->f, q->lost->variable)) {
        return false;
    }
    if (q->handover.f == NULL) {
        handover_build(&q->handover, q->f);
    }
    const uint32_t variables[] = {q->lost->variable, q->lost->variable};
    return handover_is_before(&q->handover, lost, other, variables) ||
           handover_is_before(&q->handover, other, lost, variables);
}

/* Whether another task's access could lie between the lost one and another of its operation. */
static bool could_matter(struct asking *q)
{
    const struct frame *f = q->f;
    const struct variable *v = &f->variables.list.at[q->lost->variable];
    if (!variable_is_shared(v) || v->is_sync) {
        return false;
    }
    for (uint32_t i = 0; i < v->count; i++) {
        const struct access *a = access_at(f, v, i);
        if (a->task != q->lost->task && !frame_is_before(f, a->event, q->lost->event) &&
            !is_all_before(q, v, a->event) && !is_settled(q, a->event) &&
            (a->is_write || is_written_beside(f, v, a->task))) {
            return true;
        }
    }
    return false;
}

static void note(const struct frame *f, const struct lost *lost, uint64_t count, struct notes *n)
{
    const struct event *e = trace_at(f->trace, lost->event);
    const char *location = trace_name(f->trace, e->location);
    notes_add_many(n, count, trace_name(f->trace, e->object),
                   "accesses that could be part of a violation were not recorded: atomicity is not "
                   "known there; record again with --all-accesses, or a larger --first-accesses");
    notes_add(n, location, "a place of an access that was not recorded");
}

uint64_t lost_count(const struct frame *f, struct notes *n)
{
    struct asking q = {.f = f};
    struct arena scratch = {0};
    const struct bits counted = bits_take(&scratch, f->variables.list.count + 1);
    const struct lost *first = NULL;
    uint64_t count = 0;
    vec_each (&f->variables.lost, lost) {
        q.lost = lost;
        if (!bits_has(counted, lost->variable) && could_matter(&q)) {
            bits_add(counted, lost->variable);
            first = count++ == 0 ? lost : first;
        }
    }
    must(count <= f->variables.list.count);
    must((count == 0) == (first == NULL));
    if (count > 0) {
        note(f, first, count, n);
    }
    if (q.handover.f != NULL) {
        handover_release(&q.handover);
    }
    arena_release(&scratch);
    return count;
}
