#include "atomicity/tell.h"

#include <string.h>

#include "trace/kind.h"

/* A match with its roles filled in: a is the thread that is interrupted, b the other. */
struct scene {
    const struct match *m;
    const struct trace *t;
    struct findings *f;
    const struct step *steps[QUESTION_PLACES_MAX]; /* as they come */
    const struct step *first, *last;               /* of a */
    const struct step *b_x, *b_y; /* of b: on the variable of `first`, and on the other */
    const char *a, *b;            /* tasks */
    const char *x, *y;            /* variables, by first and last */
    bool is_resource;
};

static const char *task_text(struct findings *f, const struct trace *t, uint32_t number)
{
    const struct task *task = &t->tables.tasks.at[number];
    const char *node = trace_name(t, task->node);
    return findings_text(f, "%s%s%s", trace_name(t, task->name), node[0] == '\0' ? "" : "@", node);
}

static const char *object_of(const struct scene *s, const struct step *step)
{
    return trace_name(s->t, trace_at(s->t, step->event)->object);
}

static struct scene scene_of(struct findings *f, const struct match *m)
{
    struct scene s = {.m = m, .t = m->model->frame->trace, .f = f};
    const uint32_t a = m->places[0].thread;
    uint32_t b = a;
    for (uint32_t i = 0; i < m->place_count; i++) {
        const struct place p = m->places[i];
        s.steps[i] = &m->model->threads[p.thread].steps[p.step];
        s.last = p.thread == a ? s.steps[i] : s.last;
        b = p.thread == a ? b : p.thread;
    }
    s.first = s.steps[0];
    for (uint32_t i = 0; i < m->place_count; i++) {
        if (m->places[i].thread != a) {
            *(s.steps[i]->which == s.first->which ? &s.b_x : &s.b_y) = s.steps[i];
        }
    }
    s.a = task_text(f, s.t, m->model->threads[a].task);
    s.b = task_text(f, s.t, m->model->threads[b].task);
    s.x = object_of(&s, s.first);
    s.y = object_of(&s, s.last);
    s.is_resource = variable_is_resource(s.x);
    return s;
}

/* ---- the sentence ---- */

static const char *verb(const struct step *s)
{
    return s->is_write ? "changes" : "reads";
}

static const char *say_writes(const struct scene *s)
{
    if (!s->b_x->is_write && !s->b_y->is_write) {
        return findings_text(s->f,
                             "%s writes `%s` and then `%s`, and %s reads both meanwhile: it sees a "
                             "new `%s` with an old `%s`",
                             s->a, s->x, s->y, s->b, s->x, s->y);
    }
    const char *end =
        s->b_x->is_write && s->b_y->is_write
            ? findings_text(s->f, "`%s` is left as %s wrote it and `%s` as %s did", s->x, s->b,
                            s->y, s->a)
            : findings_text(s->f, "`%s` and `%s` no longer belong together", s->x, s->y);
    return findings_text(s->f,
                         "%s writes `%s` and then `%s`, and %s %s `%s` and %s `%s` meanwhile: %s",
                         s->a, s->x, s->y, s->b, verb(s->b_x), s->x, verb(s->b_y), s->y, end);
}

static const char *say_one(const struct scene *s)
{
    switch ((int)s->m->pattern) {
    case VIOLATION_RWR:
        return findings_text(s->f,
                             "%s changes `%s` between two reads of it by %s: they see "
                             "different values",
                             s->b, s->x, s->a);
    case VIOLATION_WWR:
        return findings_text(s->f,
                             "%s changes `%s` between a write and a read of it by %s, which "
                             "then reads someone else's value",
                             s->b, s->x, s->a);
    case VIOLATION_RWW:
        return findings_text(s->f,
                             "%s changes `%s` between %s's read and its write: that change "
                             "is lost",
                             s->b, s->x, s->a);
    case VIOLATION_WRW:
        return findings_text(s->f,
                             "%s reads `%s` between two writes of it by %s: it sees a value "
                             "in between",
                             s->b, s->x, s->a);
    default:
        return findings_text(s->f,
                             "%s writes `%s` between two writes of it by %s: what %s wrote "
                             "is lost",
                             s->b, s->x, s->a, s->b);
    }
}

