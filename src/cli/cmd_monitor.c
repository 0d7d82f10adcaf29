/* clew monitor: could it have gone wrong, at some moment the clocks allow? */
#include <string.h>

#include "cli/reading.h"
#include "cli/report.h"
#include "monitor/monitor.h"
#include "monitor/workload.h"

struct monitor_command {
    struct common common;
    const char *spec;
    struct moment skew;
    bool no_clocks;
    const char *via;
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
        return session_misused(e, is_simulated ? "a simulated run, or a trace: not both"
                                               : "which trace? or --simulate a run");
    }
    if (s->input_count > 1 && !c->common.one_run) {
        return session_misused(e, "several traces are one run only with --one-run");
    }
    if (c->spec == NULL && !is_simulated) {
        return session_misused(e, "what must hold? say it with --spec FILE (man 5 clew-spec)");
    }
    if (c->skew.is_given && c->no_clocks) {
        return session_misused(e, "--skew or --no-clocks, not both");
    }
    if (!c->skew.is_given && !c->no_clocks && !is_simulated) {
        return session_misused(e, "by how much may clocks differ? say it with --skew 10ms, or that "
                                  "they say nothing with --no-clocks");
    }
    if (c->skew.is_given && !c->skew.is_relative && c->skew.ticks < 0) {
        return session_misused(e, "--skew: not below 0");
    }
    if (c->via != NULL && strcmp(c->via, "z3") != 0) {
        return session_misused(e, "--via: z3 is all there is");
    }
    if (c->processes < 2 || c->processes > 10000 || c->seconds < 1 || c->seconds > 1000000) {
        return session_misused(e, "--processes is from 2 to 10000, --seconds from 1 on");
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
    struct in in;
    const char *name = c->spec;
    if (c->spec == NULL) {
        name = workload_word((size_t)c->simulate);
        const char *text = workload_spec((enum workload_kind)c->simulate);
        in_open_memory(&in, text, strlen(text));
    } else if (in_open(&in, c->spec, e) < 0) {
        return err_wrap(e, "%s", c->spec);
    }
    const int result = spec_parse(&m->spec, &in, e);
    in_close(&in);
    return result < 0 ? err_wrap(e, "%s", name) : 0;
}

/* ---- runs ---- */

static int find_in(struct monitoring *m, const struct trace *t, struct err *e)
{
    const struct monitor_command *c = m->command;
    m->options.is_paper = c->compat == 1;
    m->options.decide = (struct decide_options){
        .is_by_solver = c->via != NULL,
        .budget = {.time_ns_max = m->session->budget.time_ns},
    };
    if (c->no_clocks) {
        m->options.skew = INT64_MAX;
    } else if (c->skew.is_given &&
               moment_ticks(&c->skew, 0, t->tables.tick_ns, &m->options.skew, e) < 0) {
        return err_wrap(e, "--skew");
    }
    m->file.event_count = t->events.count;
    vec_push(&m->file.assumptions,
             m->options.skew == INT64_MAX
                 ? "clocks say nothing"
                 : findings_text(&m->file.findings, "clocks differ by at most %lld ticks",
                                 (long long)m->options.skew));
    return monitor_find(t, &m->spec, &m->options, &m->file.findings, &m->result, &m->notes, e) < 0
               ? err_wrap(e, "%s", c->spec != NULL ? c->spec : workload_word((size_t)c->simulate))
               : 0;
}

static int find_in_traces(struct monitoring *m, struct err *e)
{
    struct reading reading;
    if (reading_open(&reading, m->session, e) < 0) {
        return -1;
    }
    int result = reading_load(&reading, e);
    if (result == 0) {
        reading_warn(&reading);
        result = find_in(m, &reading.trace, e);
        vec_each (&m->file.findings.list, finding) {
            reading_place_events(&reading, &m->file.findings, finding);
        }
    }
    reading_close(&reading);
    return result;
}

static int ticks_of(const struct moment *m, const char *name, uint64_t tick_ns, int64_t *ticks,
                    struct err *e)
{
    if (m->is_given && moment_ticks(m, 0, tick_ns, ticks, e) < 0) {
        return err_wrap(e, "--%s", name);
    }
    return *ticks < 0 ? session_misused(e, "--%s: not below 0", name) : 0;
}

