/* clew monitor: could it have gone wrong, at some moment the clocks allow? */
#include <stdlib.h>
#include <string.h>

#include "cli/input/spec_file.h"
#include "cli/input/trace_input.h"
#include "cli/interrupt.h"
#include "cli/text/findings_output.h"
#include "cli/text/verdict.h"
#include "monitor/online/stream.h"
#include "monitor/workload.h"

struct monitor_command {
    struct common common;
    const char *spec;
    struct moment skew;
    bool no_clocks;
    const char *check_every;
    struct moment lag;
    const char *via;
    const char *smtlib;
    int compat;
    int simulate;
    uint64_t processes;
    struct moment delay, interval, tick;
    uint64_t messages, seconds;
    uint64_t beta, fault;
    uint64_t seed;
};

struct monitoring {
    struct session *session;
    const struct monitor_command *command;
    struct spec spec;
    struct monitor_options options;
    struct monitor_result result;
    struct finding_file file;
    struct notes notes;
    struct stream_stats stats; /* of --check-every */
    size_t told_count;         /* findings that were looked at, to be printed ... */
    uint64_t shown_count;      /* ... and those of them that were */
    bool is_unread;            /* the budget ended before all of the input was read */
    bool is_terminated;        /* by SIGTERM, while it followed a stream */
};

static const char *compat_word(size_t index)
{
    static const char *const words[] = {"none", "monitor-paper"};
    return index < sizeof words / sizeof *words ? words[index] : NULL;
}

static const char *workload_word(size_t index)
{
    return workload_name((enum workload_kind)index);
}

static int check_command(const struct session *s, const struct monitor_command *c, struct err *e)
{
    const bool is_simulated = c->simulate >= 0;
    if (is_simulated == (s->input_count > 0)) {
        return session_misused(
            e, is_simulated ? "a simulated run, or a trace: not both"
                            : "no trace is named; name one, or simulate a run with --simulate");
    }
    if (s->input_count > 1 && !c->common.one_run) {
        return session_misused(e, "several traces: add --one-run if they are files of one run");
    }
    if (c->spec == NULL && !is_simulated) {
        return session_misused(
            e, "no property is given; name a specification with --spec FILE (man 5 clew-spec)");
    }
    if (c->skew.is_given && c->no_clocks) {
        return session_misused(e, "--skew or --no-clocks, not both");
    }
    if (!c->skew.is_given && !c->no_clocks && !is_simulated) {
        return session_misused(e, "no bound on the difference of clocks is given; use --skew 10ms, "
                                  "or --no-clocks for clocks without a bound");
    }
    if (c->skew.is_given && !c->skew.is_relative && c->skew.ticks < 0) {
        return session_misused(e, "--skew: not below 0");
    }
    if (c->smtlib != NULL && c->check_every != NULL) {
        return session_misused(e, "a stream has no single formula: leave out --smtlib");
    }
    if (c->check_every != NULL && (is_simulated || c->no_clocks)) {
        return session_misused(e, is_simulated
                                      ? "a simulated run is not a stream: leave out --check-every"
                                      : "without clocks nothing is ever over: a stream needs "
                                        "--skew");
    }
    if (c->lag.is_given && (c->check_every == NULL || c->lag.ticks < 0)) {
        return session_misused(e, "--lag: a time such as 1s, or a number of the trace's ticks, "
                                  "with --check-every");
    }
    if (c->via != NULL && strcmp(c->via, "z3") != 0 && strcmp(c->via, "z3-packed") != 0) {
        return session_misused(e, "--via: z3 or z3-packed");
    }
    if (c->processes < 2 || c->processes > 10000 || c->seconds < 1 || c->seconds > 1000000) {
        return session_misused(e, "--processes is from 2 to 10000, --seconds from 1 to 1000000");
    }
    if (c->beta > 100 || c->fault > 100 || c->messages > 100000) {
        return session_misused(e, "--beta and --fault are from 0 to 100 percent, --messages from 0 "
                                  "to 100000 a second");
    }
    return 0;
}

