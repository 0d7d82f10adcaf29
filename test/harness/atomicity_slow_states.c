#include "atomicity_slow_states.h"

#include <string.h>

#include "trace/kind_table.h"
#include "wire/kind.h"

enum { STATES_MAX = 200000 };

static void add_needs(struct slow *s, const rules_edges *edges)
{
    vec_each (edges, edge) {
        s->needs[edge->to] |= slow_bit(edge->from);
    }
}

/* Whether the last event of the section gives the lock back: a wait, or as many unlocks as locks.
 */
static bool gives_back(const struct slow *s, const struct rules_section *section)
{
    const struct event *last = trace_at(s->t, section->last);
    if (last->kind == EVENT_WAIT_BEGIN) {
        return (last->text != 0 ? last->text : last->object) == (uint32_t)section->lock;
    }
    int depth = trace_at(s->t, section->first)->kind == EVENT_LOCK ? 0 : 1;
    for (event_id id = section->first; id <= section->last; id++) {
        const struct event *e = trace_at(s->t, id);
        if (e->task == section->task && e->object == (uint32_t)section->lock) {
            depth += (e->kind == EVENT_LOCK) - (e->kind == EVENT_UNLOCK);
        }
    }
    return (depth <= 0 && last->kind == EVENT_UNLOCK) || last->kind == EVENT_SEM_POST;
}

static void read_rules(struct slow *s)
{
    for (event_id id = 0; id < s->r->count; id++) {
        for (event_id before = 0; before < id; before++) {
            if (trace_at(s->t, before)->task == trace_at(s->t, id)->task) {
                s->needs[id] |= slow_bit(before);
            }
        }
    }
    add_needs(s, &s->r->cross);
    vec_each (&s->r->waits, w) {
        if (w->end != EVENT_NONE && w->server != EVENT_NONE) {
            s->needs[w->end] |= slow_bit(w->server);
        }
    }
    vec_each (&s->r->semaphore_waits, w) {
        if (w->taken != EVENT_NONE && !w->is_lock) {
            s->needs[w->wait] |= slow_bit(w->taken);
        }
    }
    s->is_open = arena_array(&s->arena, bool, s->r->sections.count + 1);
    for (size_t i = 0; i < s->r->sections.count; i++) {
        const struct rules_section *section = &s->r->sections.at[i];
        bool is_open = !gives_back(s, section);
        vec_each (&s->r->sections, other) {
            is_open &= !(rules_exclude(section, other) && other->first > section->first);
        }
        /* A wait that ends without having begun gave the lock back before. */
        vec_each (&s->r->sections, other) {
            is_open &= !(other->task == section->task && other->lock == section->lock &&
                         other->first > section->first);
        }
        s->is_open[i] = is_open;
    }
}

/* Follows needs until nothing changes. */
static void close_needs(struct slow *s)
{
    memcpy(s->always, s->needs, sizeof s->always);
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (event_id id = 0; id < s->r->count; id++) {
            const uint64_t known = s->always[id];
            for (event_id before = 0; before < s->r->count; before++) {
                s->always[id] |= (known & slow_bit(before)) != 0 ? s->always[before] : 0;
            }
            is_changed |= s->always[id] != known;
        }
    }
}

static bool locks_allow(const struct slow *s, uint64_t done, event_id id)
{
    vec_each (&s->r->sections, section) {
        if (section->first != id) {
            continue;
        }
        for (size_t i = 0; i < s->r->sections.count; i++) {
            const struct rules_section *other = &s->r->sections.at[i];
            const bool is_begun = (done & slow_bit(other->first)) != 0;
            const bool is_over = (done & slow_bit(other->last)) != 0 && !s->is_open[i];
            if (rules_exclude(section, other) && is_begun && !is_over) {
                return false;
            }
        }
    }
    return true;
}

static bool may_happen(const struct slow *s, uint64_t done, event_id id)
{
    if ((done & slow_bit(id)) != 0 || (s->needs[id] & ~done) != 0) {
        return false;
    }
    for (size_t i = 0; i < s->order_count; i++) {
        if (s->orders[i].after == id && (done & slow_bit(s->orders[i].before)) == 0) {
            return false;
        }
    }
    return locks_allow(s, done, id);
}

static bool walk(struct slow *s, uint64_t done)
{
    if ((s->wanted & ~done) == 0) {
        return true;
    }
    const size_t before = s->seen.list.count;
    names_intern(&s->seen, (const char *)&done, sizeof done);
    if (s->seen.list.count == before || before > STATES_MAX) {
        s->is_too_large |= before > STATES_MAX;
        return false;
    }
    for (event_id id = 0; id < s->r->count; id++) {
        if (may_happen(s, done, id) && walk(s, done | slow_bit(id))) {
            return true;
        }
    }
    return false;
}

void slow_read_rules(struct slow *s)
{
    read_rules(s);
    close_needs(s);
}

bool slow_is_possible(struct slow *s, uint64_t wanted, const struct order *orders, size_t count)
{
    names_init(&s->seen);
    s->wanted = wanted;
    s->orders = orders;
    s->order_count = count;
    const bool is_found = walk(s, 0);
    names_release(&s->seen);
    return is_found;
}
