#include "trace/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "trace/check_state.h"
#include "trace/kind_table.h"

static const struct {
    const char *name;
    const char *meaning;
    enum finding_severity severity;
} rules[CHECK_RULE_COUNT] = {
#define RULE(id, name, severity, meaning) {name, meaning, SEVERITY_##severity},
    CHECK_RULE_LIST(RULE)
#undef RULE
};

const char *check_rule_name(enum check_rule rule)
{
    must(rule < CHECK_RULE_COUNT);
    return rules[rule].name;
}

const char *check_rule_meaning(enum check_rule rule)
{
    must(rule < CHECK_RULE_COUNT);
    return rules[rule].meaning;
}

enum finding_severity check_rule_severity(enum check_rule rule)
{
    must(rule < CHECK_RULE_COUNT);
    return rules[rule].severity;
}

struct check *check_new(const struct tables *tables, const struct check_options *options,
                        struct findings *findings)
{
    struct check *c = mem_zero(1, sizeof *c);
    c->tables = tables;
    c->options = *options;
    c->findings = findings;
    c->message_free = UINT32_MAX;
    return c;
}

void check_free(struct check *c)
{
    if (c == NULL) {
        return;
    }
    vec_release(&c->given);
    vec_release(&c->tasks);
    map_release(&c->lock_of);
    map_release(&c->holding_of);
    vec_release(&c->locks);
    vec_release(&c->holdings);
    vec_release(&c->message_of);
    map_release(&c->shape_of);
    vec_release(&c->messages);
    map_release(&c->stream_of);
    vec_release(&c->streams);
    map_release(&c->channel_ends);
    mem_free(c);
}

const struct check_counts *check_counts(const struct check *c)
{
    return &c->counts;
}

/* The number of bytes of the text to keep: at most `room`, and no UTF-8 character is split. */
static size_t cut_size(const char *text, size_t size, size_t room)
{
    if (size <= room) {
        return size;
    }
    size_t kept = room;
    while (kept > 0 && ((unsigned char)text[kept] & 0xc0) == 0x80) {
        kept--;
    }
    return kept;
}

struct name_text check_name_text(const struct check *c, uint32_t name)
{
    const char *text = names_text(&c->tables->names, name);
    const size_t size = names_size(&c->tables->names, name);
    struct name_text shown;
    const size_t room = sizeof shown.text - sizeof "...";
    (void)snprintf(shown.text, sizeof shown.text, "%.*s%s", (int)cut_size(text, size, room), text,
                   size > room ? "..." : "");
    return shown;
}

struct task_text check_task_text(const struct check *c, uint32_t task)
{
    const struct task *t = &c->tables->tasks.at[task];
    const struct name_text name = check_name_text(c, t->name);
    const struct name_text node = check_name_text(c, t->node);
    struct task_text shown;
    (void)snprintf(shown.text, sizeof shown.text, "%s%s%s", name.text, t->node == 0 ? "" : "@",
                   node.text);
    return shown;
}

/* A finding is self-contained, but must not have a mebibyte for each of its names. */
enum { NAME_SIZE_MAX = 1000 };

static const char *copied(struct check *c, uint32_t name)
{
    const char *text = names_text(&c->tables->names, name);
    const size_t size = names_size(&c->tables->names, name);
    return arena_text(&c->findings->arena, text, cut_size(text, size, NAME_SIZE_MAX));
}

static struct finding_event described(struct check *c, const struct place *p)
{
    const struct task *task = &c->tables->tasks.at[p->task];
    return (struct finding_event){
        .input = p->input,
        .index = p->index,
        .offset = p->offset,
        .node = copied(c, task->node),
        .task = copied(c, task->name),
        .access = p->kind == EVENT_READ    ? "R"
                  : p->kind == EVENT_WRITE ? "W"
                                           : kind_of(p->kind)->name,
        .object = copied(c, p->object),
        .location = copied(c, p->location),
    };
}

static void describe(struct check *c, const struct check_report *report, const char *what)
{
    const struct place *at = report->at;
    const uint32_t about = report->about_next == 0 ? at->task : report->about_next - 1;
    const bool has_other = report->other != NULL && report->other->kind != 0;
    struct finding_event *events =
        arena_array(&c->findings->arena, struct finding_event, has_other ? 2 : 1);
    events[0] = described(c, at);
    if (has_other) {
        events[1] = described(c, report->other);
    }
    const bool is_error = rules[report->rule].severity == SEVERITY_ERROR;
    findings_add(c->findings,
                 &(struct finding){
                     .kind = is_error ? FINDING_MALFORMED : FINDING_UNFINISHED,
                     .status = STATUS_CONFIRMED,
                     .grade = GRADE_SOUND,
                     .severity = rules[report->rule].severity,
                     .what = what,
                     .why = "",
                     .key = findings_text(c->findings, "%s:%s:%s:%s", rules[report->rule].name,
                                          check_task_text(c, about).text,
                                          check_name_text(c, at->object).text,
                                          check_name_text(c, at->location).text),
                     .events = events,
                     .event_count = has_other ? 2 : 1,
                     .pair_count = 1,
                 });
}

