#include "atomicity/separate_operations.h"

#include "trace/kind_table.h"

/* Accesses next to one of the couple's that are looked at, each way. */
enum { AROUND_MAX = 64 };

/* The bits of x and of y. */
enum { XY = 3 };

/* The part of the program that contains one access of a couple, but not the other: a call or a
 * round of a loop, or else the outermost critical section around it. */
struct part {
    uint32_t scope;   /* SCOPE_ROOT: none */
    uint32_t section; /* of the trace; UINT32_MAX: none */
};

static const struct access *access_of(const struct sites *s, uint32_t site)
{
    return &s->sketch->frame->variables.accesses.at[s->sketch->list[site].number];
}

/* The outermost critical section around the access. */
static uint32_t section_of(const struct sites *s, uint32_t site)
{
    return frame_outermost(s->sketch->frame, s->sketch->list[site].number);
}

static bool is_in_part(const struct sites *s, uint32_t site, const struct part *p)
{
    const struct scope_tree *tree = &s->sketch->frame->variables.scopes;
    return p->scope != SCOPE_ROOT ? scope_is_in(tree, access_of(s, site)->scope, p->scope)
                                  : p->section != UINT32_MAX && section_of(s, site) == p->section;
}

/* Which of x and y the task reads, or writes, in the part around the site, a bit each. */
static unsigned accessed_in(const struct sites *s, uint32_t site, const struct part *p,
                            bool is_write)
{
    const struct sketch_thread *thread = s->sketch->threads;
    while (site >= thread->end) {
        thread++;
    }
    unsigned found = 0;
    for (uint32_t i = site, n = 0; i < thread->end && n < AROUND_MAX && is_in_part(s, i, p);
         i++, n++) {
        found |= (unsigned)(s->list[i].is_write == is_write) << s->list[i].which;
    }
    for (uint32_t i = site, n = 0; i-- > thread->first && n < AROUND_MAX && is_in_part(s, i, p);
         n++) {
        found |= (unsigned)(s->list[i].is_write == is_write) << s->list[i].which;
    }
    return found;
}

static unsigned writes_in(const struct sites *s, uint32_t site, const struct part *p)
{
    return accessed_in(s, site, p, true);
}

/* A write that follows the task's read of the variable at the same place. */
static bool is_counter(const struct sites *s, uint32_t site)
{
    const struct trace *t = s->sketch->frame->trace;
    if (site == 0 || access_of(s, site - 1)->task != access_of(s, site)->task) {
        return false;
    }
    const struct site *read = &s->list[site - 1];
    const struct site *write = &s->list[site];
    return !read->is_write && write->is_write && read->which == write->which &&
           trace_at(t, read->event)->location == trace_at(t, write->event)->location;
}

/* The read of such an update. */
static bool is_counted(const struct sites *s, uint32_t site)
{
    return site + 1 < s->sketch->count && is_counter(s, site + 1);
}

/* Whether the site is part of a counter's update whose task does not look at the value. Where the
 * trace does not tell that of any update, none is taken to look. */
static bool is_unseen(const struct sites *s, uint32_t site)
{
    const struct frame *f = s->sketch->frame;
    const uint32_t read = is_counted(s, site) ? site : site - 1;
    return (is_counted(s, site) || is_counter(s, site)) &&
           (!f->variables.has_results || event_is_blind(trace_at(f->trace, s->list[read].event)));
}

/* Two writes of one place, each of which its part has looked for: one update, made twice. */
static bool are_repeated(const struct sites *s, const struct couple *c, const struct part parts[2])
{
    const struct trace *t = s->sketch->frame->trace;
    const struct site *a = &s->list[c->first];
    const struct site *b = &s->list[c->second];
    return trace_at(t, a->event)->location == trace_at(t, b->event)->location &&
           (accessed_in(s, c->first, &parts[0], false) >> a->which & 1) != 0 &&
           (accessed_in(s, c->second, &parts[1], false) >> b->which & 1) != 0;
}

/* ---- attempts ---- */