static int read_spec(struct monitoring *m, struct err *e)
{
    const struct monitor_command *c = m->command;
    if (c->spec != NULL) {
        return spec_file_read(&m->spec, c->spec, e);
    }
    const char *text = workload_spec((enum workload_kind)c->simulate);
    struct in in;
    in_open_memory(&in, text, strlen(text));
    const int result = spec_parse(&m->spec, &in, e);
    in_close(&in);
    return result;
}

/* ---- runs ---- */

/* The options of a run with this unit of time. */
static int choose_options(struct monitoring *m, uint64_t tick_ns, struct err *e)
{
    const struct monitor_command *c = m->command;
    /* With --via libz3 it has no time limit; without, it has one. */
    const uint64_t patience_ns = c->via != NULL ? 0 : UINT64_C(30000000000);
    const uint64_t given_ns = m->session->budget.time_ns;
    m->options.spec = &m->spec;
    m->options.is_paper = c->compat == 1;
    m->options.smtlib = c->smtlib;
    m->options.decide = (struct decide_options){
        .is_by_solver = c->via != NULL,
        .is_packed = c->via != NULL && strcmp(c->via, "z3-packed") == 0,
        .budget = {.time_ns_max = given_ns > 0 ? given_ns : patience_ns},
    };
    if (c->no_clocks) {
        m->options.skew = INT64_MAX;
    } else if (c->skew.is_given && moment_span(&c->skew, tick_ns, &m->options.skew, e) < 0) {
        return err_wrap(e, "--skew");
    }
    vec_push(&m->file.assumptions,
             m->options.skew == INT64_MAX
                 ? "clocks say nothing"
                 : findings_text(&m->file.findings, "clocks differ by at most %lld ticks",
                                 (long long)m->options.skew));
    return 0;
}

/* The error of a specification that does not fit, with its name. The missing process may be in the
 * rest of the input. */
static int misfit(const struct monitoring *m, struct err *e)
{
    const struct monitor_command *c = m->command;
    return m->is_unread
               ? 0
               : err_wrap(e, "%s", c->spec != NULL ? c->spec : workload_word((size_t)c->simulate));
}

static int find_in(struct monitoring *m, const struct trace *t, struct err *e)
{
    if (choose_options(m, t->tables.tick_ns, e) < 0) {
        return -1;
    }
    m->options.decide.limit = &m->session->budget;
    m->file.event_count = t->events.count;
    const int result = monitor_find(t, &m->options, &m->file.findings, &m->result, &m->notes, e);
    return result < 0 && m->result.is_misfit ? misfit(m, e) : result;
}

/* Notes whether the budget ended, or the monitor was terminated; after Ctrl-C the input counts as
 * read. */
static void look_for_unread(struct monitoring *m, const struct reading *reading)
{
    const struct limit *budget = &m->session->budget;
    m->is_terminated = limit_is_stopped(budget) && *budget->is_stopped == SIGTERM;
    m->is_unread = m->is_terminated || (reading->is_cut && !limit_is_stopped(budget));
}

/* Says of the events of findings where they are in the inputs. */
static void place_findings(struct monitoring *m, const struct reading *reading)
{
    vec_each (&m->file.findings.list, finding) {
        reading_place_events(reading, &m->file.findings, finding);
    }
}

/* A missing violation may be in the rest of the input. */
static void doubt_unread(struct monitoring *m)
{
    const struct monitor_answer unread = {
        .verdict = CUT_UNKNOWN,
        .reason = m->is_terminated ? "it was terminated before the stream ended"
                                   : "the budget ended before all of it was read"};
    while (m->is_unread && m->result.properties.count < m->spec.properties.count) {
        vec_push(&m->result.properties, unread);
    }
    vec_each (&m->result.properties, answer) {
        *answer = m->is_unread && answer->verdict == CUT_NO ? unread : *answer;
    }
}

/* ---- streams ---- */

