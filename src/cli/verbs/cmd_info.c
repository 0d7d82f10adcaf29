/* clew info: a summary of a trace. */
#include <string.h>

#include "cli/input/trace_input.h"
#include "cli/text/findings_output.h"
#include "cli/text/verdict.h"
#include "trace/check.h"
#include "trace/kind_table.h"
#include "trace/summary.h"

struct info_options {
    struct common common;
};

/* The counts that are collected while the trace streams by. */
struct survey {
    struct reading reading;
    struct summary summary;
    struct check *check;
    struct findings findings; /* stays empty: only counts are wanted */
    struct arena arena;
    const struct node_summary *nodes;
    size_t node_count;
    bool has_nodes;
};

static void print_row(struct session *s, const char *name)
{
    out_format(&s->out, "  %-11s ", name);
}

static void print_time(struct session *s, const struct survey *v)
{
    const uint64_t ticks = (uint64_t)v->summary.time_last - (uint64_t)v->summary.time_first;
    const uint64_t tick_ns = v->reading.trace.tables.tick_ns;
    print_row(s, "duration");
    if (!v->summary.has_time) {
        out_text(&s->out, "not known: no event has a time\n");
    } else if (tick_ns == 0) {
        out_format(&s->out, "%llu ticks\n", (unsigned long long)ticks);
    } else {
        out_format(&s->out, "%.6g s\n", (double)ticks * (double)tick_ns / 1e9);
    }
}

static void print_nodes(struct session *s, const struct survey *v)
{
    if (!v->has_nodes) {
        return;
    }
    print_row(s, "nodes");
    out_format(&s->out, "%zu\n", v->node_count);
    for (size_t i = 0; i < v->node_count && i < s->common->limit; i++) {
        const struct node_summary *node = &v->nodes[i];
        out_text(&s->out, "    ");
        session_text(s, node->node == 0 ? "(no node)"
                                        : names_text(&v->reading.trace.tables.names, node->node));
        out_text(&s->out, ": ");
        report_count(&s->out, node->task_count, "task", "tasks");
        out_text(&s->out, ", ");
        report_count(&s->out, node->event_count, "event", "events");
        out_char(&s->out, '\n');
    }
    if (v->node_count > s->common->limit) {
        out_format(&s->out, "    and %zu more\n", v->node_count - (size_t)s->common->limit);
    }
}

static void print_objects(struct session *s, const struct survey *v)
{
    print_row(s, "objects");
    out_format(&s->out, "%zu", v->summary.objects.entries.count);
    const char *separator = ": ";
    for (enum role role = 0; role < ROLE_COUNT; role++) {
        const uint64_t count = summary_objects(&v->summary, role);
        if (count > 0) {
            out_text(&s->out, separator);
            report_count(&s->out, count, role_name(role, false), role_name(role, true));
            separator = ", ";
        }
    }
    out_char(&s->out, '\n');
}

static void print_kinds(struct session *s, const struct survey *v)
{
    out_text(&s->out, "  kinds\n");
    for (uint32_t kind = 0; kind < KIND_LIMIT; kind++) {
        if (v->summary.by_kind[kind] > 0) {
            out_format(&s->out, "    %-15s %llu\n", kind_of(kind)->name,
                       (unsigned long long)v->summary.by_kind[kind]);
        }
    }
}

static void print_messages(struct session *s, const struct survey *v)
{
    const unsigned long long sent = v->summary.by_kind[EVENT_SEND];
    const unsigned long long received = v->summary.by_kind[EVENT_RECV];
    if (sent + received > 0) {
        print_row(s, "messages");
        out_format(&s->out, "%llu sent, %llu received\n", sent, received);
    }
}

static void print_coverage(struct session *s, const struct survey *v)
{
    const uint64_t places = v->summary.by_kind[EVENT_COVERAGE];
    if (places > 0) {
        print_row(s, "coverage");
        report_count(&s->out, v->summary.block_count, "place", "places");
        out_text(&s->out, " in the code, at ");
        report_count(&s->out, places, "source line", "source lines");
        out_char(&s->out, '\n');
    }
}

/* The findings of the check, a line per rule. */
static void print_rules(struct session *s, const struct survey *v, enum finding_severity severity,
                        const char *title)
{
    const struct check_counts *counts = check_counts(v->check);
    bool has_title = false;
    for (enum check_rule rule = 0; rule < CHECK_RULE_COUNT; rule++) {
        if (check_rule_severity(rule) == severity && counts->by_rule[rule] > 0) {
            if (!has_title) {
                print_row(s, title);
                out_text(&s->out, "(clew check says where)\n");
            }
            has_title = true;
            out_format(&s->out, "    %llu: %s\n", (unsigned long long)counts->by_rule[rule],
                       check_rule_meaning(rule));
        }
    }
}