void check_tell(struct check *c, const struct check_report *report, const char *format, ...)
{
    const bool is_error = rules[report->rule].severity == SEVERITY_ERROR;
    uint64_t *count = is_error ? &c->counts.errors : &c->counts.warnings;
    c->counts.by_rule[report->rule]++;
    (*count)++;
    if (*count > c->options.findings_max) {
        return;
    }
    char what[600];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    describe(c, report, arena_text(&c->findings->arena, what, strlen(what)));
}

bool check_is_ordered(const struct check *c, uint32_t task, uint32_t other)
{
    return c->tables->order != ORDER_NODE ||
           c->tables->tasks.at[task].node == c->tables->tasks.at[other].node;
}

static void check_time(struct check *c, struct task_state *t, const struct event *e,
                       const struct place *at)
{
    if ((e->has & HAS_TIME) != 0 && e->time == 0) {
        c->time_zero = c->time_zero_count == 0 ? *at : c->time_zero;
        c->time_zero_count++;
    } else if ((e->has & HAS_TIME) != 0) {
        c->has_real_time = true;
        if (t->time != 0 && e->time < t->time) {
            check_tell(c, &(struct check_report){CHECK_TIME_BACKWARDS, at, NULL, 0},
                       "time runs backwards in %s: %lld after %lld",
                       check_task_text(c, e->task).text, (long long)e->time, (long long)t->time);
        }
        t->time = e->time;
    }
    if ((e->has & HAS_HLC) != 0) {
        const bool is_before = e->hlc_time < t->hlc_time ||
                               (e->hlc_time == t->hlc_time && e->hlc_count < t->hlc_count);
        if (t->has_hlc && is_before) {
            check_tell(c, &(struct check_report){CHECK_CLOCK_BACKWARDS, at, NULL, 0},
                       "the hybrid logical clock of %s runs backwards: %lld,%u after %lld,%u",
                       check_task_text(c, e->task).text, (long long)e->hlc_time, e->hlc_count,
                       (long long)t->hlc_time, t->hlc_count);
        }
        t->hlc_time = e->hlc_time;
        t->hlc_count = e->hlc_count;
        t->has_hlc = true;
    }
    if ((e->kind == EVENT_SLEEP || e->kind == EVENT_TIMER_SET) && (e->has & HAS_VALUE) != 0 &&
        e->value < 0) {
        check_tell(c, &(struct check_report){CHECK_NEGATIVE_DELAY, at, NULL, 0},
                   "%s asks for a delay of %lld", check_task_text(c, e->task).text,
                   (long long)e->value);
    }
}

/* Reports the locks and handlers that a task leaves open when it or its recording ends. */
static void close_task(struct check *c, uint32_t task)
{
    struct task_state *t = &c->tasks.at[task];
    if (t->wait.kind != 0) {
        check_tell(c, &(struct check_report){CHECK_WAIT_UNENDED, &t->wait, NULL, 0},
                   "%s waits for %s, and the wait has no end", check_task_text(c, task).text,
                   check_name_text(c, t->wait.object).text);
    }
    if (t->region_depth > 0) {
        check_tell(c, &(struct check_report){CHECK_REGION_UNENDED, &t->region, NULL, 0},
                   "%s begins an atomic region that has no end", check_task_text(c, task).text);
    }
    if (t->handler_depth > 0) {
        check_tell(c, &(struct check_report){CHECK_HANDLER_UNENDED, &t->handler, NULL, 0},
                   "%s begins a handler that has no end", check_task_text(c, task).text);
    }
    check_lock_release_all(c, task);
    t = &c->tasks.at[task];
    t->wait = (struct place){0};
    t->region_depth = t->handler_depth = t->barrier_depth = 0;
}

