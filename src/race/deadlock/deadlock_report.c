/* Deadlocks in words. */
#include <string.h>

#include "base/out.h"
#include "race/deadlock/deadlock.h"
#include "race/deadlock/deadlock_prefix.h"
#include "wire/must.h"

struct report {
    const struct trace *t;
    const struct lock_cycles *c;
    const struct deadlock *d;
    struct findings *f;
    struct out text; /* being written */
};

/* ---- words ---- */

static void say_task(struct report *r, uint32_t task)
{
    const struct task *row = &r->t->tables.tasks.at[task];
    const char *node = trace_name(r->t, row->node);
    out_text(&r->text, trace_name(r->t, row->name));
    out_text(&r->text, node[0] == '\0' ? "" : "@");
    out_text(&r->text, node);
}

static void say_lock(struct report *r, uint32_t lock, bool is_shared)
{
    const char *name = trace_name(r->t, r->c->graph->all->locks[lock].name);
    out_text(&r->text, name[0] == '\0' ? "a lock without a name" : name);
    out_text(&r->text, is_shared ? " (shared)" : "");
}

/* " at a.c:3", or nothing where no place is known. */
static void say_place(struct report *r, event_id id)
{
    const uint32_t location = trace_at(r->t, id)->location;
    if (location != 0) {
        out_format(&r->text, " at %s", trace_name(r->t, location));
    }
}

static const char *written(struct report *r)
{
    const char *text = findings_text(r->f, "%.*s", (int)r->text.used, r->text.buffer);
    out_abandon(&r->text);
    return text;
}

static const struct lock_request *request_at(const struct report *r, uint32_t index)
{
    const struct lock_member *m = &r->c->members.at[r->d->cycle.first + index];
    return &r->c->graph->requests.at[m->request];
}

/* ---- the sentence ---- */

/* "A holds m (taken at x.c:10) and asks for n at x.c:11" */
static void say_member(struct report *r, uint32_t index)
{
    const struct section *hold = deadlock_hold(r->c, &r->d->cycle, index);
    const struct lock_request *request = request_at(r, index);
    say_task(r, request->task);
    out_text(&r->text, " holds ");
    say_lock(r, hold->lock, hold->is_shared);
    if (trace_at(r->t, hold->begin)->location != 0) {
        out_text(&r->text, " (taken");
        say_place(r, hold->begin);
        out_char(&r->text, ')');
    }
    out_text(&r->text, " and asks for ");
    say_lock(r, request->lock, request->is_shared);
    say_place(r, lock_cycle_event(r->c, &r->d->cycle, index));
}

static const char *say(struct report *r)
{
    out_open_memory(&r->text);
    for (uint32_t i = 0; i < r->d->cycle.count; i++) {
        out_text(&r->text, i == 0                       ? ""
                           : i == 1                     ? ", while "
                           : i + 1 == r->d->cycle.count ? " and "
                                                        : ", ");
        say_member(r, i);
    }
    out_format(&r->text, ": each may wait for the %s for ever",
               r->d->cycle.count == 2 ? "other" : "next");
    return written(r);
}

/* ---- the chains ---- */

/* The sections that the task has open at its request, in the order they were taken. */
static void say_held(struct report *r, uint32_t index)
{
    const struct sections *s = r->c->graph->all;
    const event_id request = lock_cycle_event(r->c, &r->d->cycle, index);
    const uint32_t task = request_at(r, index)->task;
    bool is_first = true;
    for (uint32_t i = 0; i < s->count && s->list[i].begin < request; i++) {
        if (s->list[i].task == task && s->list[i].end >= request) {
            out_text(&r->text, is_first ? " takes " : ", ");
            say_lock(r, s->list[i].lock, s->list[i].is_shared);
            say_place(r, s->list[i].begin);
            is_first = false;
        }
    }
}

