/* clew hunt: from a program to confirmed, minimized and explained bugs. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/input/build_command.h"
#include "cli/input/fuzz_option.h"
#include "cli/input/program_command.h"
#include "cli/input/program_file.h"
#include "cli/input/spec_file.h"
#include "cli/text/findings_output.h"
#include "cli/text/progress.h"
#include "cli/text/search_progress.h"
#include "cli/text/stdout_redirect.h"
#include "cli/text/verdict.h"
#include "cli/verbs/assumptions.h"
#include "hunt/hunt.h"
#include "hunt/hunt_report.h"
#include "sim/sim.h"

struct hunt_command {
    struct common common;
    const char *build;
    const char *bug;
    const char *set;
    const char *faults;
    const char *spec;
    const char *config;
    struct texts sources;
    uint64_t seed;
    bool ignore_exit;
    bool allow_uncontrolled;
    struct command_choice program;
};

enum {
    DEPTH_DEFAULT = 1000,
    FOLDERS_MAX = 10000,
    VERIFY_EVERY = 100,
    JOBS_MAX = 1024,
    ROWS_SHOWN = 14,
    CAUSES_SHOWN = 3,
};
static const uint64_t time_ns_default = 60000000000;

/* One hunt from its options to its report. */
struct hunting {
    struct session *session;
    const struct hunt_command *command;
    struct command_choice choice; /* of the world that is open */
    struct spec spec;
    struct fuzz fuzz;
    struct searching line;
    char folder[4000];
    struct hunt hunt;
};

static bool is_program(const struct hunting *g)
{
    return g->session->command != NULL;
}

/* ---- callbacks ---- */

/* Bugs and settings in one list, as schedules have them; NULL when there are none. */
static char *join_choices(const struct hunt_command *c)
{
    struct out out;
    if (c->bug == NULL && c->set == NULL) {
        return NULL;
    }
    out_open_memory(&out);
    out_format(&out, "%s%s%s", c->bug == NULL ? "" : c->bug,
               c->bug != NULL && c->set != NULL ? "," : "", c->set == NULL ? "" : c->set);
    char *list = mem_text(out.buffer, out.used);
    out_abandon(&out);
    return list;
}

static int open_system(struct hunting *g, struct hunt_target *t, struct err *e)
{
    const struct hunt_command *c = g->command;
    char *with = join_choices(c);
    const struct sim_options options = {.with = with,
                                        .spec = c->spec == NULL ? NULL : &g->spec,
                                        .fuzz = c->config == NULL ? NULL : &g->fuzz,
                                        .fuzz_name = c->config};
    int result = printed_drop(e);
    if (result == 0) {
        result = program_file_is(g->session->inputs[0])
                     ? program_file_misused(g->session, g->session->inputs[0], e)
                     : sim_open(&t->world, g->session->inputs[0], &options, e);
    }
    mem_free(with);
    if (result < 0) {
        return result;
    }
    const struct sim_defaults own = sim_defaults(t->world);
    t->keeps_checkpoints = c->spec == NULL;
    t->search.depth = own.depth != 0 ? own.depth : DEPTH_DEFAULT;
    t->search.is_drawn = own.is_drawn;
    t->search.prunes_states = spec_count_temporal(&g->spec) == 0;
    const char *faults = c->faults != NULL       ? c->faults
                         : own.faults[0] != '\0' ? own.faults
                                                 : "none";
    if (fault_budget_parse(&t->search.faults, faults, e) < 0) {
        return err_wrap(e, c->faults != NULL ? "--faults" : "the system's faults");
    }
    return own.weights[0] != '\0' && weights_parse(&t->search.weights, own.weights, e) < 0
               ? err_wrap(e, "the system's weights")
               : 0;
}