/* The run that the options describe. */
static int choose_workload(const struct monitor_command *c, struct workload *w, struct err *e)
{
    enum { TICKS_MAX = 100 * 1000 * 1000 };
    *w = workload_default((enum workload_kind)c->simulate);
    w->process_count = (uint32_t)c->processes;
    w->beta = (uint32_t)c->beta * 10000;
    w->fault = (uint32_t)c->fault * 10000;
    w->message_rate = (uint32_t)(c->messages * 10);
    w->duration *= (int64_t)c->seconds;
    w->seed = c->seed;
    if (c->tick.is_given && (!c->tick.is_relative || c->tick.time_ns == 0)) {
        return session_misused(e, "--tick: a time such as 0.01ms");
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

static void print_answers(struct monitoring *m)
{
    struct session *s = m->session;
    static const char *const verdicts[] = {
        [CUT_UNKNOWN] = "unknown", [CUT_NO] = "no", [CUT_YES] = "yes"};
    for (size_t i = 0; i < m->result.properties.count; i++) {
        const struct monitor_answer *a = &m->result.properties.at[i];
        session_text(s, names_text(&m->spec.names, m->spec.properties.at[i].name));
        out_format(&s->out, ": %s", verdicts[a->verdict]);
        if (a->verdict == CUT_UNKNOWN) {
            out_format(&s->out, ", %s", a->reason);
        } else {
            out_format(&s->out, " (%s)", method_name(a->method));
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
    uint64_t number = 0;
    vec_each (&m->file.findings.list, finding) {
        if (number++ == s->common->limit) {
            return;
        }
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

static int conclude(struct monitoring *m)
{
    uint64_t counts[CUT_YES + 1] = {0};
    uint64_t violations = 0;
    vec_each (&m->result.properties, answer) {
        counts[answer->verdict]++;
        violations += answer->is_violation;
    }
    struct finding_file *f = &m->file;
    f->verdict = violations > 0            ? VERDICT_FOUND
                 : counts[CUT_UNKNOWN] > 0 ? VERDICT_UNKNOWN
                                           : VERDICT_CLEAN;
    if (m->session->common->json) {
        finding_file_count(f, "processes", m->result.process_count);
        finding_file_count(f, "reports", m->result.report_count);
        finding_file_count(f, "messages", m->result.message_count);
        finding_file_count(f, "possible", counts[CUT_YES]);
        finding_file_count(f, "impossible", counts[CUT_NO]);
        finding_file_count(f, "unknown", counts[CUT_UNKNOWN]);
        report_print(f, m->session);
    } else {
        print_findings(m);
        print_answers(m);
    }
    return violations > 0 ? EXIT_FOUND : counts[CUT_UNKNOWN] > 0 ? EXIT_BUDGET : EXIT_CLEAN;
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
        status = c->simulate >= 0 ? find_in_simulation(&m, e) : find_in_traces(&m, e);
    }
    if (status == 0) {
        session_warn(s, "monitor", &m.notes);
        status = conclude(&m);
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
        .help = "the properties (man 5 clew-spec); a simulated run brings its own"),
    ROW(skew, .name = "skew", .type = OPTION_MOMENT, .argument = "TIME",
        .help =
            "clocks differ by at most so much: a time (10ms), or a number of the trace's ticks"),
    ROW(no_clocks, .name = "no-clocks", .type = OPTION_FLAG,
        .help = "clocks say nothing: only messages order what processes do"),
    ROW(via, .name = "via", .type = OPTION_TEXT, .argument = "SOLVER",
        .help = "let a solver decide every property: z3"),
    ROW(compat, .name = "compat", .type = OPTION_CHOICE, .argument = "NAME", .word = compat_word,
        .help = "monitor-paper: the skew is on hybrid logical time, as published"),
    ROW(simulate, .name = "simulate", .type = OPTION_CHOICE, .argument = "RUN",
        .word = workload_word,
        .help = "no trace but a made-up run: synthetic (variables that change at random), tdm "
                "(turns by the clock, some held too long) or token (turns by a token)"),
    ROW(processes, .name = "processes", .type = OPTION_NUMBER, .argument = "N",
        .help = "of a simulated run (default: 10)"),
    ROW(delay, .name = "delay", .type = OPTION_MOMENT, .argument = "TIME",
        .help = "its messages take so long (default: 1ms)"),
    ROW(messages, .name = "messages", .type = OPTION_NUMBER, .argument = "N",
        .help = "so many a second from each process (default: 1000)"),
    ROW(beta, .name = "beta", .type = OPTION_NUMBER, .argument = "PERCENT",
        .help = "the chance, each tick, that a variable changes (default: 1)"),
    ROW(interval, .name = "interval", .type = OPTION_MOMENT, .argument = "TIME",
        .help = "for which it then stays (default: 0.1ms)"),
    ROW(seconds, .name = "seconds", .type = OPTION_NUMBER, .argument = "N",
        .help = "how long the run is (default: 1)"),
    ROW(tick, .name = "tick", .type = OPTION_MOMENT, .argument = "TIME",
        .help = "the step of its clocks (default: 0.01ms)"),
    ROW(fault, .name = "fault", .type = OPTION_NUMBER, .argument = "PERCENT",
        .help = "of tdm: the chance that a turn is held too long (default: 10)"),
    ROW(seed, .name = "seed", .type = OPTION_NUMBER, .argument = "N",
        .help = "what all chance comes from (default: 1)"),
    COMMON_JSON,
    COMMON_LIMIT,
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
     "Whether a property could have been broken while clocks differed by up to 10 ms."},
    {"clew monitor --spec bank.spec --no-clocks --json run.clew",
     "The same where clocks are not to be trusted at all."},
    {"clew monitor --simulate tdm", "Turns by the clock, some of them held for too long."},
    {"clew monitor --simulate synthetic --via z3", "The published workload, through libz3."},
    {0},
};

const struct verb verb_monitor = {
    .name = "monitor",
    .summary = "whether a property could have been broken, as far as clocks tell",
    .operands = "[TRACE...]",
    .operand_min = 0,
    .operand_max = SIZE_MAX,
    .about =
        "Takes the values that the processes of a system reported, and their messages, with times "
        "from clocks that agree only up to a skew, and decides for each property whether some "
        "moment that could have been seen breaks it: yes with that moment, no, or unknown with the "
        "reason. A moment is a state of each process such that what was received had been sent, "
        "and nothing is missing that was over by more than the skew.",
    .exit_statuses = "0 no property can have been broken\n1 one can\n2 a trace or the properties "
                     "could not be read\n3 it could not be decided of some",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct monitor_command),
    .examples = examples,
    .run = run,
};