static const char *argue(struct report *r)
{
    const struct lock_cycle *cycle = &r->d->cycle;
    out_open_memory(&r->text);
    for (uint32_t i = 0; i < cycle->count; i++) {
        const struct lock_request *request = request_at(r, i);
        say_task(r, request->task);
        out_char(&r->text, ':');
        say_held(r, i);
        out_text(&r->text, ", then asks for ");
        say_lock(r, request->lock, request->is_shared);
        say_place(r, lock_cycle_event(r->c, cycle, i));
        out_text(&r->text, ", which ");
        say_task(r, request_at(r, (i + 1) % cycle->count)->task);
        out_text(&r->text, " holds\n");
    }
    out_text(&r->text, "no two of them hold a common lock (gate) there, and no creation, join or "
                       "message orders one of the requests before another");
    if (r->d->grade == GRADE_MAY) {
        out_text(&r->text, r->d->is_infeasible
                               ? "\nno run in which every read sees the write that it saw reaches "
                                 "this: with other values the program may not get here"
                               : "\nno run that reaches this was found");
    }
    return written(r);
}

/* ---- the finding ---- */

static const char *location_of(const struct report *r, event_id id)
{
    const char *location = trace_name(r->t, trace_at(r->t, id)->location);
    return location[0] == '\0' ? "?" : location;
}

/* The places of one member: where its lock was taken, where it asks for the next. */
static const char *key_of_member(struct report *r, uint32_t index)
{
    const struct lock_cycle *cycle = &r->d->cycle;
    const event_id request = lock_cycle_event(r->c, cycle, index % cycle->count);
    const event_id taken = deadlock_hold(r->c, cycle, index % cycle->count)->begin;
    const char *lock =
        trace_name(r->t, r->c->graph->all->locks[request_at(r, index % cycle->count)->lock].name);
    const bool is_placed =
        trace_at(r->t, request)->location != 0 && trace_at(r->t, taken)->location != 0;
    return findings_text(r->f, "%s>%s%s%s", location_of(r, taken), location_of(r, request),
                         is_placed ? "" : ">", is_placed ? "" : lock);
}

/* The members in the order that is least by text, so that the key does not depend on the run. */
static const char *key_of(struct report *r)
{
    const uint32_t count = r->d->cycle.count;
    const char **keys = arena_array(&r->f->arena, const char *, count);
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = key_of_member(r, i);
    }
    uint32_t least = 0;
    for (uint32_t begin = 1; begin < count; begin++) {
        int order = 0;
        for (uint32_t i = 0; i < count && order == 0; i++) {
            order = strcmp(keys[(least + i) % count], keys[(begin + i) % count]);
        }
        least = order > 0 ? begin : least;
    }
    uint32_t period = 1; /* several rounds of the same places are one */
    for (; period < count; period++) {
        bool repeats = count % period == 0;
        for (uint32_t i = 0; i < count && repeats; i++) {
            repeats = strcmp(keys[i], keys[(i + period) % count]) == 0;
        }
        if (repeats) {
            break;
        }
    }
    out_open_memory(&r->text);
    out_text(&r->text, finding_kind_name(FINDING_DEADLOCK));
    for (uint32_t i = 0; i < period; i++) {
        out_char(&r->text, '|');
        out_text(&r->text, keys[(least + i) % count]);
    }
    return written(r);
}

void deadlock_report(const struct race_groups *y, const struct lock_cycles *c,
                     const struct deadlock *d, struct findings *f)
{
    struct report r = {.t = y->t, .c = c, .d = d, .f = f};
    struct finding finding = {
        .kind = FINDING_DEADLOCK,
        .status = STATUS_PREDICTED,
        .grade = d->grade,
        .severity = SEVERITY_ERROR,
        .pair_count = d->cycle_count,
    };
    must(d->cycle.count >= 2);
    finding.what = say(&r);
    finding.why = argue(&r);
    finding.key = key_of(&r);
    struct finding_event *events =
        arena_array(&f->arena, struct finding_event, 2 * (size_t)d->cycle.count);
    for (uint32_t i = 0; i < d->cycle.count; i++) {
        const event_id taken = deadlock_hold(c, &d->cycle, i)->begin;
        const event_id asked = lock_cycle_event(c, &d->cycle, i);
        events[finding.event_count++] = findings_event(f, y->t, taken, y->o->input);
        events[finding.event_count++] = findings_event(f, y->t, asked, y->o->input);
    }
    finding.events = events;
    if (d->witness != NULL) {
        uint64_t *witness = arena_array(&f->arena, uint64_t, d->witness_count);
        memcpy(witness, d->witness, d->witness_count * sizeof *witness);
        finding.witness = witness;
        finding.witness_count = d->witness_count;
    }
    findings_add(f, &finding);
}