/* --check-every: a time, "event", or a number of events. */
static int choose_checks(const char *text, uint64_t tick_ns, struct stream_options *o,
                         struct err *e)
{
    char *end = NULL;
    const unsigned long long count = strtoull(text, &end, 10);
    struct moment moment;
    if (strcmp(text, "event") == 0) {
        o->check_events = 1;
        return 0;
    }
    if (text[0] != '-' && end != text && strcmp(end, "events") == 0 && count > 0) {
        o->check_events = count;
        return 0;
    }
    if (moment_parse(&moment, text, e) < 0 ||
        (moment.is_relative ? moment.time_ns == 0 : moment.ticks <= 0)) {
        return session_misused(e, "--check-every: a time (1s), event, or a number of them "
                                  "(1000events)");
    }
    return moment_span(&moment, tick_ns, &o->check_ticks, e) < 0 ? err_wrap(e, "--check-every") : 0;
}

/* For how long a process is waited for: longer than its clock may be behind. */
static int64_t lag_default(int64_t skew, uint64_t tick_ns)
{
    enum { SKEWS = 100 };
    const int64_t second = tick_ns == 0 ? 0 : (int64_t)(UINT64_C(1000000000) / tick_ns);
    int64_t lag = 0;
    const bool is_endless = tick_ns == 0
                                ? __builtin_mul_overflow(skew > 0 ? skew : 1, SKEWS, &lag)
                                : __builtin_add_overflow(skew, second > 0 ? second : 1, &lag);
    return is_endless ? INT64_MAX : lag;
}

static int choose_stream(struct monitoring *m, uint64_t tick_ns, struct stream_options *o,
                         struct err *e)
{
    const struct monitor_command *c = m->command;
    if (choose_options(m, tick_ns, e) < 0) {
        return -1;
    }
    *o = (struct stream_options){.skew = m->options.skew,
                                 .is_paper = m->options.is_paper,
                                 .decide = m->options.decide,
                                 .lag = lag_default(m->options.skew, tick_ns)};
    if (c->lag.is_given && moment_span(&c->lag, tick_ns, &o->lag, e) < 0) {
        return err_wrap(e, "--lag");
    }
    return choose_checks(c->check_every, tick_ns, o, e);
}

static void print_findings(struct monitoring *m);

/* Names of messages are forgotten when there are twice as many as were needed the last time. */
static void forget_names(struct stream *stream, struct reading *reading, size_t *needed)
{
    const struct names *names = &reading->trace.tables.names;
    if (names_count(names) < 2 * *needed) {
        return;
    }
    struct arena arena = {0};
    struct bits is_kept = bits_take(&arena, names->list.count);
    if (stream_keep_names(stream, is_kept)) {
        (void)cursor_keep_names(reading->cursor, is_kept);
    }
    *needed = names_count(names) > *needed ? names_count(names) : *needed;
    arena_release(&arena);
}

static int open_stream(struct monitoring *m, struct reading *reading, struct stream **stream,
                       struct err *e)
{
    struct stream_options o;
    const int result = choose_stream(m, reading->trace.tables.tick_ns, &o, e);
    if (result == 0) {
        *stream = stream_new(&m->spec, &reading->trace.tables, &o, &m->file.findings, &m->notes);
    }
    return result;
}

static int follow(struct monitoring *m, struct reading *reading, struct err *e)
{
    struct stream *stream = NULL;
    struct batch b;
    int more = 0;
    int result = 0;
    size_t names_needed = 1 << 16;
    while (result == 0 && (more = reading_next(reading, &b, e)) > 0) {
        if (stream == NULL) {
            result = open_stream(m, reading, &stream, e);
        }
        if (result == 0 && stream_take(stream, b.events, b.count, e) < 0) {
            result = misfit(m, e);
        }
        if (result == 0 && !m->session->common->json &&
            m->told_count < m->file.findings.list.count) {
            print_findings(m);
            result = out_flush(&m->session->out, e);
        }
        if (result == 0) {
            forget_names(stream, reading, &names_needed);
        }
    }
    if (result == 0 && more == 0 && stream == NULL) { /* a trace without events */
        result = open_stream(m, reading, &stream, e);
    }
    look_for_unread(m, reading);
    if (result == 0 && more == 0) {
        result = stream_end(stream, &m->result, e) < 0 ? misfit(m, e) : 0;
        m->stats = *stream_stats(stream);
        m->file.event_count = m->stats.events;
    }
    stream_free(stream);
    return result < 0 ? result : more;
}

