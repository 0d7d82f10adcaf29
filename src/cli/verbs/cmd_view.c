/* clew view: an execution, and what was found in it, as a page for a browser. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/input/finding_trace.h"
#include "cli/input/schedule_run.h"
#include "cli/interrupt.h"
#include "cli/text/page_server.h"
#include "hunt/page_sources.h"
#include "hunt/run_page.h"
#include "report/findings_file.h"

struct view_command {
    struct common common;
    const char *finding;
    struct texts sources;
    const char *spec;
    const char *config;
    bool likelihood;
    bool serve;
    uint64_t port;
    struct command_choice program;
};

/* One command: the page that it writes. */
struct viewing {
    struct session *session;
    const struct view_command *command;
    struct page page;
    struct findings findings; /* that the page shows */
    struct arena arena;
};

static int write_document(struct viewing *v, struct out *out, struct err *e)
{
    const char *folders[TEXTS_MAX + 1] = {"."};
    const struct texts *more = &v->command->sources;
    for (size_t i = 0; i < more->count; i++) {
        folders[i + 1] = more->at[i];
    }
    return page_write_with_sources(&v->page, &(struct page_folders){folders, more->count + 1}, out,
                                   e);
}

/* Serves the page until Ctrl-C. */
static int serve_page(struct viewing *v, struct err *e)
{
    struct out document;
    struct stopping stopping;
    out_open_memory(&document);
    int result = write_document(v, &document, e);
    if (result == 0) {
        stopping_begin(&stopping);
        const struct page_server_options options = {.port = (uint16_t)v->command->port,
                                                    .out = &v->session->out,
                                                    .is_stopped = stopping_wish()};
        result = page_server_run(document.buffer, document.used, &options, e);
        stopping_end(&stopping);
    }
    out_abandon(&document);
    return result;
}

/* Writes the page to --output, or serves it. */
static int write_page(struct viewing *v, struct err *e)
{
    const struct common *c = v->session->common;
    const size_t count = v->page.findings->list.count;
    struct out out;
    if (v->command->serve) {
        return serve_page(v, e);
    }
    if (strcmp(c->output, "-") == 0) {
        return write_document(v, &v->session->out, e);
    }
    if (out_open(&out, c->output, e) < 0) {
        return -1;
    }
    if (write_document(v, &out, e) < 0) {
        out_abandon(&out);
        return -1;
    }
    if (out_close(&out, e) < 0) {
        return -1;
    }
    if (!c->quiet) {
        session_say("%s: %zu events, %zu finding%s", c->output, v->page.runs[0].trace->events.count,
                    count, count == 1 ? "" : "s");
    }
    return 0;
}

/* The run that the page is about. */
static void set_run(struct viewing *v, const char *title, const struct trace *t)
{
    v->page.title = title;
    v->page.runs[0].title = title;
    v->page.runs[0].trace = t;
    v->page.run_count = 1;
    v->page.findings = &v->findings;
}

/* Another run beside it. */
static void add_run(struct viewing *v, const char *title, const struct trace *t)
{
    must(v->page.run_count == 1);
    v->page.runs[v->page.run_count++] = (struct page_run){.title = title, .trace = t};
}

/* ---- traces ---- */

/* What the trace itself reports: each violation in it. */
static void add_violations(struct viewing *v, const struct trace *t)
{
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *event = trace_at(t, id);
        if (event->kind != EVENT_VIOLATION) {
            continue;
        }
        struct finding_event *events = arena_array(&v->findings.arena, struct finding_event, 1);
        events[0] = findings_event(&v->findings, t, id, 0);
        findings_add(&v->findings, &(struct finding){.kind = FINDING_PROPERTY,
                                                     .status = STATUS_CONFIRMED,
                                                     .grade = GRADE_SOUND,
                                                     .what = trace_name(t, event->text),
                                                     .key = trace_name(t, event->object),
                                                     .events = events,
                                                     .event_count = 1,
                                                     .pair_count = 1});
    }
}

