#include "atomicity/atomicity_report.h"

#include <string.h>

#include "trace/kind_table.h"

/* A match with its roles filled in: a is the thread that is interrupted, b the other. */
struct scene {
    const struct match *m;
    const struct trace *t;
    struct findings *f;
    const struct step *steps[QUESTION_PLACES_MAX]; /* in their order */
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

/* Names both tasks; without their nodes where these are the same, since every event line has it. */
static void name_tasks(struct scene *s, uint32_t a, uint32_t b)
{
    const struct task *tasks = s->t->tables.tasks.at;
    const bool is_one_node = tasks[a].node == tasks[b].node;
    s->a = is_one_node ? trace_name(s->t, tasks[a].name) : task_text(s->f, s->t, a);
    s->b = is_one_node ? trace_name(s->t, tasks[b].name) : task_text(s->f, s->t, b);
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
    name_tasks(&s, m->model->threads[a].task, m->model->threads[b].task);
    s.x = object_of(&s, s.first);
    s.y = object_of(&s, s.last);
    s.is_resource = variable_is_resource(s.x);
    return s;
}

/* b's accesses in the order of its program. */
static const struct step *b_first(const struct scene *s)
{
    if (s->b_x == NULL || s->b_y == NULL) {
        return s->b_x != NULL ? s->b_x : s->b_y;
    }
    return s->b_x->event < s->b_y->event ? s->b_x : s->b_y;
}

static const struct step *b_last(const struct scene *s)
{
    if (s->b_x == NULL || s->b_y == NULL) {
        return b_first(s);
    }
    return s->b_x->event < s->b_y->event ? s->b_y : s->b_x;
}

/* ---- the sentence ---- */

/* The source line of an access; "" when it has none, and for requests, whose place says no more
 * than the name of the resource. */
static const char *line_of(const struct scene *s, const struct step *step)
{
    return s->is_resource ? "" : trace_name(s->t, trace_at(s->t, step->event)->location);
}

/* " (a.c:3)", or nothing. */
static const char *at(const struct scene *s, const struct step *step)
{
    const char *line = line_of(s, step);
    return line[0] == '\0' ? "" : findings_text(s->f, " (%s)", line);
}

/* " (a.c:3, a.c:7)", once when they are the same. */
static const char *at_both(const struct scene *s)
{
    const char *first = line_of(s, s->first);
    const char *last = line_of(s, s->last);
    if (first[0] == '\0' || last[0] == '\0' || strcmp(first, last) == 0) {
        return at(s, s->first);
    }
    return findings_text(s->f, " (%s, %s)", first, last);
}

/* "`x` (a.c:3)". */
static const char *access_text(const struct scene *s, const struct step *step)
{
    return findings_text(s->f, "`%s`%s", object_of(s, step), at(s, step));
}

static const char *verb(const struct step *s)
{
    return s->is_write ? "write" : "read";
}

/* "write `x` (a.c:3) and read `y` (a.c:4)"; the verb once where it is the same. */
static const char *two_accesses(const struct scene *s, const struct step *one,
                                const struct step *other, const char *ending)
{
    const bool is_same = one->is_write == other->is_write;
    return findings_text(s->f, "%s%s %s and%s%s%s %s", verb(one), ending, access_text(s, one),
                         ending[0] == '\0' ? "" : " then", is_same ? "" : " ",
                         is_same ? "" : findings_text(s->f, "%s%s", verb(other), ending),
                         access_text(s, other));
}

/* "b can write `x` (a.c:3) and read `y` (a.c:4) meanwhile", in the order of b's program. */
static const char *say_meanwhile(const struct scene *s)
{
    return findings_text(s->f, "%s can %s meanwhile", s->b,
                         two_accesses(s, b_first(s), b_last(s), ""));
}

/* The consequence of an access between two writes of a. */
static const char *say_writes(const struct scene *s)
{
    if (s->b_x->is_write && s->b_y->is_write) {
        return findings_text(s->f, "`%s` stays as %s wrote it and `%s` as %s did", s->x, s->b, s->y,
                             s->a);
    }
    if (!s->b_x->is_write && !s->b_y->is_write) {
        return findings_text(s->f, "%s sees the new `%s` with the old `%s`", s->b, s->x, s->y);
    }
    return findings_text(s->f, "`%s` and `%s` no longer agree", s->x, s->y);
}

/* "read (a.c:3) and its write (a.c:7)", or "read and its write (a.c:3)". */
static const char *two_kinds(const struct scene *s)
{
    const bool is_one_line = strcmp(line_of(s, s->first), line_of(s, s->last)) == 0;
    return findings_text(s->f, "%s%s and its %s%s", verb(s->first),
                         is_one_line ? "" : at(s, s->first), verb(s->last), at(s, s->last));
}

static const char *say_one(const struct scene *s)
{
    const char *between = findings_text(s->f, "%s can %s %s between %s's", s->b, verb(s->b_x),
                                        access_text(s, s->b_x), s->a);
    switch ((int)s->m->pattern) {
    case VIOLATION_RWR:
        return findings_text(s->f, "%s two reads of it%s: %s sees two different values", between,
                             at_both(s), s->a);
    case VIOLATION_WWR:
        return findings_text(s->f, "%s %s: %s reads a value that it did not write", between,
                             two_kinds(s), s->a);
    case VIOLATION_RWW:
        return findings_text(s->f, "%s %s: the value that %s writes is lost", between, two_kinds(s),
                             s->b);
    case VIOLATION_WRW:
        return findings_text(s->f, "%s two writes of it%s: %s sees a value in between", between,
                             at_both(s), s->b);
    default:
        return findings_text(s->f, "%s two writes of it%s: the value that %s writes is lost",
                             between, at_both(s), s->b);
    }
}

/* "a reads `x` (a.c:3) and then writes `y` (a.c:4)". */
static const char *say_couple(const struct scene *s)
{
    return findings_text(s->f, "%s %s", s->a, two_accesses(s, s->first, s->last, "s"));
}

static const char *say(const struct scene *s)
{
    switch (s->m->pattern) {
    case VIOLATION_P1:
        return findings_text(s->f, "%s; %s: the new `%s` follows from an old `%s`", say_couple(s),
                             say_meanwhile(s), s->y, s->x);
    case VIOLATION_P2:
        return findings_text(s->f, "%s; %s: %s sees an old `%s` with a new `%s`", say_couple(s),
                             say_meanwhile(s), s->a, s->x, s->y);
    case VIOLATION_P3:
        return findings_text(s->f, "%s; %s: %s", say_couple(s), say_meanwhile(s), say_writes(s));
    case VIOLATION_P4:
        return findings_text(s->f,
                             "%s; %s: the `%s` that %s reads does not agree with the `%s` "
                             "that it wrote",
                             say_couple(s), say_meanwhile(s), s->y, s->a, s->x);
    case VIOLATION_STALE:
        return findings_text(s->f,
                             "%s; %s can write %s in between: the new `%s` follows from an "
                             "old `%s`",
                             say_couple(s), s->b, access_text(s, s->b_x), s->y, s->x);
    case VIOLATION_MERGED:
        return findings_text(s->f,
                             "%s; %s can come in between: wrong if the two must change "
                             "together",
                             say_couple(s), s->b);
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

/* ---- locks, and the fix ---- */

/* The sections of locks around the accesses of a match. */
struct locks_held {
    struct held first, last;     /* of a */
    struct held b_first, b_last; /* of b; the same where it has one access */
};

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

/* The first lock of one that the other has too, if in another section; NULL: none. */
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

/* " from a.c:3 to a.c:7", " over both accesses at a.c:3", or " at a.c:3" for one access. */
static const char *span_text(const struct scene *s, const struct step *first,
                             const struct step *last)
{
    const char *begin = line_of(s, first);
    const char *end = line_of(s, last);
    if (begin[0] == '\0' || end[0] == '\0') {
        return first == last ? " at its access" : " from its first access to its last";
    }
    if (strcmp(begin, end) == 0) {
        return findings_text(s->f, "%s at %s", first == last ? "" : " over both accesses", begin);
    }
    return findings_text(s->f, " from %s to %s", begin, end);
}

/* A lock that some of the accesses have already, of both tasks if there is one; NULL: none. */
static const char *candidate(const struct scene *s, const struct locks_held *h)
{
    const struct held *a[] = {&h->first, &h->last};
    const struct held *b[] = {&h->b_first, &h->b_last};
    for (size_t i = 0; i < 4; i++) {
        const char *common = common_lock(s, a[i / 2], b[i % 2]);
        if (common != NULL) {
            return common;
        }
    }
    const struct held *all[] = {&h->first, &h->last, &h->b_first};
    for (size_t i = 0; i < 3; i++) {
        if (all[i]->sections.count > 0) {
            return lock_name(s, all[i]->sections.at[0]);
        }
    }
    return NULL;
}

/* The first lock that is held in one section over both accesses; NULL: none. */
static const char *lock_over(const struct scene *s, const struct held *first,
                             const struct held *last)
{
    vec_each (&first->sections, section) {
        if (has(last, *section)) {
            return lock_name(s, *section);
        }
    }
    return NULL;
}

static const char *advise(const struct scene *s, const char *task, const char *lock,
                          const char *span)
{
    return findings_text(s->f, "%s holds `%s`%s", task, lock, span);
}

/* Whether the interrupted task checks the version of its first read, but only after its last
 * access. */
static bool is_checked_late(const struct scene *s)
{
    const struct variables *v = &s->m->model->frame->variables;
    const uint32_t *access_of = s->m->model->frame->access_of;
    const struct access *first = &v->accesses.at[access_of[s->first->event]];
    vec_each (&v->accesses, a) {
        if (a->task == first->task && a->variable == first->variable && a->asked != ACCESS_NONE &&
            a->event > s->last->event && v->accesses.at[a->asked].event <= first->event) {
            return true;
        }
    }
    return false;
}

/* The fix by versions of resources; NULL: none. A version guards one resource, and only the
 * write that asks for it. */
static const char *version_fix(const struct scene *s)
{
    const bool is_of_one = strcmp(s->x, s->y) == 0;
    if (s->m->pattern == VIOLATION_RWW && is_of_one) {
        return findings_text(s->f, "%s writes with the version that it read (If-Match)", s->a);
    }
    if (s->m->pattern == VIOLATION_WWW && is_of_one) {
        return findings_text(s->f,
                             "%s asks in its second write for the version that its first received "
                             "(If-Match)",
                             s->a);
    }
    if (s->m->pattern == VIOLATION_STALE && is_checked_late(s)) {
        return findings_text(s->f, "%s writes `%s`, with its version, before `%s`", s->a, s->x,
                             s->y);
    }
    return NULL;
}

/* The fix, as far as the trace tells. */
static const char *fix(const struct scene *s, const struct locks_held *h)
{
    const char *a_span = span_text(s, s->first, s->last);
    const char *b_span = span_text(s, b_first(s), b_last(s));
    const char *of_a = lock_over(s, &h->first, &h->last);
    const char *of_b = lock_over(s, &h->b_first, &h->b_last);
    if (of_a != NULL) {
        return findings_text(s->f, "fix: %s%s%s", advise(s, s->b, of_a, b_span),
                             of_b == NULL ? "" : ", or ",
                             of_b == NULL ? "" : advise(s, s->a, of_b, a_span));
    }
    const char *common = common_lock(s, &h->first, &h->last);
    if (common != NULL) {
        const bool has_b = of_b != NULL && strcmp(of_b, common) == 0;
        return findings_text(s->f, "fix: %s keeps `%s`%s%s%s", s->a, common, a_span,
                             has_b ? "" : ", and ", has_b ? "" : advise(s, s->b, common, b_span));
    }
    const char *lock = candidate(s, h);
    const char *locking =
        lock != NULL
            ? findings_text(s->f, "%s, and %s", advise(s, s->a, lock, a_span),
                            advise(s, s->b, lock, b_span))
            : findings_text(s->f, "a lock that %s holds%s and %s%s", s->a, a_span, s->b, b_span);
    const char *version = s->is_resource ? version_fix(s) : NULL;
    return findings_text(s->f, "fix: %s%s%s", version == NULL ? "" : version,
                         version == NULL ? "" : "; or ", locking);
}

/* "main/1 holds `m` at its first access and no lock at its last". */
static const char *holds(const struct scene *s, const char *task, const struct held *first,
                         const struct held *last)
{
    const char *one = lock_list(s, first);
    const char *other = lock_list(s, last);
    if (strcmp(one, other) == 0) {
        return findings_text(s->f, "%s holds %s", task, one);
    }
    return findings_text(s->f, "%s holds %s at its first access and %s at its last", task, one,
                         other);
}

static const char *say_locks(const struct scene *s, const struct locks_held *h)
{
    const char *of_a = holds(s, s->a, &h->first, &h->last);
    const bool is_released =
        lock_over(s, &h->first, &h->last) == NULL && common_lock(s, &h->first, &h->last) != NULL;
    return findings_text(s->f, "locks: %s%s; %s", of_a,
                         is_released ? ", but releases it between its accesses" : "",
                         holds(s, s->b, &h->b_first, &h->b_last));
}

/* Why the finding is only reported where everything is asked for; "" for others. */
static const char *excuse(const struct match *m)
{
    switch (m->settled) {
    case SETTLED_CREATION:
        return "\ncreating or joining a task settles the order of one of the two conflicts";
    case SETTLED_PUBLICATION: return "\none access comes before its task has published the block";
    case SETTLED_FREE: return "\nan access of one task is that of freeing the block";
    case SETTLED_HANDOVER:
        return "\nthe block is handed over between the tasks: what they read under a common lock "
               "orders them";
    case SETTLED_CALLS: return "\nthe accesses of one task are of two complete calls";
    case SETTLED_LOOP: return "\nthe accesses of one task are of two rounds of a loop";
    case SETTLED_ACTIONS:
        return "\nthe accesses of one task are of two updates, each of which is complete";
    case SETTLED_WAIT: return "\na task waits for a condition, and reads again";
    case SETTLED_COMPARED:
        return "\na version that the task has read is compared again before its last access";
    case SETTLED_ASSERTED: return "\nthe last access is read only to assert something";
    case SETTLED_SYNC: return "\nthe accesses are calls with a lock, condition or semaphore";
    case SETTLED_NOT:
    case SETTLED_COUNT: break;
    }
    return m->is_rounds ? "\nthe accesses of one task belong to two operations" : "";
}

static const char *why(const struct scene *s)
{
    struct locks_held h = {.first = held_at(s, s->first),
                           .last = held_at(s, s->last),
                           .b_first = held_at(s, b_first(s)),
                           .b_last = held_at(s, b_last(s))};
    const char *text = findings_text(s->f, "pattern: %s\n%s\n%s%s", violation_name(s->m->pattern),
                                     say_locks(s, &h), fix(s, &h), excuse(s->m));
    struct held *all[] = {&h.first, &h.last, &h.b_first, &h.b_last};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        vec_release(&all[i]->sections);
    }
    return text;
}

/* ---- the finding ---- */

enum finding_kind match_kind(const struct match *m)
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
    if (is_view_serializable(m) || m->is_rounds || m->settled != SETTLED_NOT ||
        m->pattern == VIOLATION_MERGED) {
        return SEVERITY_NOTE;
    }
    return m->pattern == VIOLATION_STALE ? SEVERITY_WARNING : SEVERITY_ERROR;
}

/* "x at a.c:3" for the key: the class of the variable and the place, not the kind of access. */
static const char *key_part(const struct scene *s, const struct step *step)
{
    const struct model *m = s->m->model;
    const struct variables *v = &m->frame->variables;
    const char *place = trace_name(s->t, trace_at(s->t, step->event)->location);
    return findings_text(s->f, "%s%s%s",
                         names_text(&v->classes, v->list.at[m->variables[step->which]].class),
                         place[0] == '\0' ? "" : " at ", place);
}

/* Equal for matches of one pattern whose accesses are on the same lines. */
static const char *key_of(const struct scene *s)
{
    const char *other = key_part(s, s->b_x != NULL ? s->b_x : s->b_y);
    if (s->b_x != NULL && s->b_y != NULL) {
        other = findings_text(s->f, "%s|%s", other, key_part(s, s->b_y));
    }
    return findings_text(s->f, "%s|%s|%s|%s|%s", finding_kind_name(match_kind(s->m)),
                         violation_key(s->m->pattern), key_part(s, s->first), key_part(s, s->last),
                         other);
}

const char *match_key(struct findings *f, const struct match *m)
{
    const struct scene s = scene_of(f, m);
    return key_of(&s);
}

/* Whether the interrupted accesses are made by several calls, or in several rounds of a loop. */
static bool is_of_calls(const struct scene *s)
{
    const struct frame *f = s->m->model->frame;
    const uint32_t first = f->access_of[s->first->event];
    const uint32_t last = f->access_of[s->last->event];
    must(first != ACCESS_NONE);
    must(last != ACCESS_NONE);
    return f->variables.accesses.at[first].scope != f->variables.accesses.at[last].scope;
}

void report_match(struct findings *f, const struct match *m, const struct match_report_options *o)
{
    const struct scene s = scene_of(f, m);
    struct finding_event *events = arena_array(&f->arena, struct finding_event, m->place_count);
    for (uint32_t i = 0; i < m->place_count; i++) {
        events[i] = findings_event(f, s.t, s.steps[i]->event, o->input);
    }
    struct finding finding = {
        .kind = match_kind(m),
        .status = STATUS_PREDICTED,
        .grade = o->grade,
        .severity = severity_of(m),
        .what = say(&s),
        .why = why(&s),
        .key = key_of(&s),
        .events = events,
        .event_count = m->place_count,
        .pair_count = 1,
        .is_of_calls = is_of_calls(&s),
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

/* The title of the region: its name, or the place where it begins. */
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

const char *region_key(struct findings *f, const struct trace *t, const struct region_found *r)
{
    const struct event *begin = trace_at(t, r->begin);
    return findings_text(f, "%s|%s|%s|%s|%s", finding_kind_name(FINDING_ATOMICITY_REGION),
                         trace_name(t, begin->object), trace_name(t, begin->location),
                         act(f, t, r->event), act(f, t, r->other));
}

void report_region(struct findings *f, const struct trace *t, const struct region_found *r,
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
                        .key = region_key(f, t, r),
                        .events = events,
                        .event_count = 3,
                        .pair_count = 1,
                    });
}