static int open_world(void *context, bool fails_on_exit, struct hunt_target *t, struct err *e)
{
    struct hunting *g = context;
    const struct hunt_command *c = g->command;
    *t = (struct hunt_target){.is_program = is_program(g)};
    t->search.seed = c->seed;
    if (!is_program(g)) {
        if (open_system(g, t, e) < 0) {
            return -1;
        }
    } else {
        g->choice = c->program;
        g->choice.fail_on = fails_on_exit ? 0 : -1;
        g->choice.verify_every = VERIFY_EVERY;
        t->search.depth = CONTROL_STEPS_DEFAULT;
        t->search.is_mixed = true;
        if (command_open(&t->world, g->session, &g->choice, c->spec == NULL ? NULL : &g->spec, e) <
            0) {
            return -1;
        }
    }
    t->search.has_states = t->world->ops->state_hash != NULL;
    return 0;
}

static const char *doubt_of(void *context)
{
    const struct hunting *g = context;
    return command_doubt(g->hunt.target.world);
}

static void judge(void *context, const struct hunt *h, struct arena *a, struct hunt_judgement *j)
{
    const struct hunting *g = context;
    struct finding_file f = {0};
    const struct assumed_search search = {.world = h->target.world,
                                          .is_program = is_program(g),
                                          .is_complete = h->is_complete,
                                          .has_data_races = h->has_data_races,
                                          .seed = g->command->seed};
    assumptions_add_uncontrolled(&search, &f);
    assumptions_add(&search, &f);
    vec_each (&f.assumptions, sentence) {
        vec_push(&j->left_out, arena_text(a, *sentence, strlen(*sentence)));
    }
    j->hindrance = assumptions_hindrance(&search, g->command->allow_uncontrolled, 0);
    j->is_exact = assumptions_leave_control(&search) && !assumptions_are_made(&search) &&
                  !(is_program(g) && control_told(h->target.world).unseen_count > 0);
    finding_file_release(&f);
}

static void print_replay(void *context, const char *path, struct out *out)
{
    const struct hunting *g = context;
    out_text(out, "clew replay ");
    command_print_options(out, &g->choice, g->command->spec, g->command->config);
    command_print_word(out, path);
    char *words =
        is_program(g) ? command_print(g->session) : command_print_one(g->session->inputs[0]);
    out_format(out, " %s", words);
    mem_free(words);
}

static bool is_hidden(void *context, const struct bug *bug)
{
    struct hunting *g = context;
    struct finding finding = {.kind = bug->kind, .what = bug->what, .key = bug->key};
    if (bug->causes.count > 0) {
        finding.events = bug->causes.at[0]->finding.events;
        finding.event_count = bug->causes.at[0]->finding.event_count;
    }
    return suppressions_hide(&g->session->suppressions, &finding);
}

static void show(void *context, const struct hunt_progress *p)
{
    struct hunting *g = context;
    char line[200];
    int used = snprintf(line, sizeof line, "%s", hunt_stage_name(p->stage));
    if (p->total > 0) {
        used += snprintf(line + used, sizeof line - (size_t)used, " %llu of %llu",
                         (unsigned long long)p->done, (unsigned long long)p->total);
    }
    (void)snprintf(line + used, sizeof line - (size_t)used,
                   ": %s runs, %llu predicted, %llu bug%s so far, %llu s",
                   progress_number((double)p->runs).text, (unsigned long long)p->prediction_count,
                   (unsigned long long)p->bug_count, p->bug_count == 1 ? "" : "s",
                   (unsigned long long)(hunt_elapsed_ns(&g->hunt) / 1000000000));
    searching_show(&g->line, line);
}

/* ---- output ---- */

static void print_row(struct hunting *g, const struct explanation *x,
                      const struct explained_row *row)
{
    struct out *out = &g->session->out;
    must(row->column < x->columns.count);
    out_format(out, "    %s%s%5llu. ", row->is_switch ? "->" : "  ", row->is_key ? "*" : " ",
               (unsigned long long)row->number);
    session_text(g->session, x->columns.at[row->column]);
    out_char(out, ' ');
    session_text(g->session, row->operation);
    if (row->location[0] != '\0') {
        out_text(out, " at ");
        session_text(g->session, row->location);
    }
    if (row->source[0] != '\0') {
        out_text(out, "   ");
        session_text(g->session, row->source);
    } else if (row->detail[0] != '\0') {
        out_text(out, "   ");
        session_text(g->session, row->detail);
    }
    out_char(out, '\n');
}

