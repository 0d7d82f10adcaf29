/* clew confirm: predicted findings, on the real program. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "cli/input/file_kind.h"
#include "cli/input/program_command.h"
#include "cli/interrupt.h"
#include "cli/text/findings_output.h"
#include "cli/text/verdict.h"
#include "hunt/confirm_finding.h"

struct confirm_command {
    struct common common;
    const char *finding;
    uint64_t seed;
    struct command_choice program;
};

/* The outcome for one finding of the file. */
struct outcome_row {
    uint32_t id;
    enum finding_status status;
    bool has_harm;
    enum race_harm harm;
    const char *reason, *failure, *schedule, *reversed; /* paths of schedules; "" for none */
    uint64_t run_count;
};

struct confirming {
    struct session *session;
    const struct confirm_command *command;
    struct world *world;
    struct finding_file file; /* with the findings, as they are now */
    VEC(struct outcome_row) rows;
    const char *folder;
};

/* Why a finished search does not speak of every execution. */
static const char *doubt_of(void *context)
{
    const struct confirming *c = context;
    return command_doubt(c->world);
}

/* Schedules */

static int make_folder(const struct confirming *c, struct err *e)
{
    if (mkdir(c->folder, 0777) < 0 && errno != EEXIST) {
        return err_set(e, "%s: %s; name another folder with --output", c->folder, strerror(errno));
    }
    return 0;
}

/* Writes a schedule's text; *path is "" where there is none. */
static int write_schedule(struct confirming *c, uint32_t id, const char *ending, const char *text,
                          const char **path, struct err *e)
{
    struct out out;
    *path = "";
    if (text == NULL) {
        return 0;
    }
    *path = findings_text(&c->file.findings, "%s/%u%s.sched", c->folder, id, ending);
    if (make_folder(c, e) < 0 || out_open(&out, *path, e) < 0) {
        return -1;
    }
    out_text(&out, text);
    return out_close(&out, e);
}

/* "clew replay DIR/1.sched -- ./program". */
static const char *replay_of(struct confirming *c, const char *schedule)
{
    struct out out;
    out_open_memory(&out);
    out_text(&out, "clew replay ");
    command_print_options(&out, &c->command->program, NULL, NULL);
    command_print_word(&out, schedule);
    char *command = command_print(c->session);
    out_format(&out, " %s", command);
    mem_free(command);
    const char *text = arena_text(&c->file.findings.arena, out.buffer, out.used);
    out_abandon(&out);
    return text;
}

/* One finding */

static int keep_row(struct confirming *c, struct finding *f, const struct confirmation *found,
                    struct err *e)
{
    struct findings *texts = &c->file.findings;
    const bool is_confirmed = found->status == STATUS_CONFIRMED;
    struct outcome_row row = {.id = f->id,
                              .status = found->status,
                              .has_harm = is_confirmed,
                              .harm = found->orders.harm,
                              .run_count = found->run_count};
    row.reason = is_confirmed ? findings_text(texts, "%s; %s", found->reason, found->orders.reason)
                              : findings_text(texts, "%s", found->reason);
    row.failure = findings_text(texts, "%s", found->orders.failure);
    if (write_schedule(c, f->id, "", found->orders.schedules[0], &row.schedule, e) < 0 ||
        write_schedule(c, f->id, "-reversed", found->orders.schedules[1], &row.reversed, e) < 0) {
        return -1;
    }
    f->status = found->status;
    if (found->status == STATUS_REFUTED) {
        f->severity = SEVERITY_NOTE; /* no report may call it a failure */
    }
    f->replay = row.schedule[0] == '\0' ? f->replay : replay_of(c, row.schedule);
    vec_push(&c->rows, row);
    return 0;
}

static void print_row(struct confirming *c, const struct finding *f)
{
    struct session *s = c->session;
    const struct outcome_row *row = vec_last(&c->rows);
    if (s->common->json) {
        return;
    }
    out_format(&s->out, "%u. ", f->id);
    session_paint(s, row->harm == HARM_HARMFUL && row->has_harm ? PAINT_ERROR : PAINT_STRONG,
                  finding_status_name(row->status));
    if (row->has_harm) {
        out_format(&s->out, ", %s%s", row->harm == HARM_UNKNOWN ? "harm " : "",
                   race_harm_name(row->harm));
    }
    out_format(&s->out, ": %s: ", finding_kind_name(f->kind));
    session_text(s, f->what);
    out_text(&s->out, "\n    ");
    session_text(s, row->reason);
    out_char(&s->out, '\n');
    if (row->failure[0] != '\0') {
        out_text(&s->out, "    ");
        session_text(s, row->failure);
        out_char(&s->out, '\n');
    }
    if (row->schedule[0] != '\0') {
        out_text(&s->out, "    again: ");
        session_text(s, f->replay);
        out_char(&s->out, '\n');
    }
}