static const char *say(const struct scene *s)
{
    switch (s->m->pattern) {
    case VIOLATION_P1:
        return findings_text(s->f,
                             "%s reads `%s` and then writes `%s`, and %s changes `%s` and %s "
                             "`%s` meanwhile: `%s` follows from a value that is no more",
                             s->a, s->x, s->y, s->b, s->x, verb(s->b_y), s->y, s->y);
    case VIOLATION_P2:
        return findings_text(s->f,
                             "%s reads `%s` and then `%s`, and %s changes both meanwhile: an "
                             "old `%s` is seen with a new `%s`",
                             s->a, s->x, s->y, s->b, s->x, s->y);
    case VIOLATION_P3: return say_writes(s);
    case VIOLATION_P4:
        return findings_text(s->f,
                             "%s writes `%s` and then reads `%s`, and %s changes `%s` "
                             "meanwhile: the `%s` that is read does not belong to the `%s` "
                             "that was written",
                             s->a, s->x, s->y, s->b, s->y, s->y, s->x);
    case VIOLATION_STALE:
        return findings_text(s->f,
                             "%s reads `%s` and then writes `%s`, and %s changes `%s` in "
                             "between: what is written follows from a value that is no more",
                             s->a, s->x, s->y, s->b, s->x);
    case VIOLATION_MERGED:
        return findings_text(s->f,
                             "%s comes between %s's accesses to `%s` and `%s`: wrong if the "
                             "two must change together",
                             s->b, s->a, s->x, s->y);
    case VIOLATION_NONE:
    case VIOLATION_RWR:
    case VIOLATION_WWR:
    case VIOLATION_RWW:
    case VIOLATION_WRW:
    case VIOLATION_WWW:
    case VIOLATION_COUNT: return say_one(s);
    }
    bug("pattern");
}

/* ---- what is missing ---- */

/* The sections of locks around an access. */
static struct held held_at(const struct scene *s, const struct step *access)
{
    const struct frame *f = s->m->model->frame;
    const struct frame_span span = f->held_at[f->access_of[access->event]];
    struct held held = {0};
    for (uint32_t i = 0; i < span.count; i++) {
        if (!frame_is_version(f, f->held[span.first + i])) {
            vec_push(&held.sections, f->held[span.first + i]);
        }
    }
    return held;
}

static const char *lock_name(const struct scene *s, uint32_t section)
{
    const struct sections *all = &s->m->model->frame->hb.sections;
    return trace_name(s->t, all->locks[all->list[section].lock].name);
}

static bool has(const struct held *h, uint32_t section)
{
    vec_each (&h->sections, held) {
        if (*held == section) {
            return true;
        }
    }
    return false;
}

/* "`m`, `n`", or "no lock". */
static const char *lock_list(const struct scene *s, const struct held *h)
{
    const char *list = h->sections.count == 0 ? "no lock" : "";
    vec_each (&h->sections, section) {
        list = findings_text(s->f, "%s%s`%s`", list, list[0] == '\0' ? "" : ", ",
                             lock_name(s, *section));
    }
    return list;
}

/* The first lock of one that the other has too, in another section; NULL: none. */
static const char *common_lock(const struct scene *s, const struct held *h,
                               const struct held *other)
{
    const struct sections *all = &s->m->model->frame->hb.sections;
    vec_each (&h->sections, section) {
        vec_each (&other->sections, against) {
            if (all->list[*section].lock == all->list[*against].lock) {
                return lock_name(s, *section);
            }
        }
    }
    return NULL;
}

/* Which lock would have helped, as far as one can tell. */
static const char *missing(const struct scene *s, const struct held *first, const struct held *last,
                           const struct held *around)
{
    if (around->sections.count > 0) {
        return findings_text(s->f, "missing: `%s` around what %s does",
                             lock_name(s, around->sections.at[0]), s->b);
    }
    const char *common = common_lock(s, first, last);
    if (common != NULL) {
        return findings_text(s->f,
                             "missing: `%s` held by %s from the first to the last of its "
                             "accesses",
                             common, s->a);
    }
    return s->is_resource ? "missing: a lock that both hold, or a version check on what was read"
                          : "missing: a lock that both hold from their first access to their last";
}

