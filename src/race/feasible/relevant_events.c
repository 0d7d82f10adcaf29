#include "race/feasible/relevant_events.h"

#include "base/mem.h"
#include "wire/kind.h"
#include "wire/must.h"

void relevant_init(struct relevant_events *s, const struct dependencies *d, size_t event_max)
{
    *s = (struct relevant_events){.d = d, .event_max = event_max};
    s->part = mem_zero(d->hb->trace->events.count + 1, sizeof *s->part);
}

void relevant_release(struct relevant_events *s)
{
    mem_free(s->part);
    vec_release(&s->events);
    vec_release(&s->sections);
    vec_release(&s->handlers);
    vec_release(&s->waits);
    vec_release(&s->next);
    vec_release(&s->never);
    vec_release(&s->barred);
    vec_release(&s->scratch);
}

/* ---- adding with all that is needed ---- */

static bool is_left_out(const struct relevant_events *s, event_id id)
{
    vec_each (&s->next, next) {
        if (*next == id) {
            return true;
        }
    }
    vec_each (&s->never, never) {
        if (*never == id) {
            return true;
        }
    }
    return false;
}

static void put(struct relevant_events *s, event_id id, enum relevant_part part)
{
    if (s->part[id] == RELEVANT_OUT && !relevant_leaves(s, id)) {
        s->part[id] = (uint8_t)part;
        vec_push(&s->events, id);
    }
}

/* Takes back the events from the begin-th on. */
static void take_back(struct relevant_events *s, size_t begin)
{
    while (s->events.count > begin) {
        s->part[vec_pop(&s->events)] = RELEVANT_OUT;
    }
}

/* Completes the events added from the begin-th on; removes them again if that is impossible. */
static enum relevant_state complete(struct relevant_events *s, size_t begin,
                                    enum relevant_part part)
{
    for (size_t i = begin; i < s->events.count; i++) {
        if (is_left_out(s, s->events.at[i])) {
            take_back(s, begin);
            return RELEVANT_IMPOSSIBLE;
        }
        if (s->events.count > s->event_max) {
            return RELEVANT_TOO_LARGE;
        }
        vec_clear(&s->scratch);
        dependencies_of(s->d, s->events.at[i], true, &s->scratch);
        vec_each (&s->scratch, id) {
            put(s, *id, part);
        }
    }
    return RELEVANT_POSSIBLE;
}

static enum relevant_state add(struct relevant_events *s, event_id id, enum relevant_part part)
{
    const size_t begin = s->events.count;
    put(s, id, part);
    return complete(s, begin, part);
}

static void clear(struct relevant_events *s)
{
    take_back(s, 0);
    vec_clear(&s->sections);
    vec_clear(&s->handlers);
    vec_clear(&s->waits);
    vec_clear(&s->next);
    vec_clear(&s->never);
    vec_clear(&s->barred);
    s->seen = 0;
}

/* The event is in question: adds its needs, but not the write that it reads. */
static void ask(struct relevant_events *s, event_id id)
{
    vec_push(&s->next, id);
    must(id < s->d->hb->trace->events.count);
    vec_clear(&s->scratch);
    dependencies_of(s->d, id, false, &s->scratch);
    vec_each (&s->scratch, need) {
        put(s, *need, RELEVANT_NEEDED);
    }
}

enum relevant_state relevant_set(struct relevant_events *s, const struct sound_pair *pair)
{
    clear(s);
    ask(s, pair->b);
    if (pair->is_message) {
        put(s, pair->a, RELEVANT_NEEDED);
    } else {
        ask(s, pair->a);
    }
    return complete(s, 0, RELEVANT_NEEDED);
}

/* The end of a wait that is asked about needs a notify like one that has come. */
static void look_at_wait(struct relevant_events *s, event_id end)
{
    const struct waits *w = &s->d->hb->waits;
    const uint32_t wait = waits_at(w, end);
    if (wait != UINT32_MAX && wait_is_bound(&w->list[wait])) {
        vec_push(&s->waits, wait);
    }
}

enum relevant_state relevant_set_deadlock(struct relevant_events *s, const struct deadlock_state *d)
{
    clear(s);
    for (size_t i = 0; i < d->count; i++) {
        ask(s, d->requests[i]);
        put(s, d->holds[i]->begin, RELEVANT_NEEDED);
        vec_push(&s->never, d->holds[i]->end);
        if (s->d->hb->trace->events.at[d->requests[i]].kind == EVENT_WAIT_END) {
            look_at_wait(s, d->requests[i]);
        }
    }
    return complete(s, 0, RELEVANT_NEEDED);
}

/* ---- sections and handlers begun ---- */

static bool begins_section(const struct event *e)
{
    return e->kind == EVENT_LOCK || e->kind == EVENT_WAIT_END || e->kind == EVENT_SEM_WAIT ||
           e->kind == EVENT_ONCE_BEGIN || e->kind == EVENT_ONCE;
}