static int confirm_one(struct confirming *c, struct finding *f, const struct limit *limit,
                       struct err *e)
{
    struct confirmation found = {0};
    const struct confirm_options o = {.limit = limit,
                                      .depth = CONTROL_STEPS_DEFAULT,
                                      .seed = c->command->seed,
                                      .doubt = doubt_of,
                                      .context = c};
    int result = confirm_finding(c->world, f, &o, &found, e);
    if (result == 0) {
        result = keep_row(c, f, &found, e);
    }
    if (result == 0) {
        print_row(c, f);
    }
    confirmation_release(&found);
    return result;
}

static bool is_chosen(const struct confirm_command *c, const struct finding *f)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%u", f->id);
    return c->finding == NULL || strcmp(c->finding, text) == 0 || strcmp(c->finding, f->key) == 0;
}

/* Confirms the chosen findings; the others are left out. Ctrl-C ends with those that are done. */
static int confirm_all(struct confirming *c, struct err *e)
{
    struct findings *f = &c->file.findings;
    struct stopping stopping;
    struct limit limit = c->session->budget;
    stopping_begin(&stopping);
    limit.is_stopped = stopping_wish();
    if (limit.runs == 0 && limit.time_ns == 0) {
        limit.runs = CONFIRM_RUNS_DEFAULT;
    }
    size_t kept = 0;
    int result = 0;
    for (size_t i = 0; i < f->list.count && result == 0; i++) {
        struct finding finding = f->list.at[i];
        finding.id = finding.id == 0 ? (uint32_t)i + 1 : finding.id;
        if (is_chosen(c->command, &finding)) {
            result = confirm_one(c, &finding, &limit, e);
            f->list.at[kept++] = finding;
        }
    }
    f->list.count = kept;
    stopping_end(&stopping);
    return result == 0 && kept == 0 && c->command->finding != NULL
               ? err_set(e, "%s: no finding has the number or the key \"%s\"",
                         c->session->inputs[0], c->command->finding)
               : result;
}

/* Report */

static uint64_t count_rows(const struct confirming *c, enum finding_status status)
{
    uint64_t count = 0;
    vec_each (&c->rows, row) {
        count += row->status == status;
    }
    return count;
}

static uint64_t count_harm(const struct confirming *c, enum race_harm harm)
{
    uint64_t count = 0;
    vec_each (&c->rows, row) {
        count += row->has_harm && row->harm == harm;
    }
    return count;
}

static void print_confirmations(const void *context, struct json *j)
{
    const struct confirming *c = context;
    json_array(j, "confirmations");
    vec_each (&c->rows, row) {
        json_object(j, NULL);
        json_u64(j, "id", row->id);
        json_text(j, "status", finding_status_name(row->status));
        if (row->has_harm) {
            json_text(j, "harm", race_harm_name(row->harm));
        }
        json_text(j, "reason", row->reason);
        json_text(j, "failure", row->failure);
        json_text(j, "schedule", row->schedule);
        json_text(j, "reversed", row->reversed);
        json_u64(j, "runs", row->run_count);
        json_end(j);
    }
    json_end(j);
}

static void print_sum(struct confirming *c)
{
    struct out *out = &c->session->out;
    report_count(out, c->rows.count, "finding", "findings");
    out_format(out,
               ": %llu confirmed (%llu harmful, %llu benign here), %llu refuted, %llu unknown\n",
               (unsigned long long)count_rows(c, STATUS_CONFIRMED),
               (unsigned long long)count_harm(c, HARM_HARMFUL),
               (unsigned long long)count_harm(c, HARM_BENIGN),
               (unsigned long long)count_rows(c, STATUS_REFUTED),
               (unsigned long long)count_rows(c, STATUS_UNKNOWN));
}