static int find_in_stream(struct monitoring *m, struct err *e)
{
    struct reading reading;
    if (reading_open(&reading, m->session, e) < 0) {
        return -1;
    }
    struct stopping stopping;
    stopping_begin(&stopping);
    m->session->budget.is_stopped = reading.cursor->in.is_stopped = stopping_wish();
    const int result = follow(m, &reading, e);
    if (result == 0) {
        reading_warn(&reading);
        place_findings(m, &reading);
    }
    m->session->budget.is_stopped = NULL;
    stopping_end(&stopping);
    reading_close(&reading);
    return result;
}

/* ---- traces and made-up runs ---- */

static int find_in_traces(struct monitoring *m, struct err *e)
{
    struct reading reading;
    if (reading_open(&reading, m->session, e) < 0) {
        return -1;
    }
    int result = reading_load(&reading, e);
    if (result == 0) {
        reading_warn(&reading);
        look_for_unread(m, &reading);
        result = find_in(m, &reading.trace, e);
        place_findings(m, &reading);
    }
    reading_close(&reading);
    return result;
}

static int ticks_of(const struct moment *m, const char *name, uint64_t tick_ns, int64_t *ticks,
                    struct err *e)
{
    if (m->is_given && moment_span(m, tick_ns, ticks, e) < 0) {
        return err_wrap(e, "--%s", name);
    }
    const int64_t most = INT64_MAX / 4; /* far from where times end */
    return *ticks < 0      ? session_misused(e, "--%s: not below 0", name)
           : *ticks > most ? session_misused(e, "--%s: longer than any run", name)
                           : 0;
}

/* The run that the options describe. */
static int choose_workload(const struct monitor_command *c, struct workload *w, struct err *e)
{
    enum { TICKS_MAX = 100 * 1000 * 1000, TICK_MAX_NS = 100 * 1000 * 1000 };
    *w = workload_default((enum workload_kind)c->simulate);
    w->process_count = (uint32_t)c->processes;
    w->beta = (uint32_t)c->beta * 10000;
    w->fault = (uint32_t)c->fault * 10000;
    w->message_rate = (uint32_t)(c->messages * 10);
    w->duration *= (int64_t)c->seconds;
    w->seed = c->seed;
    if (c->tick.is_given &&
        (!c->tick.is_relative || c->tick.time_ns == 0 || c->tick.time_ns > TICK_MAX_NS)) {
        return session_misused(e, "--tick: a time such as 0.01ms, at most 100ms");
    }
    if (c->tick.is_given) {
        workload_rescale(w, c->tick.time_ns);
    }
    if (ticks_of(&c->skew, "skew", w->tick_ns, &w->skew, e) < 0 ||
        ticks_of(&c->delay, "delay", w->tick_ns, &w->delay, e) < 0 ||
        ticks_of(&c->interval, "interval", w->tick_ns, &w->interval, e) < 0) {
        return MISUSED;
    }
    return w->duration <= TICKS_MAX
               ? 0
               : session_misused(e,
                                 "a run of more than %d ticks: choose a larger --tick, or less "
                                 "time",
                                 TICKS_MAX);
}

static int find_in_simulation(struct monitoring *m, struct err *e)
{
    struct workload w;
    if (choose_workload(m->command, &w, e) < 0) {
        return MISUSED;
    }
    m->options.skew = w.skew;
    struct trace t;
    trace_init(&t);
    workload_run(&w, &t);
    const int result = find_in(m, &t, e);
    trace_release(&t);
    return result;
}

/* ---- words ---- */

/* The answer for a property: "no (minimum cut)". */
static const char *answer_text(struct monitoring *m, const struct monitor_answer *a)
{
    static const char *const verdicts[] = {
        [CUT_UNKNOWN] = "unknown", [CUT_NO] = "no", [CUT_YES] = "yes"};
    const bool is_unknown = a->verdict == CUT_UNKNOWN;
    must(!is_unknown || a->reason != NULL);
    return findings_text(&m->file.findings, is_unknown ? "%s, %s" : "%s (%s)", verdicts[a->verdict],
                         is_unknown ? a->reason : method_name(a->method));
}

