#include "cli/report.h"

#include "base/limit.h"

static void report_event(struct session *s, const struct finding_event *event)
{
    out_format(&s->out, "    event %llu", (unsigned long long)event->index);
    if (s->input_count > 1) {
        out_text(&s->out, " of ");
        session_text(s, s->inputs[event->input]);
    }
    if (event->offset != UINT64_MAX) {
        out_format(&s->out, ", byte %llu", (unsigned long long)event->offset);
    }
    out_text(&s->out, ": ");
    session_text(s, event->task);
    if (event->node[0] != '\0') {
        out_char(&s->out, '@');
        session_text(s, event->node);
    }
    out_char(&s->out, ' ');
    session_text(s, event->access);
    if (event->object[0] != '\0') {
        out_char(&s->out, ' ');
        session_text(s, event->object);
    }
    if (event->location[0] != '\0') {
        out_text(&s->out, " at ");
        session_text(s, event->location);
    }
    out_char(&s->out, '\n');
}

void report_finding(struct session *s, const struct finding *finding)
{
    session_paint(s, finding->severity == SEVERITY_ERROR ? PAINT_ERROR : PAINT_WARNING,
                  finding_severity_name(finding->severity));
    out_text(&s->out, ": ");
    session_text(s, finding->what);
    out_char(&s->out, '\n');
    for (size_t i = 0; i < finding->event_count; i++) {
        report_event(s, &finding->events[i]);
    }
}

void report_begin(struct finding_file *f, const struct session *s)
{
    *f = (struct finding_file){.verb = s->verb->name};
    for (size_t i = 0; i < s->input_count; i++) {
        vec_push(&f->inputs, s->inputs[i]);
    }
}

void report_print(struct finding_file *f, struct session *s)
{
    const struct usage usage = limit_usage();
    finding_file_real(f, "cpu_seconds", usage.cpu_seconds);
    finding_file_count(f, "peak_bytes", usage.peak_bytes);
    finding_file_print(f, &s->out);
}

void report_count(struct out *out, uint64_t count, const char *one, const char *many)
{
    out_u64(out, count);
    out_char(out, ' ');
    out_text(out, count == 1 ? one : many);
}