/* A read, by its place and that of the lock around it. */
static uint64_t attempt_key(const struct sites *s, uint32_t site, uint32_t section)
{
    const struct frame *f = s->sketch->frame;
    return map_pair(trace_at(f->trace, s->list[site].event)->location,
                    trace_at(f->trace, f->hb.sections.list[section].begin)->location);
}

/* Takes the reads of a section, sites first to end - 1, that stand before a write of the same
 * variable. */
static void take_updates(struct sites *s, uint32_t first, uint32_t end, uint32_t section)
{
    unsigned written = 0;
    for (uint32_t i = end; i-- > first;) {
        const struct site *site = &s->list[i];
        if (site->is_write) {
            written |= 1u << site->which;
        } else if ((written >> site->which & 1) != 0) {
            map_put(&s->updates[site->which], attempt_key(s, i, section), 1);
        }
    }
}

/* ---- locks that are held across ---- */

static const uint32_t HOLDERS_MANY = UINT32_MAX;

static void take_holders(struct sites *s)
{
    const struct frame *f = s->sketch->frame;
    for (uint32_t site = 0; site < s->sketch->count; site++) {
        const struct frame_span span = f->held_at[s->sketch->list[site].number];
        const uint32_t task = access_of(s, site)->task + 1;
        for (uint32_t i = span.first; i < span.first + span.count; i++) {
            uint32_t *holder =
                map_slot(&s->holders, f->hb.sections.list[f->held[i]].lock, task, NULL);
            *holder = *holder == task ? task : HOLDERS_MANY;
        }
    }
}

/* Whether a critical section contains both accesses whose lock another task holds as well when it
 * uses one of the variables. A lock of which this is not so guards something else, and does not say
 * that the two accesses belong together. */
static bool is_guarded_across(const struct sites *s, const struct couple *c)
{
    const struct frame *f = s->sketch->frame;
    const struct frame_span a = f->held_at[s->sketch->list[c->first].number];
    const struct frame_span b = f->held_at[s->sketch->list[c->second].number];
    for (uint32_t i = a.first; i < a.first + a.count; i++) {
        for (uint32_t k = b.first; k < b.first + b.count; k++) {
            if (f->held[i] == f->held[k] &&
                *map_get(&s->holders, f->hb.sections.list[f->held[i]].lock) == HOLDERS_MANY) {
                return true;
            }
        }
    }
    return false;
}

void apart_build(struct sites *s)
{
    if (s->sketch->frame->variables.scopes.nodes.count == 0) {
        return;
    }
    take_holders(s);
    for (uint32_t i = 0; i < s->sketch->thread_count; i++) {
        const struct sketch_thread *thread = &s->sketch->threads[i];
        for (uint32_t first = thread->first, end = 0; first < thread->end; first = end) {
            const uint32_t section = section_of(s, first);
            for (end = first + 1; end < thread->end && section_of(s, end) == section; end++) {
            }
            if (section != UINT32_MAX) {
                take_updates(s, first, end, section);
            }
        }
    }
}

/* Whether another section of the same call or round of a loop took its lock at the same place: then
 * the place, which is a line, does not tell the two apart. True as well where there is too much to
 * look at. */