static void print_answers(struct monitoring *m)
{
    struct session *s = m->session;
    must(m->result.properties.count <= m->spec.properties.count);
    for (size_t i = 0; i < m->result.properties.count; i++) {
        const struct monitor_answer *a = &m->result.properties.at[i];
        session_text(s, names_text(&m->spec.names, m->spec.properties.at[i].name));
        out_format(&s->out, ": %s", answer_text(m, a));
        if (a->check_count > 0) {
            out_format(&s->out, ", at %llu of ", (unsigned long long)a->check_count);
            report_count(&s->out, m->stats.checks, "check", "checks");
        }
        out_char(&s->out, '\n');
    }
    report_count(&s->out, m->file.event_count, "event", "events");
    out_text(&s->out, " of ");
    report_count(&s->out, m->result.process_count, "process", "processes");
    out_text(&s->out, ", ");
    report_count(&s->out, m->result.message_count, "message", "messages");
    out_text(&s->out, " between them\n");
}

static void print_findings(struct monitoring *m)
{
    struct session *s = m->session;
    must(m->told_count <= m->file.findings.list.count);
    while (m->told_count < m->file.findings.list.count && m->shown_count < s->common->limit) {
        const struct finding *finding = &m->file.findings.list.at[m->told_count++];
        if (suppressions_hide(&s->suppressions, finding)) {
            continue;
        }
        exports_add(&s->exports, finding);
        m->shown_count++;
        session_paint(s, finding->severity == SEVERITY_ERROR ? PAINT_ERROR : PAINT_WARNING,
                      finding_severity_name(finding->severity));
        out_text(&s->out, ": ");
        session_text(s, finding->what);
        out_char(&s->out, '\n');
        const char *line = finding->why;
        while (line != NULL && *line != '\0') {
            const size_t size = strcspn(line, "\n");
            out_text(&s->out, "    ");
            session_bytes(s, line, size);
            out_char(&s->out, '\n');
            line += size + (line[size] == '\n');
        }
    }
}

/* The numbers of --json, and the answer for each property. */
static void count_answers(struct monitoring *m, const uint64_t counts[CUT_YES + 1])
{
    struct finding_file *f = &m->file;
    const char *engines = "";
    for (enum method method = METHOD_NONE + 1; method <= METHOD_SOLVER; method++) {
        bool is_used = false;
        vec_each (&m->result.properties, answer) {
            is_used = is_used || answer->method == method;
        }
        engines = !is_used ? engines
                  : *engines == '\0'
                      ? method_name(method)
                      : findings_text(&f->findings, "%s, %s", engines, method_name(method));
    }
    finding_file_text(f, "engine", engines);
    finding_file_count(f, "cuts_checked", counts[CUT_YES]);
    finding_file_count(f, "late", m->result.late_count);
    finding_file_count(f, "gaps", m->result.gap_count);
    finding_file_count(f, "processes", m->result.process_count);
    finding_file_count(f, "reports", m->result.report_count);
    finding_file_count(f, "messages", m->result.message_count);
    finding_file_count(f, "possible", counts[CUT_YES]);
    finding_file_count(f, "impossible", counts[CUT_NO]);
    finding_file_count(f, "unknown", counts[CUT_UNKNOWN]);
    if (m->command->check_every != NULL) {
        finding_file_count(f, "checks", m->stats.checks);
        finding_file_count(f, "held_max", m->stats.held_max);
    }
    for (size_t i = 0; i < m->result.properties.count; i++) {
        const char *name = names_text(&m->spec.names, m->spec.properties.at[i].name);
        finding_file_text(f, name, answer_text(m, &m->result.properties.at[i]));
        vec_last(&f->stats)->group = "properties";
    }
}