static void print_text(struct session *s, const struct survey *v)
{
    const struct tables *tables = &v->reading.trace.tables;
    session_text(s, v->reading.name);
    out_text(&s->out, ": ");
    report_count(&s->out, v->summary.event_count, "event", "events");
    out_char(&s->out, '\n');
    if (tables->source != 0) {
        print_row(s, "source");
        session_text(s, names_text(&tables->names, tables->source));
        out_char(&s->out, '\n');
    }
    print_row(s, "order");
    out_format(&s->out, "%s: %s\n", order_kind_name(tables->order),
               order_kind_meaning(tables->order));
    print_time(s, v);
    print_nodes(s, v);
    print_row(s, "tasks");
    out_format(&s->out, "%zu\n", tables->tasks.count);
    print_objects(s, v);
    print_messages(s, v);
    print_coverage(s, v);
    print_kinds(s, v);
    print_rules(s, v, SEVERITY_WARNING, "incomplete");
    print_rules(s, v, SEVERITY_ERROR, "impossible");
}

static void print_json(struct session *s, const struct survey *v)
{
    const struct check_counts *counts = check_counts(v->check);
    struct finding_file f;
    report_begin(&f, s);
    f.event_count = v->summary.event_count;
    f.verdict = verdict_of(false, v->reading.is_cut);
    finding_file_count(&f, "events", v->summary.event_count);
    finding_file_count(&f, "nodes", v->has_nodes ? v->node_count : 0);
    finding_file_count(&f, "tasks", v->reading.trace.tables.tasks.count);
    finding_file_count(&f, "objects", v->summary.objects.entries.count);
    for (enum role role = 0; role < ROLE_OTHER; role++) {
        finding_file_count(&f, role_name(role, true), summary_objects(&v->summary, role));
    }
    finding_file_count(&f, "messages_sent", v->summary.by_kind[EVENT_SEND]);
    finding_file_count(&f, "messages_received", v->summary.by_kind[EVENT_RECV]);
    finding_file_count(&f, "blocks_covered", v->summary.block_count);
    finding_file_text(&f, "order", order_kind_name(v->reading.trace.tables.order));
    finding_file_text(&f, "source",
                      names_text(&v->reading.trace.tables.names, v->reading.trace.tables.source));
    if (v->summary.has_time && v->reading.trace.tables.tick_ns > 0) {
        const uint64_t ticks = (uint64_t)v->summary.time_last - (uint64_t)v->summary.time_first;
        finding_file_real(&f, "duration_seconds",
                          (double)ticks * (double)v->reading.trace.tables.tick_ns / 1e9);
    }
    finding_file_count(&f, "impossible", counts->errors);
    finding_file_count(&f, "incomplete", counts->warnings);
    for (uint32_t kind = 0; kind < KIND_LIMIT; kind++) {
        if (v->summary.by_kind[kind] > 0) {
            vec_push(&f.stats, (struct figure){.group = "kinds",
                                               .name = kind_of(kind)->name,
                                               .type = FIGURE_COUNT,
                                               .count = v->summary.by_kind[kind]});
        }
    }
    report_print(&f, s);
    finding_file_release(&f);
}

static int survey_read(struct survey *v, struct err *e)
{
    struct batch b;
    int more = 0;
    while ((more = reading_next(&v->reading, &b, e)) > 0) {
        summary_events(&v->summary, &b);
        check_events(v->check, &b);
    }
    if (more < 0) {
        return -1;
    }
    check_end(v->check);
    v->nodes = summary_nodes(&v->summary, &v->arena, &v->node_count);
    v->has_nodes = v->node_count > 1 || (v->node_count == 1 && v->nodes[0].node != 0);
    return 0;
}

static int run(struct session *s, const void *options, struct err *e)
{
    (void)options;
    struct survey v = {0};
    const int opened = reading_open(&v.reading, s, e);
    if (opened < 0) {
        return opened;
    }
    summary_init(&v.summary, &v.reading.trace.tables);
    v.check = check_new(&v.reading.trace.tables, &(struct check_options){0}, &v.findings);
    int status = survey_read(&v, e);
    if (status == 0) {
        reading_warn(&v.reading);
        if (s->common->json) {
            print_json(s, &v);
        } else {
            print_text(s, &v);
        }
        status = verdict_status(verdict_of(false, v.reading.is_cut));
    }
    check_free(v.check);
    findings_release(&v.findings);
    summary_release(&v.summary);
    arena_release(&v.arena);
    reading_close(&v.reading);
    return status;
}

static const struct option options[] = {
    COMMON_JSON,
    COMMON_ROW(limit, .name = "limit", .type = OPTION_NUMBER, .argument = "N",
               .help = "list at most N nodes (default: 20)"),
    COMMON_INPUT,
    COMMON_BUDGET,
    COMMON_ALWAYS,
    {0},
};

static const struct info_options defaults = {.common = {.from = -1, .limit = 20}};

static const struct example examples[] = {
    {"clew info bank.log", "Print statistics of the trace bank.log, whatever its format."},
    {"clew info --json bank.clew | jq .stats.kinds", "Extract the number of events of each kind."},
    {"ssh host cat run.clew | clew info -", "Read a trace from a pipe."},
    {0},
};

const struct verb verb_info = {
    .name = "info",
    .summary = "print statistics of a trace",
    .operands = "TRACE...",
    .operand_min = 1,
    .operand_max = SIZE_MAX,
    .about = "Counts the nodes, tasks, objects (by role), messages and events (by kind) of a "
             "trace. Prints its duration, the meaning of its event order, and what looks "
             "incomplete. Reads the trace once, in constant memory.",
    .exit_statuses =
        "0 the trace was read\n2 the trace could not be read\n3 the budget ended first",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct info_options),
    .examples = examples,
    .run = run,
};