/* Loads the whole trace of an open reading. */
static int load(struct reading *r, struct err *e)
{
    if (reading_load(r, e) < 0) {
        return -1;
    }
    return r->is_cut
               ? err_set(e, "%s: the budget ended before the trace did; raise --budget", r->name)
               : 0;
}

static bool has_violation(const struct trace *t)
{
    trace_each (t, event) {
        if (event->kind == EVENT_VIOLATION) {
            return true;
        }
    }
    return false;
}

/* Two traces side by side; one with a violation comes first. */
static int view_two(struct viewing *v, struct reading *first, struct err *e)
{
    struct reading second;
    int status = reading_open_one(&second, v->session, 1, e);
    if (status != 0) {
        return status;
    }
    status = load(&second, e);
    if (status == 0) {
        const bool is_swapped = has_violation(&second.trace) && !has_violation(&first->trace);
        const struct reading *shown = is_swapped ? &second : first;
        const struct reading *beside = is_swapped ? first : &second;
        set_run(v, shown->name, &shown->trace);
        add_violations(v, &shown->trace);
        add_run(v, beside->name, &beside->trace);
        v->page.verdict = v->findings.list.count > 0 ? v->findings.list.at[0].what : NULL;
        status = write_page(v, e);
        reading_warn(&second);
    }
    reading_close(&second);
    return status;
}

static int view_trace(struct viewing *v, struct err *e)
{
    struct reading r;
    struct session *s = v->session;
    const bool is_pair = s->input_count == 2 && !s->common->one_run;
    if (s->command != NULL) {
        return session_misused(e, "a trace is viewed as it is, without a program");
    }
    int status = is_pair ? reading_open_one(&r, s, 0, e) : reading_open(&r, s, e);
    if (status != 0) {
        return status;
    }
    status = load(&r, e);
    if (status == 0 && is_pair) {
        status = view_two(v, &r, e);
    } else if (status == 0) {
        set_run(v, r.name, &r.trace);
        add_violations(v, &r.trace);
        v->page.verdict = v->findings.list.count > 0 ? v->findings.list.at[0].what : NULL;
        status = write_page(v, e);
    }
    if (status == 0) {
        reading_warn(&r);
    }
    reading_close(&r);
    return status;
}

/* ---- findings ---- */

/* Shows the findings that are of the trace of the first that is chosen. */
static int choose_findings(struct viewing *v, struct finding_trace *l,
                           const struct finding_file *from, struct err *e)
{
    const struct finding *last = NULL;
    for (size_t i = 0; i < from->findings.list.count; i++) {
        struct finding *f = &from->findings.list.at[i];
        if (!finding_is_named(f, (uint32_t)i + 1, v->command->finding)) {
            continue;
        }
        f->id = f->id == 0 ? (uint32_t)i + 1 : f->id;
        last = f;
        const bool is_here = f->event_count > 0 && (l->input == SIZE_MAX || l->is_joined ||
                                                    f->events[0].input == l->input);
        if (!is_here) {
            v->page.findings_elsewhere++;
        } else if (finding_trace_load(l, f, e) != 0) {
            return -1;
        } else {
            findings_add(&v->findings, f);
        }
    }
    if (last == NULL && v->command->finding != NULL) {
        return err_set(e, "%s: no finding has the number or the key \"%s\"; there are %zu",
                       v->session->inputs[0], v->command->finding, from->findings.list.count);
    }
    return last != NULL && v->findings.list.count == 0 ? finding_has_no_trace(last, "view", e) : 0;
}

/* A file without findings: its trace, where there is one. */
static int load_first_input(struct finding_trace *l, const struct finding_file *from,
                            const char *path, struct err *e)
{
    const struct finding_event event = {.input = 0};
    const struct finding first = {.events = &event, .event_count = 1};
    if (from->inputs.count == 0) {
        return err_set(e, "%s: names no input and has no findings", path);
    }
    return finding_trace_load(l, &first, e);
}

