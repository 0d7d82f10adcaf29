#include "atomicity/site.h"

static uint32_t sort_of(struct sorts *sorts, const uint32_t *words, size_t count)
{
    return names_intern(&sorts->names, (const char *)words, count * sizeof *words);
}

/* ---- building ---- */

/* What a thread holds, on the way through its steps. */
struct holding {
    struct held now;
    uint32_t locks; /* as in struct site */
    bool is_known;
};

static void pass_lock(struct sites *s, struct holding *h, const struct step *step)
{
    struct held *held = &h->now;
    h->is_known = false;
    if (step->kind == STEP_LOCK) {
        vec_push(&held->sections, (uint32_t)s->sections.count);
        vec_push(&s->sections,
                 (struct site_section){.lock = step->lock, .is_shared = step->is_shared});
        return;
    }
    for (size_t i = held->sections.count; i-- > 0;) {
        if (s->sections.at[held->sections.at[i]].lock == step->lock) {
            held->sections.at[i] = vec_pop(&held->sections);
            return;
        }
    }
}

/* Adds a section to what is held, by its lock. */
static uint32_t locks_with(const struct sites *s, struct sorts *sorts, uint32_t locks,
                           uint32_t section)
{
    const uint32_t words[] = {locks, s->sections.at[section].lock,
                              s->sections.at[section].is_shared};
    return sort_of(sorts, words, 3);
}

static uint32_t locks_of(const struct sites *s, struct sorts *sorts, struct holding *h)
{
    if (!h->is_known) {
        h->is_known = true;
        h->locks = 0;
        vec_each (&h->now.sections, section) {
            h->locks = locks_with(s, sorts, h->locks, *section);
        }
    }
    return h->locks;
}

static void add_site(struct sites *s, struct holding *h, struct place p, struct sorts *sorts)
{
    const struct held *held = &h->now;
    const struct trace *t = s->m->frame->trace;
    const struct step *step = &s->m->threads[p.thread].steps[p.step];
    const uint32_t location = trace_at(t, step->event)->location;
    const uint32_t class = s->m->frame->variables.list.at[s->m->variables[step->which]].class;
    const uint32_t words[] = {location,
                              (uint32_t)step->which | (uint32_t)step->is_write << 1 |
                                  (uint32_t)step->is_related << 2,
                              location == 0 || sorts->has_classes ? class : 0};
    vec_push(&s->list, (struct site){.place = p,
                                     .event = step->event,
                                     .held_first = (uint32_t)s->held.count,
                                     .held_count = (uint32_t)held->sections.count,
                                     .locks = locks_of(s, sorts, h),
                                     .sort = sort_of(sorts, words, 3),
                                     .which = step->which,
                                     .is_write = step->is_write,
                                     .is_related = step->is_related});
    /* What a recording knows of the callers tells two calls of a function from a loop. */
    const struct event *e = trace_at(t, step->event);
    const uint32_t callers = variable_is_resource(trace_name(t, e->object)) ? 0 : e->text;
    vec_each (&held->sections, number) {
        struct site_section *section = &s->sections.at[*number];
        const uint32_t grown[] = {section->sort, vec_last(&s->list)->sort, callers};
        section->access_count[step->which]++;
        section->sort = sort_of(sorts, grown, 3);
        vec_push(&s->held, *number);
    }
}

void sites_build(struct sites *s, const struct model *m, struct sorts *sorts)
{
    *s = (struct sites){.m = m};
    struct holding held = {0};
    vec_reserve(&s->list, m->access_count);
    for (uint32_t thread = 0; thread < m->thread_count; thread++) {
        vec_push(&s->first, (uint32_t)s->list.count);
        vec_clear(&held.now.sections);
        held.is_known = false;
        for (uint32_t i = 0; i < m->threads[thread].count; i++) {
            const struct step *step = &m->threads[thread].steps[i];
            if (step->kind == STEP_ACCESS) {
                add_site(s, &held, (struct place){.thread = thread, .step = i}, sorts);
            } else if (step->kind != STEP_POINT) {
                pass_lock(s, &held, step);
            }
        }
    }
    vec_push(&s->first, (uint32_t)s->list.count);
    vec_release(&held.now.sections);
}

void sites_release(struct sites *s)
{
    vec_release(&s->list);
    vec_release(&s->first);
    vec_release(&s->held);
    vec_release(&s->sections);
}

/* ---- couples ---- */

/* Whether the section is held at the site too. */
static bool is_held(const struct sites *s, const struct site *site, uint32_t section)
{
    for (uint32_t i = 0; i < site->held_count; i++) {
        if (s->held.at[site->held_first + i] == section) {
            return true;
        }
    }
    return false;
}

