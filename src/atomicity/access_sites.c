#include "atomicity/access_sites.h"

#include "atomicity/separate_operations.h"
#include "trace/kind_table.h"

void sorts_release(struct sorts *s)
{
    tuples_release(&s->tuples);
    vec_release(&s->group_of);
}

static uint32_t sort_of(struct sorts *sorts, struct tuple tuple)
{
    return tuples_intern(&sorts->tuples, tuple);
}

/* ---- building ---- */

struct build {
    struct sites *s;
    struct sorts *sorts;
    const struct frame *f;
    struct frame_span span; /* the sections of the trace around the last site */
    bool has_changed;       /* something else is held now than at the last site */
};

/* Adds a section to the sections held, by its lock. */
static uint32_t locks_with(const struct sites *s, struct sorts *sorts, uint32_t locks,
                           uint32_t section)
{
    const struct site_section *added = &s->sections.at[section];
    return sort_of(sorts, (struct tuple){{locks, added->lock, added->is_shared}});
}

/* The number of a section of the trace: it is new, unless it was held at the last site too. */
static uint32_t section_of(struct build *b, const struct site *last, uint32_t section)
{
    struct sites *s = b->s;
    for (uint32_t i = 0; last != NULL && i < last->held_count; i++) {
        const uint32_t number = s->held.at[last->held_first + i];
        if (s->sections.at[number].section == section) {
            return number;
        }
    }
    const struct section *of = &b->f->hb.sections.list[section];
    vec_push(&s->sections, (struct site_section){
                               .section = section, .lock = of->lock, .is_shared = of->is_shared});
    return (uint32_t)s->sections.count - 1;
}

static void hold(struct build *b, struct site *site, uint32_t number)
{
    vec_push(&b->s->held, number);
    site->held_count++;
    site->locks = locks_with(b->s, b->sorts, site->locks, number);
}

/* The sections held at a site; the last site of the thread is NULL if there is none. */
static void find_held(struct build *b, struct site *site, const struct site *last)
{
    const struct sections *sections = &b->f->hb.sections;
    if (!b->has_changed) {
        site->held_first = last->held_first;
        site->held_count = last->held_count;
        site->locks = last->locks;
        return;
    }
    site->held_first = (uint32_t)b->s->held.count;
    b->has_changed = false;
    for (uint32_t i = 0; i < b->span.count; i++) {
        const uint32_t section = b->f->held[b->span.first + i];
        const bool is_version = frame_is_version(b->f, section);
        const bool counts = !is_version || sections->list[section].end == site->event;
        b->has_changed |= is_version;
        if (counts && sections->locks[sections->list[section].lock].is_contended) {
            hold(b, site, section_of(b, last, section));
        }
    }
}

static void add_site(struct build *b, const struct sketch_access *a, const struct site *last)
{
    struct sites *s = b->s;
    const struct trace *t = b->f->trace;
    const struct event *e = trace_at(t, a->event);
    const bool has_class = e->location == 0 || b->sorts->has_classes;
    const uint32_t variable = s->sketch->variables[a->which];
    struct site *site = &s->list[a - s->sketch->list];
    *site = (struct site){
        .event = a->event, .which = a->which, .is_write = a->is_write, .is_related = a->is_related};
    must(last == NULL || last->event < a->event);
    find_held(b, site, last);
    must(site->held_first + site->held_count <= s->held.count);
    site->sort = sort_of(b->sorts,
                         (struct tuple){{e->location,
                                         (uint32_t)a->which | (uint32_t)a->is_write << 1 |
                                             (uint32_t)a->is_related << 2,
                                         has_class ? b->f->variables.list.at[variable].class : 0}});
}

static void add_thread(struct build *b, const struct sketch_thread *thread)
{
    const struct sketch *sketch = b->s->sketch;
    b->has_changed = true;
    for (uint32_t i = thread->first; i < thread->end; i++) {
        const struct sketch_access *a = &sketch->list[i];
        const struct frame_span span = b->f->held_at[a->number];
        b->has_changed |= span.first != b->span.first || span.count != b->span.count;
        b->span = span;
        add_site(b, a, i == thread->first ? NULL : &b->s->list[i - 1]);
    }
}

