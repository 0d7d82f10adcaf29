#include "hunt/finding_places.h"

#include <string.h>

#include "trace/kind_table.h"

void finding_places_release(struct finding_places *p)
{
    map_release(&p->of_place);
}

uint32_t finding_places_of(const struct finding_places *p, const struct pick_operation *o)
{
    const uint32_t *events = o->place == 0 ? NULL : map_get(&p->of_place, o->place);
    return events == NULL ? 0 : *events;
}

static const char *access_of(uint16_t kind)
{
    return kind == EVENT_READ ? "R" : kind == EVENT_WRITE ? "W" : kind_of(kind)->name;
}

static bool is_plain(const char *access)
{
    return strcmp(access, "R") == 0 || strcmp(access, "W") == 0;
}

/* A race that stands for several pairs is one of the two lines: either may read or write there. */
static bool is_like_access(const struct finding *f, const char *own, const char *access)
{
    const bool has_pairs = f->kind == FINDING_DATA_RACE && f->pair_count > 1;
    return strcmp(own, access) == 0 || (has_pairs && is_plain(own) && is_plain(access));
}

/* The events of the finding with the location and the kind of this one. */
static uint32_t events_like(const struct finding *f, const struct trace *t, const struct event *e)
{
    const char *location = trace_name(t, e->location);
    uint32_t events = 0;
    for (size_t i = 0; i < f->event_count && i < FINDING_EVENTS_MAX; i++) {
        const struct finding_event *own = &f->events[i];
        const bool is_like = location[0] != '\0' && strcmp(own->location, location) == 0 &&
                             is_like_access(f, own->access, access_of(e->kind));
        events |= is_like ? UINT32_C(1) << i : 0;
    }
    return events;
}

void finding_places_learn(struct finding_places *p, const struct finding *f, const struct trace *t,
                          const struct execution *x)
{
    must(x->event_steps.count <= t->events.count);
    for (event_id id = 0; id < x->event_steps.count; id++) {
        const uint32_t step = x->event_steps.at[id];
        if (step == STEP_NONE) {
            continue;
        }
        must(step < x->steps.count);
        const struct pick_operation *o = &x->steps.at[step].operation;
        const uint32_t events = o->place == 0 ? 0 : events_like(f, t, trace_at(t, id));
        if (events != 0) {
            *map_slot(&p->of_place, o->place, 0, NULL) |= events;
            p->reached |= events;
        }
    }
}
