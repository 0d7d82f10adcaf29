#include "cli/text/findings_output.h"

#include <string.h>

#include "base/limit.h"
#include "base/mem.h"
#include "cli/input/program_command.h"

/* Task, operation, object and place of an event. */
static void report_act(struct session *s, const struct finding_event *event)
{
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
    if (event->stack != NULL && event->stack[0] != '\0') {
        out_text(&s->out, "        in ");
        session_text(s, event->stack);
        out_char(&s->out, '\n');
    }
}

static void report_event(struct session *s, const struct finding_event *event)
{
    if (event->is_joined) {
        must(event->input < s->input_count);
        out_format(&s->out, "    event %llu (%llu of ", (unsigned long long)event->number,
                   (unsigned long long)event->index);
        session_text(s, s->inputs[event->input]);
        out_char(&s->out, ')');
    } else {
        out_format(&s->out, "    event %llu", (unsigned long long)event->index);
    }
    if (s->input_count > 1 && !event->is_joined) {
        must(event->input < s->input_count);
        out_text(&s->out, " of ");
        session_text(s, s->inputs[event->input]);
    }
    if (event->offset != UINT64_MAX) {
        out_format(&s->out, ", byte %llu", (unsigned long long)event->offset);
    }
    out_text(&s->out, ": ");
    report_act(s, event);
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

void report_lines(struct session *s, const char *text)
{
    while (*text != '\0') {
        const size_t size = strcspn(text, "\n");
        out_text(&s->out, "    ");
        session_bytes(s, text, size);
        out_char(&s->out, '\n');
        text += text[size] == '\0' ? size : size + 1;
    }
}

enum { WITNESS_SHOWN_MAX = 20 };

static void report_witness_numbers(struct session *s, const struct finding *finding)
{
    const size_t count = finding->witness_count;
    const size_t from = count <= WITNESS_SHOWN_MAX ? 0 : count - WITNESS_SHOWN_MAX;
    must(from <= count);
    out_text(&s->out, "    shown by the events");
    if (from > 0) {
        out_format(&s->out, " (%zu before) ...", from);
    }
    for (size_t i = from; i < count; i++) {
        out_format(&s->out, " %llu", (unsigned long long)finding->witness[i]);
    }
    out_char(&s->out, '\n');
}

static void report_witness_events(struct session *s, const struct finding *finding,
                                  const struct trace *trace)
{
    out_text(&s->out, "    shown by these events in this order\n");
    struct findings scratch = {0};
    for (size_t i = 0; i < finding->witness_count; i++) {
        const event_id id = (event_id)finding->witness[i];
        must(id < trace->events.count);
        const struct arena_mark mark = arena_mark(&scratch.arena);
        const struct finding_event event = findings_event(&scratch, trace, id, 0);
        out_format(&s->out, "      %u: ", id);
        report_act(s, &event);
        arena_reset(&scratch.arena, mark);
    }
    findings_release(&scratch);
}

void report_race(struct session *s, const struct finding *finding, uint64_t number,
                 const struct trace *trace)
{
    out_format(&s->out, "%llu. ", (unsigned long long)number);
    session_paint(s, finding->severity == SEVERITY_ERROR ? PAINT_ERROR : PAINT_WARNING,
                  finding_kind_name(finding->kind));
    if (finding->grade != GRADE_NONE) {
        out_format(&s->out, " (%s%s)", finding_grade_name(finding->grade),
                   finding->severity == SEVERITY_NOTE ? ", note" : "");
    }
    out_text(&s->out, ": ");
    session_text(s, finding->what);
    out_char(&s->out, '\n');
    for (size_t i = 0; i < finding->event_count; i++) {
        report_event(s, &finding->events[i]);
    }
    report_lines(s, finding->why == NULL ? "" : finding->why);
    const bool is_race =
        finding->kind == FINDING_DATA_RACE || finding->kind == FINDING_MESSAGE_RACE;
    if (is_race && finding->pair_count > 1) {
        out_format(&s->out, "    %llu pairs of events there race\n",
                   (unsigned long long)finding->pair_count);
    }
    if (finding->kind == FINDING_DEADLOCK && finding->status == STATUS_PREDICTED &&
        finding->pair_count > 1) {
        out_format(&s->out, "    %llu cycles of tasks and locks there\n",
                   (unsigned long long)finding->pair_count);
    }
    if (finding->witness != NULL && trace != NULL) {
        report_witness_events(s, finding, trace);
    } else if (finding->witness != NULL) {
        report_witness_numbers(s, finding);
    }
    if (finding->witness != NULL && finding->kind == FINDING_DEADLOCK) {
        must(finding->event_count % 2 == 0); /* a held lock and a request for each task */
        out_format(&s->out, "    of which the last %zu block\n", finding->event_count / 2);
    }
}

void report_line(struct session *s, const struct finding *finding, uint64_t number)
{
    must(number > 0);
    must(number <= UINT32_MAX);
    struct json j = json_begin(&s->out);
    finding_print(finding, (uint32_t)number, &j);
    out_char(&s->out, '\n');
}

void report_list(struct session *s, const struct findings *f)
{
    for (size_t i = 0; i < f->list.count && i < s->common->limit; i++) {
        if (s->common->jsonl) {
            report_line(s, &f->list.at[i], i + 1);
        } else {
            report_race(s, &f->list.at[i], i + 1, NULL);
        }
    }
}

int report_unexplained(uint64_t number, size_t count, struct err *e)
{
    const unsigned long long wanted = number;
    return count == 0
               ? err_set(e, "--explain %llu: nothing was found, so there is nothing to explain",
                         wanted)
               : err_set(e, "--explain %llu: the findings are numbered from 1 to %zu", wanted,
                         count);
}

void report_begin(struct finding_file *f, const struct session *s)
{
    *f = (struct finding_file){.verb = s->verb->name};
    for (size_t i = 0; i < s->input_count; i++) {
        vec_push(&f->inputs, s->inputs[i]);
    }
}

void report_hidden(struct session *s)
{
    const uint64_t suppressed = suppressions_count(&s->suppressions);
    const uint64_t known = suppressions_known_count(&s->suppressions);
    if (suppressed > 0) {
        out_format(&s->out, ", %llu suppressed", (unsigned long long)suppressed);
    }
    if (known > 0) {
        out_format(&s->out, ", %llu known from the baseline", (unsigned long long)known);
    }
}

void report_hide(struct session *s, struct findings *f, size_t first)
{
    size_t kept = first;
    must(first <= f->list.count);
    for (size_t i = first; i < f->list.count; i++) {
        if (!suppressions_hide(&s->suppressions, &f->list.at[i])) {
            f->list.at[kept++] = f->list.at[i];
        }
    }
    must(kept >= first);
    must(kept <= f->list.count);
    f->list.count = kept;
}

void report_print(struct finding_file *f, struct session *s)
{
    if (s->suppressions.has_rules) {
        finding_file_count(f, "suppressed", suppressions_count(&s->suppressions));
    }
    if (s->suppressions.has_baseline) {
        finding_file_count(f, "known", suppressions_known_count(&s->suppressions));
    }
    const struct usage usage = limit_usage();
    finding_file_real(f, "cpu_seconds", usage.cpu_seconds);
    finding_file_count(f, "peak_bytes", usage.peak_bytes);
    finding_file_print(f, &s->out);
}

const char *report_replay(struct findings *f, const struct campaign_about *about,
                          const char *folder, const char *schedule)
{
    char *path = command_print_one(findings_text(f, "%s/%s", folder, schedule));
    const char *command =
        findings_text(f, "clew replay %s%s %s", about->replay, path, about->system);
    mem_free(path);
    return command;
}

void report_count(struct out *out, uint64_t count, const char *one, const char *many)
{
    out_u64(out, count);
    out_char(out, ' ');
    out_text(out, count == 1 ? one : many);
}
