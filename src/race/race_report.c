#include "race/race_report.h"

#include <string.h>

#include "base/out.h"
#include "race/access_classes.h"
#include "race/allocation_class.h"
#include "race/lockset.h"
#include "race/use_after_free.h"
#include "wire/kind.h"

struct teller {
    const struct race_groups *y;
    const struct hb *hb;
    struct held held;
    struct findings *f;
    struct out text; /* being written */
};

/* ---- words ---- */

static const char *task_name(const struct teller *w, event_id id)
{
    const struct trace *t = w->y->t;
    const struct task *task = &t->tables.tasks.at[trace_at(t, id)->task];
    const char *node = trace_name(t, task->node);
    return findings_text(w->f, "%s%s%s", trace_name(t, task->name), node[0] == '\0' ? "" : "@",
                         node);
}

static const char *location_of(const struct teller *w, event_id id)
{
    const char *location = trace_name(w->y->t, trace_at(w->y->t, id)->location);
    return location[0] == '\0' ? "?" : location;
}

/* " at a.c:3", or nothing where no place is known. */
static const char *at_place(const struct teller *w, event_id id)
{
    const uint32_t location = trace_at(w->y->t, id)->location;
    return location == 0 ? "" : findings_text(w->f, " at %s", trace_name(w->y->t, location));
}

static const char *variable_of(const struct teller *w, event_id id)
{
    return trace_name(w->y->t, trace_at(w->y->t, id)->object);
}

/* A descriptor is not read and written but used and closed; memory that goes is freed. */
static const char *verb_of(const struct teller *w, event_id id)
{
    const uint16_t kind = trace_at(w->y->t, id)->kind;
    if (strncmp(variable_of(w, id), "descriptor:", strlen("descriptor:")) == 0) {
        return kind == EVENT_WRITE ? "closed" : "used";
    }
    return use_free_of(w->hb, id) != EVENT_NONE ? "freed" : access_verb(kind);
}

/* " read", or nothing when the first access was that too. */
static const char *second_verb(const struct teller *w, const struct race_pair *p)
{
    const bool is_same = verb_of(w, p->first) == verb_of(w, p->second);
    return is_same ? "" : findings_text(w->f, " %s", verb_of(w, p->second));
}

/* ---- the sentence ---- */

/* The free that an access of the pair belongs to. */
static event_id free_in(const struct teller *w, const struct race_pair *p)
{
    const event_id free = use_free_of(w->hb, p->first);
    return free != EVENT_NONE ? free : use_free_of(w->hb, p->second);
}

static const char *say_use(const struct teller *w, const struct race_pair *p)
{
    const event_id access = use_free_of(w->hb, p->first) != EVENT_NONE ? p->second : p->first;
    const event_id free = free_in(w, p);
    const char *name = variable_of(w, free);
    return findings_text(w->f,
                         "%s, allocated at %.*s, is %s%s by %s and freed%s by %s, and either may "
                         "come first",
                         variable_of(w, access), (int)alike_size(name, strlen(name)), name,
                         verb_of(w, access), at_place(w, access), task_name(w, access),
                         at_place(w, free), task_name(w, free));
}

static const char *say_data(const struct teller *w, const struct race_pair *p)
{
    return findings_text(w->f, "%s is %s%s by %s and%s%s by %s, and either may come first",
                         variable_of(w, p->first), verb_of(w, p->first), at_place(w, p->first),
                         task_name(w, p->first), second_verb(w, p), at_place(w, p->second),
                         task_name(w, p->second));
}

/* The receiver of both messages: the task, or two tasks at one address. */
static const char *receiver_name(const struct teller *w, const struct race_pair *p)
{
    const struct event *first = trace_at(w->y->t, p->first);
    const struct event *second = trace_at(w->y->t, p->second);
    if (first->task == second->task) {
        return task_name(w, p->first);
    }
    return findings_text(w->f, "one address, received by %s and %s", task_name(w, p->first),
                         task_name(w, p->second));
}

static const char *say_conflict(const struct teller *w, const struct race_pair *p)
{
    return findings_text(w->f,
                         "%s is %s%s and%s%s by the handlers of two messages to %s, and either "
                         "message may be received first",
                         variable_of(w, p->first), verb_of(w, p->first), at_place(w, p->first),
                         second_verb(w, p), at_place(w, p->second), receiver_name(w, p));
}

static const char *say_messages(const struct teller *w, const struct race_pair *p)
{
    return findings_text(w->f,
                         "the message sent%s by %s may be there before the one that %s receives%s",
                         at_place(w, p->send), task_name(w, p->send), task_name(w, p->receive),
                         at_place(w, p->receive));
}

/* ---- the argument ---- */

/* Speaks of events by their place in the finding, not by number: numbers in a joined trace are not
 * those of its inputs. */
static void say_locks_of(struct teller *w, event_id id, const char *which)
{
    const uint32_t set = w->held.set_of[id];
    out_format(&w->text, "the %s holds ", which);
    if (set == 0) {
        out_text(&w->text, "no lock");
    }
    for (uint32_t i = w->held.first[set]; set != 0 && i < w->held.first[set + 1]; i++) {
        const struct section *s = &w->hb->sections.list[w->held.sections[i]];
        out_text(&w->text, i == w->held.first[set] ? "" : ", ");
        out_text(&w->text, trace_name(w->y->t, w->hb->sections.locks[s->lock].name));
        out_text(&w->text, s->is_shared ? " (shared)" : "");
    }
}