static int view_findings(struct viewing *v, struct in *in, struct err *e)
{
    struct finding_file from = {0};
    struct finding_trace l;
    const char *path = v->session->inputs[0];
    if (v->session->command != NULL || v->session->input_count > 1) {
        return session_misused(e, "a findings file is viewed with its trace, without a program");
    }
    if (finding_file_parse(&from, in, e) < 0) {
        return err_wrap(e, "%s", path);
    }
    finding_trace_init(&l, v->session, &from);
    int status = choose_findings(v, &l, &from, e);
    if (status == 0 && l.input == SIZE_MAX) {
        status = load_first_input(&l, &from, path, e);
    }
    if (status == 0) {
        set_run(v, l.reading.name, &l.reading.trace);
        v->page.assumptions = from.assumptions.at;
        v->page.assumption_count = from.assumptions.count;
        const bool is_found = v->findings.list.count > 0;
        v->page.verdict = is_found                          ? v->findings.list.at[0].what
                          : from.verdict == VERDICT_UNKNOWN ? "unknown: the search was not finished"
                                                            : "nothing was found";
        v->page.replay = is_found ? v->findings.list.at[0].replay : NULL;
        status = write_page(v, e);
    }
    finding_trace_close(&l);
    vec_release(&v->findings.list);
    finding_file_release(&from);
    return status;
}

/* ---- schedules ---- */

static int view_run(struct viewing *v, const struct schedule_run *r, struct err *e)
{
    struct run_page run = {0};
    struct stopping stopping;
    stopping_begin(&stopping);
    const struct limit limit = schedule_run_budget(r);
    const struct limit lost_limit = {
        .time_ns = limit.time_ns, .is_stopped = limit.is_stopped, .begin_ns = limit.begin_ns};
    const struct likelihood_options likelihood = {.limit = &lost_limit};
    const struct run_page_options options = {.title = v->session->inputs[0],
                                             .replay = schedule_run_command(r, &v->arena),
                                             .explain = {.limit = &limit},
                                             .likelihood =
                                                 v->command->likelihood ? &likelihood : NULL};
    int status = run_page_build(&run, r->world, &r->schedule, &options, e);
    stopping_end(&stopping);
    if (status < 0) {
        (void)err_wrap(e, "%s", v->session->inputs[0]);
    } else {
        v->page = run.page;
        status = write_page(v, e);
    }
    run_page_release(&run);
    return status;
}

static int view_schedule(struct viewing *v, struct err *e)
{
    const struct view_command *c = v->command;
    struct schedule_run r = {
        .session = v->session, .program = &c->program, .spec = c->spec, .config = c->config};
    if (v->session->input_count > 2) {
        return session_misused(e, "a schedule is viewed with one system");
    }
    int status = schedule_run_open(&r, e);
    if (status == 0) {
        status = view_run(v, &r, e);
    }
    schedule_run_close(&r);
    return status;
}

/* ---- the command ---- */

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The schedule of a violation of a campaign, or of a bug of a hunt: the minimized one, where there
 * is one. */
static int find_schedule(struct viewing *v, const char *folder, const char **path, struct err *e)
{
    static const struct {
        const char *before, *after;              /* the number */
    } names[] = {{"/violations/", ".min.sched"}, /* of a campaign */
                 {"/violations/", ".sched"},
                 {"/", ".min.sched"}, /* of a hunt */
                 {"/", ".sched"}};
    const char *number = v->command->finding == NULL ? "1" : v->command->finding;
    if (strspn(number, "0123456789") != strlen(number)) {
        return session_misused(e, "--finding: a violation of a campaign has a number");
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct out text;
        out_open_memory(&text);
        out_format(&text, "%s%s%s%s", folder, names[i].before, number, names[i].after);
        *path = arena_text(&v->arena, text.buffer, text.used);
        out_abandon(&text);
        if (access(*path, R_OK) == 0) {
            return 0;
        }
    }
    return err_set(e, "%s: has no violation %s: there is no %s", folder, number, *path);
}