static void start_task(struct check *c, struct task_state *t, const struct place *at)
{
    const struct task_text who = check_task_text(c, at->task);
    if (t->joined.kind != 0) {
        check_tell(c, &(struct check_report){CHECK_AFTER_JOIN, at, &t->joined, 0},
                   "%s starts after %s has waited for its end", who.text,
                   check_task_text(c, t->joined.task).text);
        t->joined = (struct place){0};
    }
    /* The first thread of a process may start twice: as a process, then as a thread. */
    const bool is_first_thread =
        t->life.kind == EVENT_PROCESS_START && at->kind == EVENT_THREAD_START;
    if (t->phase == PHASE_RUNNING && t->is_started && !is_first_thread) {
        check_tell(c, &(struct check_report){CHECK_START_TWICE, at, &t->life, 0},
                   "%s starts although it already runs", who.text);
    } else if (t->phase == PHASE_RUNNING && kind_of(t->first.kind)->class != CLASS_PROCESS) {
        check_tell(c, &(struct check_report){CHECK_BEFORE_START, &t->first, at, 0},
                   "%s acts before its start", who.text);
    }
    t->phase = PHASE_RUNNING;
    t->is_started = true;
    t->life = *at;
    t->first = *at;
}

static void end_task(struct check *c, const struct place *at)
{
    close_task(c, at->task);
    struct task_state *t = &c->tasks.at[at->task];
    t->phase = PHASE_ENDED;
    t->is_started = t->is_created = false;
    t->life = *at;
}

/* Any event implies that its task runs. */
static void run_task(struct check *c, struct task_state *t, const struct place *at)
{
    const enum event_class class = kind_of(at->kind)->class;
    if (t->phase == PHASE_ENDED && (class == CLASS_PROCESS || class == CLASS_CONTROL)) {
        return; /* a process outlives its first thread, and events on it outlive both */
    }
    if (t->phase == PHASE_ENDED) {
        check_tell(c, &(struct check_report){CHECK_AFTER_END, at, &t->life, 0},
                   "%s acts after its end", check_task_text(c, at->task).text);
    }
    if (t->joined.kind != 0) {
        check_tell(c, &(struct check_report){CHECK_AFTER_JOIN, at, &t->joined, 0},
                   "%s acts after %s has waited for its end", check_task_text(c, at->task).text,
                   check_task_text(c, t->joined.task).text);
        t->joined = (struct place){0};
    }
    if (t->phase != PHASE_RUNNING) {
        t->phase = PHASE_RUNNING;
        t->first = *at;
    }
}

static void create_task(struct check *c, uint32_t child, const struct place *at)
{
    if (child == at->task) {
        check_tell(c, &(struct check_report){CHECK_OWN_PARENT, at, NULL, 0}, "%s creates itself",
                   check_task_text(c, child).text);
        return;
    }
    struct task_state *t = &c->tasks.at[child];
    if (!check_is_ordered(c, child, at->task)) {
        return;
    }
    if (t->phase == PHASE_RUNNING && t->is_created) {
        /* The name is reused: its first bearer has ended unseen. */
        check_tell(c, &(struct check_report){CHECK_NOT_ENDED, &t->life, at, child + 1},
                   "%s has no end before it is created again", check_task_text(c, child).text);
        close_task(c, child);
        t = &c->tasks.at[child];
    } else if (t->phase == PHASE_RUNNING) {
        check_tell(c, &(struct check_report){CHECK_BEFORE_CREATE, &t->first, at, 0},
                   "%s acts before %s creates it", check_task_text(c, child).text,
                   check_task_text(c, at->task).text);
        t->is_created = true;
        return;
    }
    t->phase = PHASE_UNSEEN;
    t->is_created = true;
    t->is_started = false;
    t->joined = (struct place){0};
    t->life = *at;
}

static void join_task(struct check *c, uint32_t child, const struct place *at)
{
    if (child == at->task) {
        check_tell(c, &(struct check_report){CHECK_OWN_PARENT, at, NULL, 0},
                   "%s waits for its own end", check_task_text(c, child).text);
        return;
    }
    struct task_state *t = &c->tasks.at[child];
    if (t->phase != PHASE_ENDED && check_is_ordered(c, child, at->task)) {
        t->joined = *at;
    }
}