static uint32_t cover_of(const struct sites *s, struct sorts *sorts, const struct couple *c)
{
    const struct site *a = &s->list.at[c->first];
    uint32_t cover = 0;
    for (uint32_t i = 0; i < a->held_count; i++) {
        const uint32_t section = s->held.at[a->held_first + i];
        if (is_held(s, &s->list.at[c->second], section)) {
            cover = locks_with(s, sorts, cover, section);
        }
    }
    return cover;
}

static bool is_whole(const struct site_section *section, bool is_of_one)
{
    return is_of_one ? section->access_count[0] >= 2
                     : section->access_count[0] > 0 && section->access_count[1] > 0;
}

static bool are_rounds(const struct site_section *a, const struct site_section *b, bool is_of_one)
{
    return a->lock == b->lock &&
           (a->sort == b->sort || (is_whole(a, is_of_one) && is_whole(b, is_of_one)));
}

/* True when the couple straddles two sections of one lock that do the same, or each of which has
 * the whole couple's variables by itself: it may belong to two rounds of a loop, not to one
 * operation. */
static bool is_of_rounds(const struct sites *s, const struct couple *c)
{
    const struct site *a = &s->list.at[c->first];
    const struct site *b = &s->list.at[c->second];
    const bool is_of_one = a->which == b->which;
    for (uint32_t i = 0; i < a->held_count; i++) {
        const uint32_t first = s->held.at[a->held_first + i];
        for (uint32_t k = 0; k < b->held_count; k++) {
            const uint32_t second = s->held.at[b->held_first + k];
            if (first != second &&
                are_rounds(&s->sections.at[first], &s->sections.at[second], is_of_one)) {
                return true;
            }
        }
    }
    return false;
}

static void add_couple(const struct sites *s, struct couple c, struct sorts *sorts,
                       couple_list *list)
{
    c.is_rounds = is_of_rounds(s, &c);
    const uint32_t words[] = {s->list.at[c.first].sort, s->list.at[c.second].sort,
                              (uint32_t)c.has_reads_between | (uint32_t)c.is_rounds << 1,
                              UINT32_MAX};
    c.sort = sort_of(sorts, words, 4);
    c.cover = cover_of(s, sorts, &c);
    c.locks[0] = s->list.at[c.first].locks;
    c.locks[1] = s->list.at[c.second].locks;
    vec_push(list, c);
}

void sites_couples(const struct sites *s, uint32_t thread, bool is_merged, struct sorts *sorts,
                   couple_list *list)
{
    uint32_t last = UINT32_MAX;       /* the access before */
    uint32_t last_write = UINT32_MAX; /* and the last write */
    for (uint32_t i = s->first.at[thread]; i < s->first.at[thread + 1]; i++) {
        if (!is_merged && s->list.at[i].which != 0) {
            continue;
        }
        if (last != UINT32_MAX) {
            add_couple(s, (struct couple){.first = last, .second = i}, sorts, list);
        }
        if (s->list.at[i].is_write && last_write != UINT32_MAX && last_write != last) {
            add_couple(s,
                       (struct couple){.first = last_write, .second = i, .has_reads_between = true},
                       sorts, list);
        }
        last = i;
        last_write = s->list.at[i].is_write ? i : last_write;
    }
}

/* The accesses to one variable in a row, from `first` on: where they end. */
static uint32_t run_end(const struct sites *s, uint32_t first, uint32_t end)
{
    uint32_t i = first;
    while (i < end && s->list.at[i].which == s->list.at[first].which) {
        i++;
    }
    return i;
}

void sites_pairs(const struct sites *s, uint32_t thread, struct sorts *sorts, couple_list *list)
{
    const uint32_t end = s->first.at[thread + 1];
    for (uint32_t from = s->first.at[thread]; from < end;) {
        const uint32_t change = run_end(s, from, end);
        const uint32_t to = change < end ? run_end(s, change, end) : end;
        uint32_t before[2] = {UINT32_MAX, UINT32_MAX}; /* by is_write */
        uint32_t after[2] = {UINT32_MAX, UINT32_MAX};
        for (uint32_t i = from; i < change; i++) {
            before[s->list.at[i].is_write] = i;
        }
        for (uint32_t i = to; i-- > change;) {
            after[s->list.at[i].is_write] = i;
        }
        for (int k = 0; k < 4; k++) {
            if (before[k & 1] != UINT32_MAX && after[k >> 1] != UINT32_MAX) {
                add_couple(s, (struct couple){.first = before[k & 1], .second = after[k >> 1]},
                           sorts, list);
            }
        }
        from = change;
    }
}

bool sites_shut_out(const struct sites *s, const struct couple *c, const struct site *other)
{
    const struct site *a = &s->list.at[c->first];
    for (uint32_t i = 0; i < a->held_count; i++) {
        const uint32_t number = s->held.at[a->held_first + i];
        const struct site_section *section = &s->sections.at[number];
        if (!is_held(s, &s->list.at[c->second], number)) {
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