static int report(struct confirming *c)
{
    struct finding_file *f = &c->file;
    control_rest(c->world);
    exports_add_all(&c->session->exports, &f->findings);
    f->verdict = verdict_of(count_rows(c, STATUS_CONFIRMED) > 0, count_rows(c, STATUS_UNKNOWN) > 0);
    if (!c->session->common->json) {
        print_sum(c);
        return verdict_status(f->verdict);
    }
    f->verb = c->session->verb->name;
    vec_clear(&f->stats);
    finding_file_count(f, "confirmed", count_rows(c, STATUS_CONFIRMED));
    finding_file_count(f, "harmful", count_harm(c, HARM_HARMFUL));
    finding_file_count(f, "benign", count_harm(c, HARM_BENIGN));
    finding_file_count(f, "refuted", count_rows(c, STATUS_REFUTED));
    finding_file_count(f, "unknown", count_rows(c, STATUS_UNKNOWN));
    vec_push(&f->assumptions, "memory is sequentially consistent");
    f->print_more = print_confirmations;
    f->context = c;
    report_print(f, c->session);
    return verdict_status(f->verdict);
}

static int read_findings(struct confirming *c, struct err *e)
{
    struct in in;
    const char *path = c->session->inputs[0];
    if (in_open(&in, path, e) < 0) {
        return err_wrap(e, "%s", path);
    }
    const int result = finding_file_parse(&c->file, &in, e);
    in_close(&in);
    return result < 0 ? file_kind_refuse(path, "a findings file", e) : 0;
}

static int run(struct session *s, const void *options, struct err *e)
{
    struct confirming c = {.session = s, .command = options};
    if (s->command == NULL) {
        return session_misused(e, "which program? put it behind --: clew confirm %s -- ./program",
                               s->inputs[0]);
    }
    if (command_check(s, &c.command->program, e) < 0) {
        return MISUSED;
    }
    c.folder = s->common->output != NULL ? s->common->output : "confirmed";
    int status = read_findings(&c, e);
    if (status == 0) {
        status = command_open(&c.world, s, &c.command->program, NULL, e);
    }
    if (status == 0) {
        status = confirm_all(&c, e);
    }
    if (status == 0) {
        status = report(&c);
    }
    world_close(c.world);
    vec_release(&c.rows);
    finding_file_release(&c.file);
    return status;
}

static const struct option options[] = {
    {.name = "finding",
     .type = OPTION_TEXT,
     .argument = "N|KEY",
     .target = offsetof(struct confirm_command, finding),
     .help = "confirm only this finding, by its number or its key (default: all)"},
    {.name = "seed",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct confirm_command, seed),
     .help = "seed of all random choices (default: 1)"},
    COMMAND_OPTIONS(struct confirm_command),
    COMMON_ROW(output, .name = "output", .letter = 'o', .type = OPTION_FILE, .argument = "DIR",
               .help = "write the schedules to DIR (default: confirmed)"),
    COMMON_JSON,
    COMMON_EXPORTS,
    COMMON_BUDGET,
    COMMON_ALWAYS,
    {0},
};

static const struct confirm_command defaults = {
    .common = COMMON_DEFAULTS, .seed = 1, .program = COMMAND_CHOICE_DEFAULTS};

static const struct example examples[] = {
    {"clew races --json run.clew > run.findings; clew confirm run.findings -- ./server",
     "Confirm the races that a recording predicts."},
    {"clew confirm run.findings --finding 2 --budget 20000runs -- ./server",
     "Spend more runs on one finding."},
    {"clew confirm --json run.findings -- ./server > confirmed.findings",
     "Write the findings with their new status."},
    {0},
};

const struct verb verb_confirm = {
    .name = "confirm",
    .summary = "confirm predicted findings on the real program",
    .operands = "FINDINGS -- PROGRAM...",
    .operand_min = 2,
    .operand_max = 2,
    .takes_command = true,
    .is_stopped_softly = true,
    .about =
        "Steers the program towards each finding of a findings file (the output of --json) and "
        "marks it confirmed, with a schedule that replays it, refuted or unknown, with the reason. "
        "A confirmed race is run in both orders: it is harmful when a run fails after one order "
        "and none after the other, and benign here when both give the same steps, values and last "
        "writes. Each finding gets up to 3000 runs unless --budget says otherwise.",
    .exit_statuses = "0 every finding was refuted\n1 a finding was confirmed\n2 the findings or "
                     "the program could not be read\n3 none was confirmed, and some are unknown",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct confirm_command),
    .examples = examples,
    .run = run,
};