static bool is_ambiguous(const struct sites *s, uint32_t site, uint32_t section)
{
    const struct frame *f = s->sketch->frame;
    const struct access *own = access_of(s, site);
    const struct section *sections = f->hb.sections.list;
    for (int step = -1; step <= 1; step += 2) {
        uint32_t left = AROUND_MAX;
        for (uint32_t i = site; i < s->sketch->count; i += (uint32_t)step, left--) {
            const struct access *a = access_of(s, i);
            const uint32_t other = section_of(s, i);
            if (a->task != own->task || a->scope != own->scope) {
                break;
            }
            const bool is_other = other != section && other != UINT32_MAX &&
                                  trace_at(f->trace, sections[other].begin)->location ==
                                      trace_at(f->trace, sections[section].begin)->location;
            if (is_other || left == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Whether the site is a read that, in another section of the same places, comes before a write: the
 * task has tried to update the variable, and found that there was nothing to do. */
static bool is_attempt(const struct sites *s, uint32_t site)
{
    const uint32_t section = section_of(s, site);
    return section != UINT32_MAX &&
           map_get(&s->updates[s->list[site].which], attempt_key(s, site, section)) != NULL &&
           !is_ambiguous(s, site, section);
}

/* A read under a shared lock, and another of the same call under the same lock, exclusively: the
 * task checks again before it writes. */
static bool is_rechecked(const struct sites *s, const struct couple *c, const struct part parts[2])
{
    if (parts[0].scope != SCOPE_ROOT || parts[1].scope != SCOPE_ROOT ||
        parts[0].section == UINT32_MAX || parts[1].section == UINT32_MAX) {
        return false;
    }
    const struct section *sections = s->sketch->frame->hb.sections.list;
    const struct section *check = &sections[parts[0].section];
    const struct section *act = &sections[parts[1].section];
    return check->lock == act->lock && check->is_shared && !act->is_shared &&
           !is_counted(s, c->second);
}

/* A write or an attempt, and then an access of another part that reads the variable and writes it
 * in turn, or is an attempt as well. */
static bool are_actions(const struct sites *s, const struct couple *c, const struct part parts[2])
{
    const struct site *a = &s->list[c->first];
    const struct site *b = &s->list[c->second];
    if (a->which != b->which || is_in_part(s, c->second, &parts[0])) {
        return false;
    }
    if (!b->is_write) {
        const bool is_blind = event_is_blind(trace_at(s->sketch->frame->trace, b->event));
        const bool is_check = !is_blind && (is_attempt(s, c->first) || is_rechecked(s, c, parts));
        return (a->is_write || is_check) &&
               (is_attempt(s, c->second) ||
                (writes_in(s, c->second, &parts[1]) >> b->which & 1) != 0);
    }
    if (!a->is_write) {
        return false;
    }
    return (is_counter(s, c->first) && is_counter(s, c->second)) || are_repeated(s, c, parts);
}

/* Accesses to two variables, one of which both parts read and write: each updates, by itself, the
 * structure that has the two variables, as the head of a list with its first element. */
static bool are_updates_of_pair(const struct sites *s, const struct couple *c,
                                const struct part parts[2])
{
    if (s->list[c->first].which == s->list[c->second].which ||
        is_in_part(s, c->second, &parts[0])) {
        return false;
    }
    return (accessed_in(s, c->first, &parts[0], false) & accessed_in(s, c->first, &parts[0], true) &
            accessed_in(s, c->second, &parts[1], false) &
            accessed_in(s, c->second, &parts[1], true)) != 0;
}

/* Reads of two variables, of which the second section, that took the lock exclusively after it was
 * shared, reads the first again: it looks the whole up again, and does not rely on what the task
 * saw before. */
static bool is_looked_up_again(const struct sites *s, const struct couple *c,
                               const struct part parts[2])
{
    const struct site *a = &s->list[c->first];
    const struct site *b = &s->list[c->second];
    return a->which != b->which && !a->is_write && !b->is_write && is_rechecked(s, c, parts) &&
           (accessed_in(s, c->second, &parts[1], false) >> a->which & 1) != 0;
}

/* Whether a scope makes calls one after the other: the routine itself, or a round of a loop. */
static bool is_sequence(const struct scope_tree *tree, uint32_t scope)
{
    return scope == SCOPE_ROOT || scope_is_round(tree, scope);
}

/* A write, and then a read in another section or call whose value decides only whether the program
 * aborts: `add(); assert(count() > 0);`. */
static bool is_asserted(const struct sites *s, const struct couple *c)
{
    const struct event *e = trace_at(s->sketch->frame->trace, s->list[c->second].event);
    return s->list[c->first].is_write && e->kind == EVENT_READ && e->mode == ACCESS_ASSERTED &&
           section_of(s, c->first) != section_of(s, c->second);
}

static enum settled_by why_of_parts(const struct sites *s, const struct couple *c,
                                    const struct scope_meeting *m, bool is_one)
{
    const struct scope_tree *tree = &s->sketch->frame->variables.scopes;
    const struct part parts[2] = {{m->first, section_of(s, c->first)},
                                  {m->second, section_of(s, c->second)}};
    const struct site *a = &s->list[c->first];
    const struct site *b = &s->list[c->second];
    const bool are_scopes = m->first != SCOPE_ROOT && m->second != SCOPE_ROOT;
    if (is_one) {
        return are_scopes && are_actions(s, c, parts) ? SETTLED_ACTIONS : SETTLED_NOT;
    }
    const bool has_acted = scope_has_acted(tree, m->first) ||
                           (m->first != SCOPE_ROOT && writes_in(s, c->first, &parts[0]) != 0);
    if (are_scopes && scope_is_round(tree, m->first) && scope_is_round(tree, m->second) &&
        (a->is_write || b->is_write || a->which == b->which || has_acted ||
         accessed_in(s, c->first, &parts[0], false) == XY ||
         accessed_in(s, c->second, &parts[1], false) == XY)) {
        return SETTLED_LOOP;
    }
    if (is_sequence(tree, m->common) && has_acted) {
        return scope_is_round(tree, m->first) ? SETTLED_LOOP : SETTLED_CALLS;
    }
    return are_actions(s, c, parts) || are_updates_of_pair(s, c, parts) ||
                   is_looked_up_again(s, c, parts)
               ? SETTLED_ACTIONS
               : SETTLED_NOT;
}

enum settled_by apart_why(const struct sites *s, const struct couple *c, bool is_marked)
{
    const struct variables *v = &s->sketch->frame->variables;
    const struct access *a = access_of(s, c->first);
    const struct access *b = access_of(s, c->second);
    if (v->scopes.nodes.count == 0) {
        return SETTLED_NOT;
    }
    if (v->list.at[a->variable].is_sync || v->list.at[b->variable].is_sync) {
        return SETTLED_SYNC;
    }
    const bool is_one = is_marked || is_guarded_across(s, c);
    if (!is_one &&
        compared_guards(&s->sketch->frame->compared, s->sketch->frame,
                        s->sketch->list[c->first].number, s->sketch->list[c->second].number)) {
        return SETTLED_COMPARED;
    }
    if (!is_one && is_asserted(s, c)) {
        return SETTLED_ASSERTED;
    }
    const bool is_tested_again =
        !a->is_write && b->tested_from != EVENT_NONE && a->event >= b->tested_from;
    if (a->wait_count != b->wait_count && !is_one && (!b->is_write || is_tested_again)) {
        return SETTLED_WAIT;
    }
    if (a->variable != b->variable &&
        ((is_counted(s, c->first) && is_unseen(s, c->first)) || is_counted(s, c->second))) {
        return SETTLED_ACTIONS;
    }
    const struct scope_meeting m = scope_meet(&v->scopes, a->scope, b->scope);
    return why_of_parts(s, c, &m, is_one);
}

/* The section around an access, if it reads and writes the variable. */
static bool is_in_update(const struct sites *s, uint32_t site)
{
    const struct part section = {SCOPE_ROOT, section_of(s, site)};
    return ((accessed_in(s, site, &section, false) & accessed_in(s, site, &section, true)) >>
                s->list[site].which &
            1) != 0;
}

bool apart_are_updates(const struct sites *s, const struct couple *c, uint32_t between)
{
    const struct site *first = &s->list[c->first];
    const struct site *second = &s->list[c->second];
    return s->sketch->frame->variables.scopes.nodes.count > 0 && first->which == second->which &&
           first->is_write && second->is_write && !s->list[between].is_write &&
           section_of(s, c->first) != section_of(s, c->second) && is_in_update(s, c->first) &&
           is_in_update(s, c->second) && (is_in_update(s, between) || is_attempt(s, between));
}

bool apart_is_update(const struct sites *s, uint32_t site, bool is_last)
{
    return s->sketch->frame->variables.scopes.nodes.count > 0 &&
           (is_last ? is_counter(s, site) || is_counted(s, site) : is_unseen(s, site));
}