void sites_build(struct sites *s, const struct sketch *sketch, struct sorts *sorts)
{
    *s = (struct sites){.sketch = sketch};
    struct build b = {.s = s, .sorts = sorts, .f = sketch->frame};
    s->list = arena_array(&s->arena, struct site, (size_t)sketch->count + 1);
    for (uint32_t i = 0; i < sketch->thread_count; i++) {
        add_thread(&b, &sketch->threads[i]);
    }
    apart_build(s);
}

void sites_release(struct sites *s)
{
    vec_release(&s->held);
    vec_release(&s->sections);
    map_release(&s->updates[0]);
    map_release(&s->updates[1]);
    map_release(&s->holders);
    arena_release(&s->arena);
}

/* ---- couples ---- */

static bool is_version(const struct sites *s, uint32_t section)
{
    return frame_is_version(s->sketch->frame, s->sections.at[section].section);
}

/* Whether the section, which a later site of the thread is in, has begun at the site. */
static bool is_held(const struct sites *s, const struct site *site, uint32_t section)
{
    const struct frame *f = s->sketch->frame;
    if (is_version(s, section)) {
        return f->hb.sections.list[s->sections.at[section].section].begin <= site->event;
    }
    for (uint32_t i = 0; i < site->held_count; i++) {
        if (s->held.at[site->held_first + i] == section) {
            return true;
        }
    }
    return false;
}

static uint32_t cover_of(const struct sites *s, struct sorts *sorts, const struct couple *c)
{
    const struct site *a = &s->list[c->first];
    const struct site *b = &s->list[c->second];
    if (a->held_first == b->held_first && a->held_count == b->held_count) {
        return a->locks;
    }
    uint32_t cover = 0;
    for (uint32_t i = 0; i < b->held_count; i++) {
        const uint32_t section = s->held.at[b->held_first + i];
        if (is_held(s, a, section)) {
            cover = locks_with(s, sorts, cover, section);
        }
    }
    return cover;
}

/* True when a critical section of the trace is held at both accesses: all of them count, also those
 * of locks that nobody else takes. */
static bool is_locked_across(const struct frame *f, uint32_t first, uint32_t second)
{
    const struct frame_span a = f->held_at[first];
    const struct frame_span b = f->held_at[second];
    for (uint32_t i = 0; i < a.count; i++) {
        for (uint32_t k = 0; k < b.count; k++) {
            if (f->held[a.first + i] == f->held[b.first + k]) {
                return true;
            }
        }
    }
    return false;
}

/* True when a marked region makes two accesses one operation. */
static bool is_marked(const struct frame *f, uint32_t first, uint32_t second)
{
    const uint32_t region = f->variables.accesses.at[first].region;
    return region != 0 && region == f->variables.accesses.at[second].region;
}

static bool is_of_two_operations(const struct sites *s, const struct couple *c)
{
    const struct frame *f = s->sketch->frame;
    const uint32_t first = s->sketch->list[c->first].number;
    const uint32_t second = s->sketch->list[c->second].number;
    const struct access *a = &f->variables.accesses.at[first];
    const struct access *b = &f->variables.accesses.at[second];
    return a->operation != b->operation;
}

static void add_couple(const struct sites *s, struct couple c, struct sorts *sorts,
                       couple_list *list)
{
    const uint32_t first = s->sketch->list[c.first].number;
    const uint32_t second = s->sketch->list[c.second].number;
    const struct frame *f = s->sketch->frame;
    must(s->list[c.first].event < s->list[c.second].event);
    must(f->variables.accesses.at[first].task == f->variables.accesses.at[second].task);
    const bool is_region = is_marked(f, first, second);
    c.is_rounds = !is_region && !is_locked_across(f, first, second) && is_of_two_operations(s, &c);
    c.apart = c.is_rounds ? SETTLED_NOT : apart_why(s, &c, is_region);
    c.sort =
        sort_of(sorts, (struct tuple){{s->list[c.first].sort, s->list[c.second].sort,
                                       (uint32_t)c.has_reads_between | (uint32_t)c.is_rounds << 1 |
                                           (uint32_t)c.is_overwritten << 2 | (uint32_t)c.apart << 3,
                                       UINT32_MAX}});
    c.cover = cover_of(s, sorts, &c);
    c.locks[0] = s->list[c.first].locks;
    c.locks[1] = s->list[c.second].locks;
    vec_push(list, c);
}

