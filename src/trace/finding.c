#include "trace/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "trace/kind_table.h"

void findings_release(struct findings *f)
{
    arena_release(&f->arena);
    vec_release(&f->list);
}

void findings_add(struct findings *f, const struct finding *finding)
{
    must(finding->what != NULL);
    must(finding->key != NULL);
    must(finding->pair_count > 0);
    vec_push(&f->list, *finding);
}

const char *findings_text(struct findings *f, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    must(size >= 0);
    char *text = arena_take(&f->arena, (size_t)size + 1, 1);
    va_start(arguments, format);
    (void)vsnprintf(text, (size_t)size + 1, format, arguments);
    va_end(arguments);
    return text;
}

static const char *copied(struct findings *f, const struct trace *t, uint32_t name)
{
    return arena_text(&f->arena, trace_name(t, name), names_size(&t->tables.names, name));
}

/* The subject of the event: its object or, where it has none, the other task. */
static const char *object_of(struct findings *f, const struct trace *t, const struct event *e)
{
    if (e->object != 0 || (e->has & HAS_PEER) == 0) {
        return copied(f, t, e->object);
    }
    const struct task *peer = &t->tables.tasks.at[e->peer];
    const char *name = trace_name(t, peer->name);
    const char *node = trace_name(t, peer->node);
    const size_t size = strlen(name) + strlen(node) + sizeof "@";
    char *text = arena_take(&f->arena, size, 1);
    (void)snprintf(text, size, "%s%s%s", name, node[0] == '\0' ? "" : "@", node);
    return text;
}

/* In executed traces the text of an access or a lock is its call stack; elsewhere that of an access
 * is a resource's version. */
static bool has_stack(const struct trace *t, const struct event *e)
{
    return e->text != 0 && t->tables.order != ORDER_NODE &&
           (event_class(e) == CLASS_ACCESS || event_class(e) == CLASS_ATOMIC ||
            e->kind == EVENT_LOCK);
}

struct finding_event findings_event(struct findings *f, const struct trace *t, event_id id,
                                    uint32_t input)
{
    const struct event *e = trace_at(t, id);
    const struct task *task = &t->tables.tasks.at[e->task];
    return (struct finding_event){
        .input = input,
        .index = id,
        .offset = UINT64_MAX,
        .node = copied(f, t, task->node),
        .task = copied(f, t, task->name),
        .access = e->kind == EVENT_READ    ? "R"
                  : e->kind == EVENT_WRITE ? "W"
                                           : kind_of(e->kind)->name,
        .object = object_of(f, t, e),
        .location = copied(f, t, e->location),
        .stack = has_stack(t, e) ? copied(f, t, e->text) : NULL,
    };
}

static const char *const kind_names[FINDING_KIND_COUNT] = {
#define FINDING(id, name) name,
    FINDING_KIND_LIST(FINDING)
#undef FINDING
};
static const char *const status_names[] = {
    [STATUS_PREDICTED] = "predicted",
    [STATUS_CONFIRMED] = "confirmed",
    [STATUS_REFUTED] = "refuted",
    [STATUS_UNKNOWN] = "unknown",
};
static const char *const grade_names[] = {
    [GRADE_NONE] = "", [GRADE_SOUND] = "sound", [GRADE_MAY] = "may", [GRADE_OBSERVED] = "observed"};
static const char *const severity_names[] = {
    [SEVERITY_ERROR] = "error", [SEVERITY_WARNING] = "warning", [SEVERITY_NOTE] = "note"};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

const char *finding_kind_name(enum finding_kind kind)
{
    must(kind < COUNT_OF(kind_names));
    return kind_names[kind];
}

const char *finding_status_name(enum finding_status status)
{
    must(status < COUNT_OF(status_names));
    return status_names[status];
}

const char *finding_grade_name(enum finding_grade grade)
{
    must(grade < COUNT_OF(grade_names));
    return grade_names[grade];
}

const char *finding_severity_name(enum finding_severity severity)
{
    must(severity < COUNT_OF(severity_names));
    return severity_names[severity];
}

/* The index of text among names, -1 when it is not there. */
static int find(const char *const *names, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], text) == 0) {
            return (int)i;
        }
    }
    return -1;
}

int finding_kind_find(const char *name)
{
    return find(kind_names, COUNT_OF(kind_names), name);
}

int finding_status_find(const char *name)
{
    return find(status_names, COUNT_OF(status_names), name);
}

int finding_grade_find(const char *name)
{
    return find(grade_names, COUNT_OF(grade_names), name);
}

int finding_severity_find(const char *name)
{
    return find(severity_names, COUNT_OF(severity_names), name);
}