/* Whether findings about the property are not to be shown. */
static bool is_hidden(struct monitoring *m, size_t property)
{
    const char *name = names_text(&m->spec.names, m->spec.properties.at[property].name);
    const struct finding finding = {.kind = FINDING_PREDICATE,
                                    .key = findings_text(&m->file.findings, "predicate:%s", name)};
    return suppressions_hide(&m->session->suppressions, &finding);
}

static void print_hidden(struct monitoring *m)
{
    struct session *s = m->session;
    if (suppressions_count(&s->suppressions) + suppressions_known_count(&s->suppressions) > 0) {
        report_count(&s->out, m->shown_count, "finding shown", "findings shown");
        report_hidden(s);
        out_char(&s->out, '\n');
    }
}

static int conclude(struct monitoring *m)
{
    uint64_t counts[CUT_YES + 1] = {0};
    uint64_t violations = 0;
    for (size_t i = 0; i < m->result.properties.count; i++) {
        const struct monitor_answer *answer = &m->result.properties.at[i];
        counts[answer->verdict]++;
        violations += answer->is_violation && !is_hidden(m, i);
    }
    struct finding_file *f = &m->file;
    report_hide(m->session, &f->findings, m->told_count);
    f->verdict = verdict_of(violations > 0, counts[CUT_UNKNOWN] > 0);
    if (m->session->common->json) {
        count_answers(m, counts);
        exports_add_all(&m->session->exports, &f->findings);
        report_print(f, m->session);
    } else {
        print_findings(m);
        print_answers(m);
        print_hidden(m);
    }
    return verdict_status(f->verdict);
}

static int run(struct session *s, const void *options, struct err *e)
{
    const struct monitor_command *c = options;
    if (check_command(s, c, e) < 0) {
        return MISUSED;
    }
    struct monitoring m = {.session = s, .command = c};
    report_begin(&m.file, s);
    spec_init(&m.spec);
    int status = read_spec(&m, e);
    if (status == 0) {
        status = c->simulate >= 0         ? find_in_simulation(&m, e)
                 : c->check_every != NULL ? find_in_stream(&m, e)
                                          : find_in_traces(&m, e);
    }
    if (status == 0) {
        session_warn(s, "monitor", &m.notes);
        doubt_unread(&m);
        status = conclude(&m);
        status = m.is_terminated && status >= 0 ? 128 + SIGTERM : status;
    }
    spec_release(&m.spec);
    monitor_result_release(&m.result);
    finding_file_release(&m.file);
    notes_release(&m.notes);
    return status;
}

#define ROW(field, ...)                                                \
    {                                                                  \
        .target = offsetof(struct monitor_command, field), __VA_ARGS__ \
    }