/* Beginnings and ends within a task. */
static void check_nesting(struct check *c, struct task_state *t, const struct place *at)
{
    switch (at->kind) {
    case EVENT_HANDLER_BEGIN:
        if (t->handler_depth++ == 0) {
            t->handler = *at;
        } else {
            check_tell(c, &(struct check_report){CHECK_HANDLER_NESTED, at, &t->handler, 0},
                       "%s begins a handler inside another", check_task_text(c, at->task).text);
        }
        break;
    case EVENT_HANDLER_END:
        if (t->handler_depth > 0) {
            t->handler_depth--;
        } else {
            check_tell(c, &(struct check_report){CHECK_HANDLER_UNBEGUN, at, NULL, 0},
                       "%s ends a handler that has not begun", check_task_text(c, at->task).text);
        }
        break;
    case EVENT_ATOMIC_BEGIN: t->region = t->region_depth++ == 0 ? *at : t->region; break;
    case EVENT_ATOMIC_END:
        if (t->region_depth > 0) {
            t->region_depth--;
        } else {
            check_tell(c, &(struct check_report){CHECK_REGION_UNBEGUN, at, NULL, 0},
                       "%s ends an atomic region that has not begun",
                       check_task_text(c, at->task).text);
        }
        break;
    case EVENT_BARRIER_ENTER: t->barrier_depth++; break;
    case EVENT_BARRIER_EXIT:
        if (t->barrier_depth > 0) {
            t->barrier_depth--;
        } else {
            check_tell(c, &(struct check_report){CHECK_BARRIER_UNENTERED, at, NULL, 0},
                       "%s leaves %s without having entered it", check_task_text(c, at->task).text,
                       check_name_text(c, at->object).text);
        }
        break;
    default: break;
    }
}

static void check_life(struct check *c, const struct event *e, const struct place *at)
{
    struct task_state *t = &c->tasks.at[e->task];
    if (e->kind == EVENT_THREAD_START || e->kind == EVENT_PROCESS_START) {
        start_task(c, t, at);
    } else {
        run_task(c, t, at);
    }
    const bool has_peer = (e->has & HAS_PEER) != 0;
    if (has_peer && (e->kind == EVENT_THREAD_CREATE || e->kind == EVENT_PROCESS_FORK)) {
        create_task(c, e->peer, at);
    } else if (has_peer && e->kind == EVENT_THREAD_JOIN) {
        join_task(c, e->peer, at);
    } else if (e->kind == EVENT_THREAD_END || e->kind == EVENT_PROCESS_EXIT ||
               e->kind == EVENT_PROCESS_CRASH) {
        end_task(c, at);
    }
}

static void know_tasks(struct check *c, size_t count)
{
    vec_reserve(&c->tasks, count);
    while (c->tasks.count < count) {
        vec_push(&c->tasks, (struct task_state){.held_first = HOLDING_NONE});
    }
}

void check_events(struct check *c, const struct batch *b)
{
    know_tasks(c, c->tables->tasks.count);
    while (c->given.count <= b->input) {
        vec_push(&c->given, 0);
    }
    for (size_t i = 0; i < b->count; i++) {
        const struct event *e = &b->events[i];
        must(e->task < c->tasks.count);
        const struct place at = {
            .index = c->given.at[b->input]++,
            .input = (uint32_t)b->input,
            .offset = b->offsets == NULL ? UINT64_MAX : b->offsets[i],
            .task = e->task,
            .object = e->object,
            .location = e->location,
            .kind = e->kind,
        };
        c->counts.events++;
        check_time(c, &c->tasks.at[e->task], e, &at);
        if (c->tasks.at[e->task].has_overlap) {
            check_lock_overlaps(c, e);
        }
        check_life(c, e, &at);
        check_nesting(c, &c->tasks.at[e->task], &at);
        check_lock_event(c, e, &at);
        check_message_event(c, e, &at);
    }
}

static void end_life(struct check *c, uint32_t task)
{
    const struct task_state *t = &c->tasks.at[task];
    if (t->phase == PHASE_RUNNING && t->joined.kind == 0 && (t->is_started || t->is_created)) {
        check_tell(c, &(struct check_report){CHECK_NOT_ENDED, &t->life, NULL, task + 1},
                   "%s has no end", check_task_text(c, task).text);
    } else if (t->phase == PHASE_UNSEEN && t->is_created) {
        check_tell(c, &(struct check_report){CHECK_NOT_STARTED, &t->life, NULL, task + 1},
                   "%s is created, and nothing of it is recorded", check_task_text(c, task).text);
    }
}

void check_end(struct check *c)
{
    know_tasks(c, c->tables->tasks.count);
    check_message_end(c);
    for (uint32_t task = 0; task < c->tasks.count; task++) {
        close_task(c, task);
        end_life(c, task);
    }
    if (c->time_zero_count > 0 && c->has_real_time) {
        check_tell(c, &(struct check_report){CHECK_TIME_ZERO, &c->time_zero, NULL, 0},
                   "%llu events have the time 0 among real ones; it is taken as not known",
                   (unsigned long long)c->time_zero_count);
    }
}