/* The rows of the cause and around it; of a short interleaving all. */
static void print_rows(struct hunting *g, const struct explanation *x)
{
    bool *is_chosen = mem_zero(x->rows.count + 1, sizeof *is_chosen);
    bool is_gap = x->omitted_count > 0;
    explanation_choose(x, ROWS_SHOWN, is_chosen);
    for (size_t i = 0; i < x->rows.count; i++) {
        const struct explained_row *row = &x->rows.at[i];
        is_gap = is_gap || row->follows_gap || !is_chosen[i];
        if (is_chosen[i]) {
            out_text(&g->session->out, is_gap && row->number > 1 ? "       ...\n" : "");
            print_row(g, x, row);
            is_gap = false;
        }
    }
    mem_free(is_chosen);
}

static void print_line(struct hunting *g, const char *label, const char *text)
{
    if (text[0] != '\0') {
        out_format(&g->session->out, "    %s", label);
        session_text(g->session, text);
        out_char(&g->session->out, '\n');
    }
}

static void print_causes(struct hunting *g, const struct bug *bug)
{
    const bool is_own = bug->harm != HARM_HARMFUL; /* then the first one is its sentence */
    const size_t end = is_own ? bug->causes.count : bug->shown_count;
    must(!is_own || bug->causes.count > 0);
    for (size_t i = is_own ? 1 : 0; i < end && i < CAUSES_SHOWN; i++) {
        const struct finding *f = &bug->causes.at[i]->finding;
        out_format(&g->session->out, "    %s: %s: ", is_own ? "also" : "cause",
                   finding_kind_name(f->kind));
        session_text(g->session, f->what);
        out_char(&g->session->out, '\n');
    }
    if (end > CAUSES_SHOWN) {
        out_format(&g->session->out, "    and %zu more (report)\n", end - CAUSES_SHOWN);
    }
}

static void print_bug(struct hunting *g, const struct bug *bug, size_t number)
{
    struct session *s = g->session;
    struct out words;
    out_format(&s->out, "%zu. ", number);
    session_paint(s, bug->harm == HARM_HARMFUL ? PAINT_ERROR : PAINT_WARNING,
                  finding_kind_name(bug->kind));
    out_text(&s->out, ": ");
    session_text(s, bug->what);
    out_char(&s->out, '\n');
    out_open_memory(&words);
    hunt_print_harm(bug, &words);
    out_char(&words, '\0');
    print_line(g, "", words.buffer);
    out_abandon(&words);
    print_causes(g, bug);
    out_open_memory(&words);
    hunt_print_size(&g->hunt, bug, &words);
    out_char(&words, '\0');
    print_line(g, "minimized: ", words.buffer);
    out_abandon(&words);
    print_line(g, "not minimized to the end: ", bug->minimize_note);
    if (bug->is_explained) {
        print_rows(g, &bug->explanation);
        vec_each (&bug->explanation.order, line) {
            print_line(g, "", *line);
        }
    }
    print_line(g, "again: ", bug->replay);
    print_line(g, "page:  ", bug->page_path);
}