static const struct option options[] = {
    ROW(spec, .name = "spec", .type = OPTION_FILE, .argument = "FILE",
        .help = "the properties to check (man 5 clew-spec); a simulated run has its own"),
    ROW(skew, .name = "skew", .type = OPTION_MOMENT, .argument = "TIME",
        .help = "maximum clock skew between processes: a time (10ms, 50us), or a number of the "
                "trace's ticks"),
    ROW(no_clocks, .name = "no-clocks", .type = OPTION_FLAG,
        .help = "ignore clocks: only messages order the events of different processes"),
    ROW(check_every, .name = "check-every", .type = OPTION_TEXT, .argument = "TIME|Nevents|event",
        .help = "read a stream in bounded memory; check the properties each time all clocks have "
                "advanced by TIME, or after every N events; print findings at once"),
    ROW(lag, .name = "lag", .type = OPTION_MOMENT, .argument = "TIME",
        .help = "streams: do not wait for a process that is more than TIME behind the others: a "
                "time, or a number of the trace's ticks (default: the skew plus 1s; if ticks have "
                "no unit, 100 times the skew)"),
    ROW(via, .name = "via", .type = OPTION_TEXT, .argument = "SOLVER",
        .help = "decide every property with a solver: z3, or z3-packed, whose formula has one "
                "number per process instead of two"),
    ROW(smtlib, .name = "smtlib", .type = OPTION_FILE, .argument = "DIR",
        .help = "write the formula of each property to a file in DIR"),
    ROW(compat, .name = "compat", .type = OPTION_CHOICE, .argument = "NAME", .word = compat_word,
        .help = "monitor-paper: apply the skew to hybrid logical clocks, as published"),
    ROW(simulate, .name = "simulate", .type = OPTION_CHOICE, .argument = "RUN",
        .word = workload_word,
        .help = "generate a run instead of reading a trace: synthetic (variables change at "
                "random), tdm (time-division mutual exclusion with overruns) or token "
                "(token-passing mutual exclusion)"),
    ROW(processes, .name = "processes", .type = OPTION_NUMBER, .argument = "N",
        .help = "simulated run: number of processes (default: 10)"),
    ROW(delay, .name = "delay", .type = OPTION_MOMENT, .argument = "TIME",
        .help = "simulated run: message delay (default: 1ms)"),
    ROW(messages, .name = "messages", .type = OPTION_NUMBER, .argument = "N",
        .help = "simulated run: messages per second from each process (default: 1000)"),
    ROW(beta, .name = "beta", .type = OPTION_NUMBER, .argument = "PERCENT",
        .help = "simulated run: probability, per tick, that a variable changes (default: 1)"),
    ROW(interval, .name = "interval", .type = OPTION_MOMENT, .argument = "TIME",
        .help =
            "simulated run: time for which a changed variable keeps its value (default: 0.1ms)"),
    ROW(seconds, .name = "seconds", .type = OPTION_NUMBER, .argument = "N",
        .help = "simulated run: duration (default: 1)"),
    ROW(tick, .name = "tick", .type = OPTION_MOMENT, .argument = "TIME",
        .help = "simulated run: clock resolution (default: 0.01ms)"),
    ROW(fault, .name = "fault", .type = OPTION_NUMBER, .argument = "PERCENT",
        .help = "tdm: probability that a process overruns its time slot (default: 10)"),
    ROW(seed, .name = "seed", .type = OPTION_NUMBER, .argument = "N",
        .help = "simulated run: seed of all random choices (default: 1)"),
    COMMON_JSON,
    COMMON_LIMIT,
    COMMON_SUPPRESS,
    COMMON_EXPORTS,
    COMMON_INPUT,
    COMMON_BUDGET,
    COMMON_ALWAYS,
    {0},
};

static const struct monitor_command defaults = {.common = COMMON_DEFAULTS,
                                                .simulate = -1,
                                                .processes = 10,
                                                .messages = 1000,
                                                .seconds = 1,
                                                .beta = 1,
                                                .fault = 10,
                                                .seed = 1};

static const struct example examples[] = {
    {"clew monitor --spec bank.spec --skew 10ms run.clew",
     "Check the properties under a clock skew of up to 10 ms."},
    {"clew monitor --spec bank.spec --no-clocks --json run.clew",
     "Check them without relying on clocks."},
    {"tail -f reports.jsonl | clew monitor --spec bank.spec --skew 10ms --check-every 1s "
     "--from jsonl -",
     "Check them while the system runs."},
    {"clew monitor --simulate tdm", "Monitor time-division mutual exclusion with overruns."},
    {"clew monitor --simulate synthetic --via z3", "Monitor the published workload with libz3."},
    {0},
};

const struct verb verb_monitor = {
    .name = "monitor",
    .summary = "check properties of a trace whose clocks have a bounded skew",
    .operands = "[TRACE...]",
    .operand_min = 0,
    .operand_max = SIZE_MAX,
    .about = "Reads the values and messages that the processes of a system reported, timestamped "
             "by clocks that agree up to a skew. Decides for each property whether some consistent "
             "cut breaks it: yes, with that cut; no; or unknown, with the reason. A consistent cut "
             "has one state of each process, contains the send of each message that it has "
             "received, and leaves out no event that ended earlier than the skew allows.",
    .exit_statuses = "0 no consistent cut breaks a property\n1 a consistent cut breaks a "
                     "property\n2 a trace or the properties could not be read\n3 some property is "
                     "undecided\n143 SIGTERM ended a stream: the answers hold up to that point",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct monitor_command),
    .examples = examples,
    .run = run,
};