/* Whether two accesses to an atomic variable are meant to be one operation. Other couples are how
 * atomics are used: polls, locks, counters and flags. */
static bool is_atomic_couple(const struct sites *s, uint32_t first, uint32_t second)
{
    const struct variables *v = &s->sketch->frame->variables;
    const struct access *a = &v->accesses.at[s->sketch->list[first].number];
    const struct access *b = &v->accesses.at[s->sketch->list[second].number];
    if (!a->is_write && event_is_kept(trace_at(s->sketch->frame->trace, b->event))) {
        return true;
    }
    return a->is_read != a->is_write && b->is_read != b->is_write && a->is_write != b->is_write &&
           !(a->is_write && trace_at(s->sketch->frame->trace, a->event)->kind != EVENT_ATOMIC_RMW);
}

static bool is_wanted(const struct sites *s, uint32_t first, uint32_t second)
{
    const struct variable *v =
        &s->sketch->frame->variables.list.at[s->sketch->variables[s->list[first].which]];
    return !v->is_atomic || is_atomic_couple(s, first, second);
}

void sites_couples(const struct sites *s, uint32_t thread, bool is_merged, struct sorts *sorts,
                   couple_list *list)
{
    uint32_t last = UINT32_MAX;       /* the access before */
    uint32_t last_write = UINT32_MAX; /* and the last write */
    for (uint32_t i = s->sketch->threads[thread].first; i < s->sketch->threads[thread].end; i++) {
        if (!is_merged && s->list[i].which != 0) {
            continue;
        }
        if (last != UINT32_MAX && is_wanted(s, last, i)) {
            add_couple(s, (struct couple){.first = last, .second = i}, sorts, list);
        }
        if (s->list[i].is_write && last_write != UINT32_MAX && last_write != last &&
            is_wanted(s, last_write, i)) {
            add_couple(s,
                       (struct couple){.first = last_write, .second = i, .has_reads_between = true},
                       sorts, list);
        }
        last = i;
        last_write = s->list[i].is_write ? i : last_write;
    }
}

void sites_pairs(const struct sites *s, uint32_t thread, struct sorts *sorts, couple_list *list)
{
    uint32_t last[2][2] = {{UINT32_MAX, UINT32_MAX}, {UINT32_MAX, UINT32_MAX}}; /* by kind */
    for (uint32_t i = s->sketch->threads[thread].first; i < s->sketch->threads[thread].end; i++) {
        const struct site *site = &s->list[i];
        uint32_t *own = &last[site->which][site->is_write];
        for (int is_write = 0; is_write < 2; is_write++) {
            const uint32_t before = last[!site->which][is_write];
            if (before != UINT32_MAX && (*own == UINT32_MAX || *own < before)) {
                const uint32_t write = last[!site->which][true];
                const bool is_overwritten = write != UINT32_MAX && write > before;
                add_couple(
                    s,
                    (struct couple){.first = before, .second = i, .is_overwritten = is_overwritten},
                    sorts, list);
            }
        }
        *own = i;
    }
}

bool sites_shut_out(const struct sites *s, const struct couple *c, const struct site *other)
{
    const struct site *b = &s->list[c->second];
    must(c->first < c->second);
    if (c->cover == 0 || other->locks == 0) {
        return false;
    }
    for (uint32_t i = 0; i < b->held_count; i++) {
        const uint32_t number = s->held.at[b->held_first + i];
        const struct site_section *section = &s->sections.at[number];
        if (!is_held(s, &s->list[c->first], number)) {
            continue;
        }
        for (uint32_t k = 0; k < other->held_count; k++) {
            const struct site_section *against = &s->sections.at[s->held.at[other->held_first + k]];
            if (against->lock == section->lock && !(against->is_shared && section->is_shared)) {
                return true;
            }
        }
    }
    return false;
}