static void look_at(struct relevant_events *s, event_id id)
{
    const struct hb *hb = s->d->hb;
    const struct event *e = &hb->trace->events.at[id];
    if (begins_section(e)) {
        const uint32_t section = sections_at(&hb->sections, id);
        if (section != UINT32_MAX &&
            hb->sections.locks[hb->sections.list[section].lock].is_contended) {
            vec_push(&s->sections, section);
        }
    }
    if (e->kind == EVENT_WAIT_END || e->kind == EVENT_SEM_WAIT) {
        look_at_wait(s, id);
    }
    const uint32_t context = hb->contexts.of[id];
    if (context_is_handler(&hb->contexts, context) && hb->contexts.position[id] == 0) {
        vec_push(&s->handlers, context);
    }
}

static void look_at_new(struct relevant_events *s)
{
    for (; s->seen < s->events.count; s->seen++) {
        look_at(s, s->events.at[s->seen]);
    }
}

/* ---- the order of the list ---- */

/* Whether another section that has begun, listed later if is_listed, excludes this one. */
static bool section_is_excluded(const struct relevant_events *s, uint32_t number, bool is_listed)
{
    const struct section *list = s->d->hb->sections.list;
    vec_each (&s->sections, other) {
        if ((!is_listed || *other > number) && sections_exclude(&list[number], &list[*other])) {
            return true;
        }
    }
    return false;
}

static bool handler_is_excluded(const struct relevant_events *s, uint32_t context, bool is_listed)
{
    const struct context *list = s->d->hb->contexts.list;
    vec_each (&s->handlers, other) {
        if ((is_listed ? *other > context : *other != context) &&
            list[*other].task == list[context].task) {
            return true;
        }
    }
    return false;
}

static enum relevant_state end_listed(struct relevant_events *s)
{
    const struct hb *hb = s->d->hb;
    for (size_t i = 0; i < s->sections.count; i++) {
        const uint32_t number = s->sections.at[i];
        const event_id end = hb->sections.list[number].end;
        if (!relevant_has(s, end) && section_is_excluded(s, number, true)) {
            const enum relevant_state state = add(s, end, RELEVANT_NEEDED);
            if (state != RELEVANT_POSSIBLE) {
                return state;
            }
        }
    }
    for (size_t i = 0; i < s->handlers.count; i++) {
        const event_id end = context_last(&hb->contexts, s->handlers.at[i]);
        if (!relevant_has(s, end) && handler_is_excluded(s, s->handlers.at[i], true)) {
            const enum relevant_state state = add(s, end, RELEVANT_NEEDED);
            if (state != RELEVANT_POSSIBLE) {
                return state;
            }
        }
    }
    for (size_t i = 0; i < s->waits.count; i++) {
        const event_id notify = hb->waits.list[s->waits.at[i]].notify;
        const enum relevant_state state = notify == EVENT_NONE || relevant_has(s, notify)
                                              ? RELEVANT_POSSIBLE
                                              : add(s, notify, RELEVANT_NEEDED);
        if (state != RELEVANT_POSSIBLE) {
            return state;
        }
    }
    return RELEVANT_POSSIBLE;
}

enum relevant_state relevant_keep_order(struct relevant_events *s)
{
    enum relevant_state state = RELEVANT_POSSIBLE;
    while (state == RELEVANT_POSSIBLE && s->seen < s->events.count) {
        look_at_new(s);
        state = end_listed(s);
    }
    return state;
}

/* ---- any order ---- */

/* Adds the event as optional, unless it can never come before the events in question. */
static enum relevant_state try_add(struct relevant_events *s, event_id id)
{
    if (relevant_has(s, id)) {
        return RELEVANT_POSSIBLE;
    }
    return add(s, id, RELEVANT_OPTIONAL) == RELEVANT_TOO_LARGE ? RELEVANT_TOO_LARGE
                                                               : RELEVANT_POSSIBLE;
}

static enum relevant_state try_notifies(struct relevant_events *s, const struct wait *w)
{
    const struct waits *waits = &s->d->hb->waits;
    const struct condition *condition = &waits->conditions[w->condition];
    for (uint32_t i = 0; i < condition->count; i++) {
        if (try_add(s, waits->notifies[condition->first + i]) == RELEVANT_TOO_LARGE) {
            return RELEVANT_TOO_LARGE;
        }
    }
    return RELEVANT_POSSIBLE;
}

static enum relevant_state end_any(struct relevant_events *s)
{
    const struct hb *hb = s->d->hb;
    enum relevant_state state = RELEVANT_POSSIBLE;
    for (size_t i = 0; i < s->sections.count && state == RELEVANT_POSSIBLE; i++) {
        const uint32_t number = s->sections.at[i];
        if (section_is_excluded(s, number, false)) {
            state = try_add(s, hb->sections.list[number].end);
        }
    }
    for (size_t i = 0; i < s->handlers.count && state == RELEVANT_POSSIBLE; i++) {
        if (handler_is_excluded(s, s->handlers.at[i], false)) {
            state = try_add(s, context_last(&hb->contexts, s->handlers.at[i]));
        }
    }
    for (size_t i = 0; i < s->waits.count && state == RELEVANT_POSSIBLE; i++) {
        state = try_notifies(s, &hb->waits.list[s->waits.at[i]]);
    }
    return state;
}

enum relevant_state relevant_widen(struct relevant_events *s)
{
    enum relevant_state state = RELEVANT_POSSIBLE;
    while (state == RELEVANT_POSSIBLE && s->seen < s->events.count) {
        look_at_new(s);
        state = end_any(s);
    }
    return state;
}
