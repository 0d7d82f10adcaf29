#include "trace/finding.h"

#include <stdarg.h>
#include <stdio.h>

#include "trace/kind.h"

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
        .object = copied(f, t, e->object),
        .location = copied(f, t, e->location),
    };
}

const char *finding_kind_name(enum finding_kind kind)
{
    static const char *const names[FINDING_KIND_COUNT] = {
#define FINDING(id, name) name,
        FINDING_KIND_LIST(FINDING)
#undef FINDING
    };
    must(kind < FINDING_KIND_COUNT);
    return names[kind];
}

const char *finding_status_name(enum finding_status status)
{
    switch (status) {
    case STATUS_PREDICTED: return "predicted";
    case STATUS_CONFIRMED: return "confirmed";
    case STATUS_REFUTED: return "refuted";
    case STATUS_UNKNOWN: return "unknown";
    }
    bug("finding status");
}

const char *finding_grade_name(enum finding_grade grade)
{
    switch (grade) {
    case GRADE_NONE: return "";
    case GRADE_SOUND: return "sound";
    case GRADE_MAY: return "may";
    }
    bug("finding grade");
}

const char *finding_severity_name(enum finding_severity severity)
{
    switch (severity) {
    case SEVERITY_ERROR: return "error";
    case SEVERITY_WARNING: return "warning";
    case SEVERITY_NOTE: return "note";
    }
    bug("finding severity");
}