static void print_sum(struct hunting *g)
{
    const struct hunt *h = &g->hunt;
    const struct predictions *p = &h->predictions;
    struct session *s = g->session;
    struct out *out = &s->out;
    uint64_t runs = 0;
    for (int i = 0; i < HUNT_STAGE_COUNT; i++) {
        runs += h->stages[i].runs;
    }
    if (h->bugs.list.count > 0) {
        report_count(out, h->bugs.list.count, "bug", "bugs");
    } else {
        out_text(out, h->is_complete ? "no bug: all executions were explored" : "no bug found");
    }
    if (p->list.count > 0) {
        out_text(out, "; ");
        report_count(out, p->list.count, "prediction", "predictions");
        out_format(out, ": %zu confirmed, %zu refuted, %zu unknown",
                   predictions_count(p, STATUS_CONFIRMED), predictions_count(p, STATUS_REFUTED),
                   p->list.count - predictions_count(p, STATUS_CONFIRMED) -
                       predictions_count(p, STATUS_REFUTED));
    }
    size_t harmless = 0;
    vec_each (&p->list, prediction) {
        harmless += prediction_is_harmless(prediction);
    }
    if (harmless > 0) {
        out_format(out, " (%zu atomicity without harm)", harmless);
    }
    out_format(out, "; %llu runs in %.1f s", (unsigned long long)runs,
               (double)hunt_elapsed_ns(h) / 1e9);
    report_hidden(s);
    out_text(out, "; report: ");
    session_text(s, h->report_path);
    out_char(out, '\n');
    vec_each (&h->judgement.left_out, sentence) {
        out_text(out, "assumed: ");
        session_text(s, *sentence);
        out_char(out, '\n');
    }
    if (h->unfinished[0] != '\0') {
        out_text(out, h->bugs.list.count > 0 ? "not finished: " : "unknown: ");
        session_text(s, h->unfinished);
        out_char(out, '\n');
    }
}

static int report(struct hunting *g)
{
    struct session *s = g->session;
    const struct hunt *h = &g->hunt;
    struct finding_file f = {0};
    const bool is_unfinished = h->unfinished[0] != '\0';
    must(h->report_path[0] != '\0');
    if (is_program(g)) {
        control_rest(h->target.world);
    }
    f.verb = s->verb->name;
    hunt_report_fill(h, &f);
    must(f.findings.list.count == h->bugs.list.count);
    f.verdict = verdict_of(h->bugs.list.count > 0, is_unfinished || !h->is_complete);
    exports_add_all(&s->exports, &f.findings);
    if (s->common->json) {
        f.print_more = hunt_report_json;
        f.context = h;
        report_print(&f, s);
    } else {
        for (size_t i = 0; i < h->bugs.list.count && i < s->common->limit; i++) {
            print_bug(g, &h->bugs.list.at[i], i + 1);
        }
        print_sum(g);
    }
    const int status = verdict_status_of_search(f.verdict, is_unfinished);
    finding_file_release(&f);
    return status;
}

/* ---- the command ---- */

/* SYSTEM.hunt, or with a number where that is there already. */
static void choose_folder(struct hunting *g)
{
    const struct session *s = g->session;
    const char *path = is_program(g) ? s->command[0] : s->inputs[0];
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    const size_t size = strlen(name);
    const int stem = (int)(size > 3 && strcmp(name + size - 3, ".so") == 0 ? size - 3 : size);
    if (s->common->output != NULL) {
        (void)snprintf(g->folder, sizeof g->folder, "%s", s->common->output);
        return;
    }
    (void)snprintf(g->folder, sizeof g->folder, "%.*s.hunt", stem, name);
    for (int i = 2; access(g->folder, F_OK) == 0 && i < FOLDERS_MAX; i++) {
        (void)snprintf(g->folder, sizeof g->folder, "%.*s-%d.hunt", stem, name, i);
    }
}

/* Whether another hunt has left its report there: files of two hunts in one folder would look like
 * those of one. */
static bool has_hunt(const char *folder)
{
    char path[4100];
    (void)snprintf(path, sizeof path, "%s/report.md", folder);
    return access(path, F_OK) == 0;
}