/* As if the schedule had been named in place of its campaign. */
static int view_campaign(struct viewing *v, struct err *e)
{
    struct session *s = v->session;
    const char *const *inputs = s->inputs;
    const char *replaced[2] = {NULL, s->input_count > 1 ? s->inputs[1] : NULL};
    if (s->input_count > 2) {
        return session_misused(e, "a campaign is viewed with one system");
    }
    int status = find_schedule(v, inputs[0], &replaced[0], e);
    if (status == 0) {
        s->inputs = replaced;
        status = view_schedule(v, e);
        s->inputs = inputs;
    }
    return status;
}

enum view_input { VIEW_TRACE, VIEW_FINDINGS, VIEW_SCHEDULE };

/* Recognized by the first bytes; a findings file is an object whose first member is "clew". */
static enum view_input kind_of_input(const struct in *in)
{
    static const char schedule[] = "clew-schedule ";
    static const char member[] = "\"clew\"";
    const char *blanks = " \t\r\n";
    size_t at = 0;
    if (in->available >= sizeof schedule - 1 &&
        memcmp(in->at, schedule, sizeof schedule - 1) == 0) {
        return VIEW_SCHEDULE;
    }
    bool is_open = false;
    while (at < in->available && (strchr(blanks, in->at[at]) != NULL || in->at[at] == '{') &&
           in->at[at] != '\0') {
        is_open = is_open || in->at[at] == '{';
        at++;
    }
    return is_open && in->available - at >= sizeof member - 1 &&
                   memcmp(in->at + at, member, sizeof member - 1) == 0
               ? VIEW_FINDINGS
               : VIEW_TRACE;
}

static int view_input(struct viewing *v, struct err *e)
{
    enum { PEEK = 256 };
    const char *path = v->session->inputs[0];
    struct in in;
    if (strcmp(path, "-") == 0) {
        return view_trace(v, e);
    }
    if (is_folder(path)) {
        return view_campaign(v, e);
    }
    if (in_open(&in, path, e) < 0) {
        return err_wrap(e, "%s", path);
    }
    if (in_fill(&in, PEEK, e) < 0) {
        in_close(&in);
        return err_wrap(e, "%s", path);
    }
    const enum view_input kind = kind_of_input(&in);
    int status = kind == VIEW_FINDINGS ? view_findings(v, &in, e) : 0;
    in_close(&in);
    if (v->command->likelihood && kind != VIEW_SCHEDULE) {
        return session_misused(e, "--likelihood runs a schedule, and %s is none", path);
    }
    if (kind == VIEW_SCHEDULE) {
        status = view_schedule(v, e);
    } else if (kind == VIEW_TRACE) {
        status = view_trace(v, e);
    }
    return status;
}

static int run(struct session *s, const void *options, struct err *e)
{
    const struct view_command *c = options;
    struct viewing v = {.session = s, .command = c};
    if ((c->common.output == NULL) != c->serve) {
        return session_misused(e,
                               c->serve ? "--serve and --output do not go together"
                                        : "where to? clew view %s -o report.html, or --serve",
                               s->inputs[0]);
    }
    if (c->port != 0 && !c->serve) {
        return session_misused(e, "--port is for --serve");
    }
    if (c->port > UINT16_MAX) {
        return session_misused(e, "--port: %llu is no port, which is at most %d",
                               (unsigned long long)c->port, UINT16_MAX);
    }
    if (command_check(s, &c->program, e) < 0) {
        return MISUSED;
    }
    const int status = view_input(&v, e);
    findings_release(&v.findings);
    arena_release(&v.arena);
    return status;
}