static bool hold_nothing(const struct teller *w, const struct race_pair *p)
{
    return w->held.set_of[p->first] == 0 && w->held.set_of[p->second] == 0;
}

/* Explains which order is missing between the two accesses. */
static void argue_data(struct teller *w, const struct race_pair *p)
{
    out_text(&w->text, "nothing orders the first before the second, nor the reverse: no message, "
                       "creation, join or wait leads from one to the other");
    if (hold_nothing(w, p)) {
        out_text(&w->text, ", and neither holds a lock");
    } else {
        out_text(&w->text, "\nno lock keeps them apart: ");
        say_locks_of(w, p->first, "first");
        out_text(&w->text, "; ");
        say_locks_of(w, p->second, "second");
    }
}

static void argue_messages(struct teller *w, const struct race_pair *p)
{
    out_text(&w->text, "the send of the message received later does not have to come after the "
                       "receive of the other: that message may be there first");
    if (p->first != EVENT_NONE) {
        out_text(&w->text, "\nthe handlers then run the other way round, and with them the two "
                           "accesses");
    }
}

/* Why it is no more than possible. */
static void argue_grade(struct teller *w, const struct race_group *group)
{
    if (group->grade == GRADE_OBSERVED) {
        out_text(&w->text, "\nno run that brings them side by side was found, but this run itself "
                           "leaves them unordered, which is a data race as C11 defines it");
    }
    if (group->grade == GRADE_MAY) {
        out_text(&w->text, group->is_infeasible
                               ? "\nno run in which every read sees the write that it saw shows "
                                 "this: with other values the program may not get here"
                               : "\nno run that shows this was found");
    }
}

static const char *argue(struct teller *w, const struct race_group *group)
{
    if (group->pair.send != EVENT_NONE) {
        argue_messages(w, &group->pair);
    } else {
        argue_data(w, &group->pair);
    }
    argue_grade(w, group);
    return findings_text(w->f, "%.*s", (int)w->text.used, w->text.buffer);
}

/* ---- findings ---- */

static const char *key_of(const struct teller *w, const struct race_pair *p, enum finding_kind kind)
{
    const bool has_accesses = p->first != EVENT_NONE;
    const char *a = location_of(w, has_accesses ? p->first : p->send);
    const char *b = location_of(w, has_accesses ? p->second : p->receive);
    const bool is_sorted = strcmp(a, b) <= 0;
    const char *variable = has_accesses ? variable_of(w, p->first) : "";
    return findings_text(w->f, "%s|%s|%s%s%.*s", finding_kind_name(kind), is_sorted ? a : b,
                         is_sorted ? b : a, has_accesses ? "|" : "",
                         (int)alike_size(variable, strlen(variable)), variable);
}

static void list_events(const struct teller *w, const struct race_pair *p, struct finding *finding)
{
    const event_id ids[] = {p->send, p->receive, p->first, p->second};
    struct finding_event *events = arena_array(&w->f->arena, struct finding_event, 4);
    for (size_t i = 0; i < 4; i++) {
        if (ids[i] != EVENT_NONE) {
            events[finding->event_count++] = findings_event(w->f, w->y->t, ids[i], w->y->o->input);
        }
    }
    finding->events = events;
}

/* If every pair of places is decided, those that are not shown have their result as status. */
static enum finding_status status_of(const struct teller *w, const struct race_group *group)
{
    const bool is_decided = w->y->stats->has_decided_places && group->grade == GRADE_MAY;
    return !is_decided ? STATUS_PREDICTED : group->is_infeasible ? STATUS_REFUTED : STATUS_UNKNOWN;
}

static void tell(struct teller *w, const struct race_group *group)
{
    const struct race_pair *p = &group->pair;
    const bool is_message = p->send != EVENT_NONE;
    struct finding finding = {
        .kind = is_message      ? FINDING_MESSAGE_RACE
                : group->is_use ? FINDING_USE_AFTER_FREE
                                : FINDING_DATA_RACE,
        .status = status_of(w, group),
        .grade = group->grade,
        .severity = p->first == EVENT_NONE ? SEVERITY_WARNING : SEVERITY_ERROR,
        .pair_count = group->pair_count,
    };
    out_open_memory(&w->text);
    finding.what = group->is_use            ? say_use(w, p)
                   : !is_message            ? say_data(w, p)
                   : p->first != EVENT_NONE ? say_conflict(w, p)
                                            : say_messages(w, p);
    finding.why = argue(w, group);
    finding.key = key_of(w, p, finding.kind);
    list_events(w, p, &finding);
    if (group->witness != NULL) {
        uint64_t *witness = arena_array(&w->f->arena, uint64_t, group->witness_count);
        memcpy(witness, group->witness, group->witness_count * sizeof *witness);
        finding.witness = witness;
        finding.witness_count = group->witness_count;
    }
    findings_add(w->f, &finding);
    out_abandon(&w->text);
}

void tell_findings(struct race_groups *y, const struct hb *hb, struct findings *f)
{
    struct arena arena = {0};
    struct teller w = {.y = y, .hb = hb, .f = f};
    race_groups_sort(y);
    if (y->groups.count > 0 && !y->o->counts_only) {
        held_build(&w.held, hb, HELD_ALL, &arena);
        for (size_t i = 0; i < y->groups.count; i++) {
            if (y->o->find_max == 0 || i < y->o->find_max) {
                tell(&w, &y->groups.at[i]);
            }
        }
    }
    arena_release(&arena);
}