static int check_command(const struct hunting *g, struct err *e)
{
    const struct hunt_command *c = g->command;
    if (is_program(g) &&
        (c->bug != NULL || c->set != NULL || c->faults != NULL || c->config != NULL)) {
        return session_misused(e,
                               "--bug, --set, --faults and --config are for systems, not programs");
    }
    if (c->ignore_exit && c->program.fail_on >= 0) {
        return session_misused(e, "--ignore-exit and --fail-on exit exclude each other");
    }
    if (c->common.jobs == 0 || c->common.jobs > JOBS_MAX) {
        return session_misused(e, "--jobs: must be from 1 to %d", JOBS_MAX);
    }
    return command_check(g->session, &c->program, e) < 0 ? MISUSED : 0;
}

static int hunt(struct hunting *g, struct err *e)
{
    const struct hunt_command *c = g->command;
    const char *folders[TEXTS_MAX + 1] = {"."};
    for (size_t i = 0; i < c->sources.count; i++) {
        folders[i + 1] = c->sources.at[i];
    }
    char *title =
        is_program(g) ? command_print(g->session) : command_print_one(g->session->inputs[0]);
    struct hunt_options o = {.open = open_world,
                             .doubt = doubt_of,
                             .judge = judge,
                             .print_replay = print_replay,
                             .is_hidden = is_hidden,
                             .progress = show,
                             .context = g,
                             .folder = g->folder,
                             .title = title,
                             .sources = folders,
                             .source_count = c->sources.count + 1,
                             .budget = g->session->budget,
                             .seed = c->seed,
                             .jobs = (uint32_t)c->common.jobs,
                             .never_fails_on_exit = c->ignore_exit,
                             .always_fails_on_exit = c->program.fail_on == 0};
    if (o.budget.time_ns == 0 && o.budget.runs == 0) {
        o.budget.time_ns = time_ns_default;
    }
    searching_begin(&g->line, g->session, g->folder);
    o.budget.is_stopped = stopping_wish();
    limit_begin(&o.budget);
    int status = hunt_run(&g->hunt, &o, e);
    searching_end(&g->line);
    if (status == 0) {
        status = report(g);
    }
    hunt_release(&g->hunt);
    mem_free(title);
    return status;
}

static int run(struct session *s, const void *options, struct err *e)
{
    const struct hunt_command *c = options;
    struct hunting g = {.session = s, .command = c, .choice = c->program};
    must(s->command != NULL || s->input_count == 1);
    if (check_command(&g, e) < 0) {
        return MISUSED;
    }
    choose_folder(&g);
    if (has_hunt(g.folder)) {
        return err_set(e, "%s: has the report of another hunt; name another folder with --output",
                       g.folder);
    }
    spec_init(&g.spec);
    int status = g.command->build == NULL ? 0 : build_command_run(g.command->build, e);
    if (status == 0 && g.command->spec != NULL) {
        status = spec_file_read(&g.spec, g.command->spec, e);
    }
    if (status == 0 && g.command->config != NULL) {
        status = fuzz_file_read(&g.fuzz, g.command->config, e);
    }
    if (status == 0) {
        status = hunt(&g, e);
    }
    fuzz_release(&g.fuzz);
    spec_release(&g.spec);
    return status;
}