static const struct option options[] = {
    {.name = "finding",
     .type = OPTION_TEXT,
     .argument = "N|KEY",
     .target = offsetof(struct view_command, finding),
     .help = "findings: show only this one, by its number or its key (default: all); a campaign: "
             "the violation of this number, or a hunt: the bug (default: 1)"},
    {.name = "source",
     .type = OPTION_TEXTS,
     .argument = "DIR",
     .target = offsetof(struct view_command, sources),
     .help = "look for source files in DIR too; may be repeated (default: the current directory)"},
    {.name = "spec",
     .type = OPTION_FILE,
     .argument = "FILE",
     .target = offsetof(struct view_command, spec),
     .help = "schedules: check these properties, as the exploration did"},
    {.name = "config",
     .type = OPTION_FILE,
     .argument = "FILE",
     .target = offsetof(struct view_command, config),
     .help = "schedules: external events, as in the exploration (default: set by the system)"},
    {.name = "likelihood",
     .type = OPTION_FLAG,
     .target = offsetof(struct view_command, likelihood),
     .help = "schedules: measure when the run was lost: the share of runs that fail, of those with "
             "the same first steps"},
    {.name = "serve",
     .type = OPTION_FLAG,
     .target = offsetof(struct view_command, serve),
     .help = "serve the page over HTTP on 127.0.0.1 until Ctrl-C, at the address that is printed"},
    {.name = "port",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct view_command, port),
     .help = "--serve: listen on this port (default: any that is free)"},
    COMMAND_OPTIONS(struct view_command),
    COMMON_ROW(output, .name = "output", .letter = 'o', .type = OPTION_OUTPUT, .argument = "FILE",
               .help = "write the page to FILE; - is standard output"),
    COMMON_INPUT,
    COMMON_BUDGET,
    COMMON_ALWAYS,
    {0},
};

static const struct view_command defaults = {.common = COMMON_DEFAULTS,
                                             .program = COMMAND_CHOICE_DEFAULTS};

static const struct example examples[] = {
    {"clew races --json run.clew > run.findings; clew view run.findings -o races.html",
     "Show the races of a recording, each with its causal past."},
    {"clew view account.campaign/violations/1.sched -o bug.html -- ./account",
     "Show a failing run of a program, step by step."},
    {"clew view --likelihood account.campaign -o bug.html -- ./account",
     "Also measure at which step the run was lost."},
    {"clew view ring.campaign/violations/1.min.sched ./ring.so -o bug.html",
     "The same for a run of a simulated system."},
    {"clew view ring.campaign ./ring.so -o bug.html",
     "Show the first violation of a campaign, minimized if it was."},
    {"clew view --finding 2 server.hunt -o bug.html -- ./server",
     "Show the second bug of a hunt, as it is in the program now."},
    {"clew view bad.clew good.clew -o both.html", "Show two traces side by side."},
    {"clew view --serve --port 8080 run.clew",
     "Serve the page on loopback, for a browser at the other end of an SSH tunnel."},
    {"clew view run.clew -o run.html", "Show a trace in which nothing was looked for."},
    {0},
};

const struct verb verb_view = {
    .name = "view",
    .summary = "show an execution and its bug as a page for a browser",
    .operands = "TRACE [TRACE] | FINDINGS | SCHEDULE|DIR SYSTEM.so | SCHEDULE|DIR -- PROGRAM...",
    .operand_min = 1,
    .operand_max = TEXTS_MAX,
    .takes_command = true,
    .is_stopped_softly = true,
    .about = "Writes one HTML file that needs no network: the verdict, the command that replays "
             "it, the assumptions, and a space-time diagram that opens at the bug with only the "
             "events that can have caused it. Arrow keys step; each event has its source line and "
             "the state there; the address of the page names the moment. A findings file (the "
             "output of --json) is shown with the trace that it names, a schedule is run in the "
             "system or program on the command line, with the nearest passing run beside it. Two "
             "traces stand side by side, opened where they part.",
    .exit_statuses = "0 the page was written\n2 the input, its trace or its system could not be "
                     "read",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct view_command),
    .examples = examples,
    .run = run,
};