static const char *why(const struct scene *s)
{
    struct held first = held_at(s, s->first);
    struct held last = held_at(s, s->last);
    struct held other = held_at(s, s->b_x != NULL ? s->b_x : s->b_y);
    struct held around = {0};
    vec_each (&first.sections, section) {
        if (has(&last, *section)) {
            vec_push(&around.sections, *section);
        }
    }
    const char *text = findings_text(
        s->f, "pattern: %s\n%s holds %s at its first access, %s at its last%s; %s holds %s\n%s%s",
        violation_name(s->m->pattern), s->a, lock_list(s, &first), lock_list(s, &last),
        around.sections.count == 0 && common_lock(s, &first, &last) != NULL
            ? " (given back between)"
            : "",
        s->b, lock_list(s, &other), missing(s, &first, &last, &around),
        s->m->is_rounds ? "\nthe accesses of one task may belong to two rounds of a loop" : "");
    vec_release(&first.sections);
    vec_release(&last.sections);
    vec_release(&around.sections);
    vec_release(&other.sections);
    return text;
}

/* ---- the finding ---- */

enum finding_kind tell_kind(const struct match *m)
{
    const struct frame *f = m->model->frame;
    const uint32_t name = f->variables.list.at[m->model->variables[0]].name;
    switch (m->pattern) {
    case VIOLATION_P1:
    case VIOLATION_P2:
    case VIOLATION_P3:
    case VIOLATION_P4: return FINDING_ATOMICITY_PAIR;
    case VIOLATION_STALE: return FINDING_STALE_READ;
    case VIOLATION_MERGED: return FINDING_ATOMICITY_MERGED;
    case VIOLATION_RWW:
        return variable_is_resource(trace_name(f->trace, name)) ? FINDING_LOST_UPDATE
                                                                : FINDING_ATOMICITY_SINGLE;
    case VIOLATION_NONE:
    case VIOLATION_RWR:
    case VIOLATION_WWR:
    case VIOLATION_WRW:
    case VIOLATION_WWW:
    case VIOLATION_COUNT: return FINDING_ATOMICITY_SINGLE;
    }
    bug("pattern");
}

/* Whether nobody reads a difference to running one thread after the other. */
static bool is_view_serializable(const struct match *m)
{
    struct violation_access accesses[QUESTION_PLACES_MAX];
    for (uint32_t i = 0; i < m->place_count; i++) {
        const struct place at = m->places[i];
        const struct step *s = &m->model->threads[at.thread].steps[at.step];
        accesses[i] = (struct violation_access){.thread = at.thread == m->places[0].thread ? 1 : 2,
                                                .which = s->which,
                                                .is_write = s->is_write};
    }
    return m->pattern != VIOLATION_STALE &&
           violation_is_view_serializable(accesses, m->place_count);
}

static enum finding_severity severity_of(const struct match *m)
{
    if (is_view_serializable(m) || m->is_rounds || m->pattern == VIOLATION_MERGED) {
        return SEVERITY_NOTE;
    }
    const bool is_loss =
        m->pattern == VIOLATION_RWW || (m->pattern >= VIOLATION_P1 && m->pattern <= VIOLATION_P4);
    return is_loss ? SEVERITY_ERROR : SEVERITY_WARNING;
}

/* "x at a.c:3" for the key: the class of the variable and the place, not what the access does. */
static const char *key_part(const struct scene *s, const struct step *step)
{
    const struct model *m = s->m->model;
    const struct variables *v = &m->frame->variables;
    const char *place = trace_name(s->t, trace_at(s->t, step->event)->location);
    return findings_text(s->f, "%s%s%s",
                         names_text(&v->classes, v->list.at[m->variables[step->which]].class),
                         place[0] == '\0' ? "" : " at ", place);
}

/* Equal for matches of one pattern that differ only in what happens on the same lines. */
static const char *key_of(const struct scene *s)
{
    const char *other = key_part(s, s->b_x != NULL ? s->b_x : s->b_y);
    if (s->b_x != NULL && s->b_y != NULL) {
        other = findings_text(s->f, "%s|%s", other, key_part(s, s->b_y));
    }
    return findings_text(s->f, "%s|%s|%s|%s|%s", finding_kind_name(tell_kind(s->m)),
                         violation_key(s->m->pattern), key_part(s, s->first), key_part(s, s->last),
                         other);
}