static const struct option options[] = {
    {.name = "build",
     .type = OPTION_TEXT,
     .argument = "COMMAND",
     .target = offsetof(struct hunt_command, build),
     .help = "run this shell command first, with CC=\"clew cc\" and CXX=\"clew c++\" in its "
             "environment (make -B, for example), so that memory accesses are visible"},
    {.name = "source",
     .type = OPTION_TEXTS,
     .argument = "DIR",
     .target = offsetof(struct hunt_command, sources),
     .help = "look for source files in DIR too; may be repeated (default: the current directory)"},
    {.name = "ignore-exit",
     .type = OPTION_FLAG,
     .target = offsetof(struct hunt_command, ignore_exit),
     .help = "programs: an exit status other than 0 is no failure (default: it is one, unless the "
             "program ends with one in its default schedule)"},
    {.name = "allow-uncontrolled",
     .type = OPTION_FLAG,
     .target = offsetof(struct hunt_command, allow_uncontrolled),
     .help = "programs: do not exit with status 3 because of uncontrolled calls"},
    {.name = "bug",
     .type = OPTION_TEXT,
     .argument = "LIST",
     .target = offsetof(struct hunt_command, bug),
     .help = "systems: enable these bugs of a case study (clew cases lists them)"},
    {.name = "set",
     .type = OPTION_TEXT,
     .argument = "LIST",
     .target = offsetof(struct hunt_command, set),
     .help = "systems: set parameters: nodes=5,cycles=10"},
    {.name = "faults",
     .type = OPTION_TEXT,
     .argument = "LIST",
     .target = offsetof(struct hunt_command, faults),
     .help = "systems: maximum number of faults of each kind in a run: crash=1,drop=2, or none "
             "(default: set by the system)"},
    {.name = "spec",
     .type = OPTION_FILE,
     .argument = "FILE",
     .target = offsetof(struct hunt_command, spec),
     .help = "check these properties of reported variables (man 5 clew-spec)"},
    {.name = "config",
     .type = OPTION_FILE,
     .argument = "FILE",
     .target = offsetof(struct hunt_command, config),
     .help = "systems: external events, in YAML (man 5 clew-fuzz; default: set by the system)"},
    {.name = "seed",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct hunt_command, seed),
     .help = "seed of all random choices (default: 1)"},
    COMMAND_OPTIONS(struct hunt_command),
    COMMON_ROW(output, .name = "output", .letter = 'o', .type = OPTION_FILE, .argument = "DIR",
               .help = "write traces, schedules, pages and the report to DIR (default: "
                       "SYSTEM.hunt)"),
    COMMON_JSON,
    COMMON_LIMIT,
    COMMON_SUPPRESS,
    COMMON_EXPORTS,
    COMMON_ROW(jobs, .name = "jobs", .letter = 'j', .type = OPTION_NUMBER, .argument = "N",
               .help = "search and minimize with N processes (default: 1)"),
    COMMON_BUDGET,
    COMMON_ALWAYS,
    {0},
};

static const struct hunt_command defaults = {
    .common = COMMON_DEFAULTS, .seed = 1, .program = COMMAND_CHOICE_DEFAULTS};

static const struct example examples[] = {
    {"clew hunt -- ./server", "Hunt for a minute: predict, confirm, explore, minimize, explain."},
    {"clew hunt --build 'make -B' --budget 5m -- ./server --port 0",
     "Rebuild the program with clew cc first, and hunt for five minutes."},
    {"clew hunt -o nightly --sarif hunt.sarif -- ./test_queue",
     "Hunt in a test, and write what is found for code scanning."},
    {"clew hunt ./ring.so", "Hunt in a simulated system."},
    {0},
};

const struct verb verb_hunt = {
    .name = "hunt",
    .summary = "find, confirm, minimize and explain bugs in one command",
    .operands = "SYSTEM.so | -- PROGRAM...",
    .operand_min = 1,
    .operand_max = 1,
    .takes_command = true,
    .runs_program = true,
    .is_stopped_softly = true,
    .about =
        "Runs a program under control and predicts races, uses after free, deadlocks and atomicity "
        "violations from these runs; looks for each prediction in the real program; explores "
        "further schedules; minimizes every failing one; and explains each bug, the worst first: "
        "what fails, whether it is harmful, the interleaving in source lines, and the command that "
        "replays it. The directory receives traces, schedules, minimized schedules, a page for "
        "each bug and report.md. Of a simulated system, it explores, minimizes and explains. The "
        "budget (60 s) covers all stages; Ctrl-C ends the search and keeps what was found.",
    .exit_statuses = "0 all planned stages ended, and nothing was confirmed\n1 a bug was "
                     "confirmed\n2 the program could not be run\n3 nothing was confirmed, and the "
                     "budget ended before the planned stages, or runs were not under control",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct hunt_command),
    .examples = examples,
    .run = run,
};