const char *tell_key(struct findings *f, const struct match *m)
{
    const struct scene s = scene_of(f, m);
    return key_of(&s);
}

void tell_match(struct findings *f, const struct match *m, const struct tell_options *o)
{
    const struct scene s = scene_of(f, m);
    struct finding_event *events = arena_array(&f->arena, struct finding_event, m->place_count);
    for (uint32_t i = 0; i < m->place_count; i++) {
        events[i] = findings_event(f, s.t, s.steps[i]->event, o->input);
    }
    struct finding finding = {
        .kind = tell_kind(m),
        .status = STATUS_PREDICTED,
        .grade = o->grade,
        .severity = severity_of(m),
        .what = say(&s),
        .why = why(&s),
        .key = key_of(&s),
        .events = events,
        .event_count = m->place_count,
        .pair_count = 1,
    };
    if (o->witness != NULL) {
        uint64_t *witness = arena_array(&f->arena, uint64_t, o->witness_count + 1);
        for (size_t i = 0; i < o->witness_count; i++) {
            witness[i] = o->witness[i];
        }
        finding.witness = witness;
        finding.witness_count = o->witness_count;
    }
    findings_add(f, &finding);
}

/* ---- regions ---- */

/* What the region is called: its name, or where it begins. */
static const char *region_name(struct findings *f, const struct trace *t, event_id begin)
{
    const struct event *e = trace_at(t, begin);
    const char *place = trace_name(t, e->location);
    if (e->object != 0) {
        return findings_text(f, "region `%s`", trace_name(t, e->object));
    }
    return place[0] == '\0' ? "a region" : findings_text(f, "the region at %s", place);
}

/* "writes `x` at a.c:3". */
static const char *act(struct findings *f, const struct trace *t, event_id id)
{
    const struct event *e = trace_at(t, id);
    const char *place = trace_name(t, e->location);
    const char *does = e->kind == EVENT_WRITE  ? "writes"
                       : e->kind == EVENT_READ ? "reads"
                                               : kind_of(e->kind)->name;
    return findings_text(f, "%s%s%s%s%s%s", does, e->object == 0 ? "" : " `",
                         trace_name(t, e->object), e->object == 0 ? "" : "`",
                         place[0] == '\0' ? "" : " at ", place);
}

const char *tell_region_key(struct findings *f, const struct trace *t, const struct region_found *r)
{
    const struct event *begin = trace_at(t, r->begin);
    return findings_text(f, "%s|%s|%s|%s|%s", finding_kind_name(FINDING_ATOMICITY_REGION),
                         trace_name(t, begin->object), trace_name(t, begin->location),
                         act(f, t, r->event), act(f, t, r->other));
}

void tell_region(struct findings *f, const struct trace *t, const struct region_found *r,
                 uint32_t input)
{
    const char *task = task_text(f, t, trace_at(t, r->begin)->task);
    const char *other = task_text(f, t, trace_at(t, r->other)->task);
    struct finding_event *events = arena_array(&f->arena, struct finding_event, 3);
    events[0] = findings_event(f, t, r->begin, input);
    events[1] = findings_event(f, t, r->other, input);
    events[2] = findings_event(f, t, r->event, input);
    const bool is_exact = t->tables.order == ORDER_EXACT;
    findings_add(f, &(struct finding){
                        .kind = FINDING_ATOMICITY_REGION,
                        .status = is_exact ? STATUS_CONFIRMED : STATUS_PREDICTED,
                        .grade = t->tables.order == ORDER_STAMPED ? GRADE_MAY : GRADE_SOUND,
                        .severity = SEVERITY_ERROR,
                        .what = findings_text(f,
                                              "%s of %s was interrupted: %s, which depends on its "
                                              "beginning, %s before %s %s",
                                              region_name(f, t, r->begin), task, other,
                                              act(f, t, r->other), task, act(f, t, r->event)),
                        .why = "no order of whole regions has the same conflicts",
                        .key = tell_region_key(f, t, r),
                        .events = events,
                        .event_count = 3,
                        .pair_count = 1,
                    });
}
