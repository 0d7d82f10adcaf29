#include "hunt/hunt_report.h"

#include <string.h>

#include "hunt/hunt_stages.h"

/* ---- words ---- */

void hunt_print_harm(const struct bug *bug, struct out *out)
{
    const bool is_unknown = bug->harm == HARM_UNKNOWN;
    out_format(out, "%s%s", is_unknown ? "harm " : "", race_harm_name(bug->harm));
    if (bug->reason[0] != '\0') {
        out_format(out, ": %s", bug->reason);
    } else if (bug->harm == HARM_HARMFUL) {
        out_format(out, ": found by stage %s; its schedule shows it again", bug->stage);
    }
    if (!bug->is_repeatable) {
        out_text(out, "; NOT repeatable: the same schedule did not show it again");
    }
}

static void print_count(struct out *out, uint64_t count, const char *one, const char *many)
{
    out_format(out, "%llu %s", (unsigned long long)count, count == 1 ? one : many);
}

void hunt_print_size(const struct hunt *h, const struct bug *bug, struct out *out)
{
    if (bug->minimized_path[0] == '\0') {
        return;
    }
    print_count(out, bug->steps, "step", "steps");
    if (h->target.world->has_tasks) {
        out_text(out, ", ");
        print_count(out, bug->switches, "context switch", "context switches");
    }
    if (bug->steps_before != bug->steps || bug->switches_before != bug->switches) {
        out_text(out, " (before: ");
        print_count(out, bug->steps_before, "step", "steps");
        if (h->target.world->has_tasks) {
            out_format(out, ", %u", bug->switches_before);
        }
        out_char(out, ')');
    }
    if (bug->has_fewest_switches) {
        out_text(out, "; no execution with fewer context switches fails");
    }
}

/* ---- Markdown ---- */

static void print_cause_list(const struct bug *bug, size_t first, size_t end, struct out *out)
{
    for (size_t i = first; i < end; i++) {
        const struct prediction *p = bug->causes.at[i];
        out_format(out, "- %s: ", finding_kind_name(p->finding.kind));
        markdown_prose(out, p->finding.what);
        out_format(out, " (%s%s)\n", p->answer.orders.harm == HARM_UNKNOWN ? "harm " : "",
                   race_harm_name(p->answer.orders.harm));
    }
}

static void print_causes(const struct bug *bug, struct out *out)
{
    if (bug->shown_count > 0) {
        out_text(out, "\nThe cause, a confirmed prediction:\n\n");
        print_cause_list(bug, 0, bug->shown_count, out);
    }
    if (bug->causes.count > bug->shown_count) {
        out_text(out, "\nOther confirmed predictions that runs with this bug begin with:\n\n");
        print_cause_list(bug, bug->shown_count, bug->causes.count, out);
    }
}

static void print_bug(const struct hunt *h, const struct bug *bug, size_t number, struct out *out)
{
    struct out words;
    out_format(out, "\n## %zu. %s: ", number, finding_kind_name(bug->kind));
    markdown_prose(out, bug->what);
    out_text(out, "\n\n");
    out_open_memory(&words);
    hunt_print_harm(bug, &words);
    out_char(&words, '\0');
    markdown_prose(out, words.buffer);
    out_abandon(&words);
    out_text(out, ".\n");
    if (bug->minimized_path[0] != '\0') {
        out_text(out, "Minimized to ");
        hunt_print_size(h, bug, out);
        out_text(out, ".\n");
    }
    if (bug->minimize_note[0] != '\0') {
        markdown_prose(out, bug->minimize_note);
        out_text(out, ".\n");
    }
    out_format(out, "\n```\n%s\n```\n", bug->replay);
    print_causes(bug, out);
    if (bug->is_explained) {
        explanation_print_markdown(&bug->explanation, 3, out);
    }
}

static void print_stages(const struct hunt *h, struct out *out)
{
    out_text(out, "\n## What was done\n\n| stage | done | runs | seconds | result |\n"
                  "|---|---:|---:|---:|---|\n");
    for (int i = 0; i < HUNT_STAGE_COUNT; i++) {
        const struct hunt_stage_account *a = &h->stages[i];
        if (a->is_planned) {
            out_format(out, "| %s | %llu of %llu | %llu | %.1f | ",
                       hunt_stage_name((enum hunt_stage)i), (unsigned long long)a->done,
                       (unsigned long long)a->total, (unsigned long long)a->runs,
                       (double)a->elapsed_ns / 1e9);
            markdown_prose(out, a->note);
            out_text(out, " |\n");
        }
    }
    if (h->unfinished[0] != '\0') {
        out_text(out, "\nNot all that was planned was done: ");
        markdown_prose(out, h->unfinished);
        out_text(out, ".\n");
    }
}

static void print_left_out(const struct hunt *h, struct out *out)
{
    if (h->judgement.left_out.count == 0) {
        return;
    }
    out_text(out, "\n## What this leaves out\n\n");
    vec_each (&h->judgement.left_out, sentence) {
        out_text(out, "- ");
        markdown_prose(out, *sentence);
        out_char(out, '\n');
    }
}

/* Whether the prediction is in no bug. */
static bool is_other(const struct prediction *p)
{
    return !p->is_tried || p->answer.status != STATUS_CONFIRMED || prediction_is_harmless(p);
}

static const char *reason_of(const struct prediction *p)
{
    return !p->is_tried                ? "the budget ended"
           : prediction_is_harmless(p) ? p->answer.orders.reason
                                       : p->answer.reason;
}

/* The predictions that are no bug, with the reason. */
static void print_others(const struct hunt *h, struct out *out)
{
    size_t count = 0;
    const struct predictions *p = &h->predictions;
    vec_each (&p->list, one) {
        if (!is_other(one)) {
            continue;
        }
        out_text(out, count++ > 0 ? ""
                                  : "\n## Predictions that are no bug\n\n| status | prediction | "
                                    "reason |\n|---|---|---|\n");
        out_format(out, "| %s | %s: ",
                   one->is_tried ? finding_status_name(one->answer.status) : "not tried",
                   finding_kind_name(one->finding.kind));
        markdown_prose(out, one->finding.what);
        out_text(out, " | ");
        markdown_prose(out, reason_of(one));
        out_text(out, " |\n");
    }
}

static void print_report(const struct hunt *h, struct out *out)
{
    const size_t count = h->bugs.list.count;
    out_text(out, "# clew hunt: ");
    markdown_prose(out, h->options->title);
    out_text(out, "\n\n");
    if (count == 0) {
        out_format(out, "%s\n",
                   h->is_complete ? "No bug: all executions were explored." : "No bug was found.");
    } else {
        print_count(out, count, "bug", "bugs");
        out_text(out, ", the worst first.\n");
    }
    for (size_t i = 0; i < count; i++) {
        print_bug(h, &h->bugs.list.at[i], i + 1, out);
    }
    print_stages(h, out);
    print_left_out(h, out);
    print_others(h, out);
}

/* ---- files ---- */

/* The predictions with their answers, for clew confirm and clew explain. */
static int write_predictions(struct hunt *h, struct err *e)
{
    struct finding_file f = {.verb = "hunt"};
    struct out out;
    if (h->predictions.list.count == 0) {
        return 0;
    }
    vec_each (&h->trace_paths, path) {
        vec_push(&f.inputs, *path);
    }
    vec_each (&h->predictions.list, one) {
        struct finding finding = one->finding;
        finding.status = one->is_tried ? one->answer.status : STATUS_PREDICTED;
        findings_add(&f.findings, &finding);
    }
    f.verdict =
        predictions_count(&h->predictions, STATUS_CONFIRMED) > 0 ? VERDICT_FOUND : VERDICT_UNKNOWN;
    int result = out_open(&out, hunt_path(h, "predictions.findings"), e);
    if (result == 0) {
        finding_file_print(&f, &out);
        result = out_close(&out, e);
    }
    finding_file_release(&f);
    return result;
}

int hunt_report_write(struct hunt *h, struct err *e)
{
    struct out out;
    const char *path = hunt_path(h, "report.md");
    if (write_predictions(h, e) < 0 || out_open(&out, path, e) < 0) {
        return -1;
    }
    print_report(h, &out);
    h->report_path = path;
    return out_close(&out, e);
}

/* ---- JSON ---- */

static struct finding finding_of(struct finding_file *f, const struct bug *bug)
{
    struct out why;
    out_open_memory(&why);
    hunt_print_harm(bug, &why);
    for (size_t i = 0; i < bug->shown_count; i++) {
        const struct finding *cause = &bug->causes.at[i]->finding;
        out_format(&why, "\n%s: %s", finding_kind_name(cause->kind), cause->what);
    }
    struct finding finding = {.kind = bug->kind,
                              .status = STATUS_CONFIRMED,
                              .grade = GRADE_SOUND,
                              .severity = bug->severity,
                              .what = bug->what,
                              .why = arena_text(&f->findings.arena, why.buffer, why.used),
                              .key = bug->key,
                              .replay = bug->replay,
                              .pair_count = 1};
    if (bug->causes.count > 0) {
        finding.events = bug->causes.at[0]->finding.events;
        finding.event_count = bug->causes.at[0]->finding.event_count;
    }
    out_abandon(&why);
    return finding;
}

void hunt_report_fill(const struct hunt *h, struct finding_file *f)
{
    uint64_t runs = 0;
    const struct predictions *p = &h->predictions;
    vec_each (&h->trace_paths, path) {
        vec_push(&f->inputs, *path);
    }
    vec_each (&h->bugs.list, bug) {
        const struct finding finding = finding_of(f, bug);
        findings_add(&f->findings, &finding);
    }
    for (int i = 0; i < HUNT_STAGE_COUNT; i++) {
        runs += h->stages[i].runs;
    }
    finding_file_count(f, "bugs", h->bugs.list.count);
    finding_file_count(f, "runs", runs);
    finding_file_count(f, "predicted", p->list.count);
    finding_file_count(f, "confirmed", predictions_count(p, STATUS_CONFIRMED));
    finding_file_count(f, "refuted", predictions_count(p, STATUS_REFUTED));
    finding_file_count(f, "unknown", predictions_count(p, STATUS_UNKNOWN));
    finding_file_flag(f, "exhausted", h->is_complete);
    finding_file_real(f, "seconds", (double)hunt_elapsed_ns(h) / 1e9);
    finding_file_text(f, "report", h->report_path);
    finding_file_text(f, "unfinished", h->unfinished);
    vec_each (&h->judgement.left_out, sentence) {
        vec_push(&f->assumptions, *sentence);
    }
}

static void print_json_causes(const struct bug *bug, const char *name, size_t first, size_t end,
                              struct json *j)
{
    json_array(j, name);
    for (size_t i = first; i < end; i++) {
        json_text(j, NULL, bug->causes.at[i]->finding.key);
    }
    json_end(j);
}

static void print_json_bug(const struct bug *bug, uint32_t id, struct json *j)
{
    json_object(j, NULL);
    json_u64(j, "id", id);
    json_text(j, "harm", race_harm_name(bug->harm));
    json_text(j, "stage", bug->stage);
    json_text(j, "schedule", bug->schedule_path);
    json_text(j, "minimized", bug->minimized_path);
    json_text(j, "page", bug->page_path);
    json_bool(j, "repeatable", bug->is_repeatable);
    if (bug->minimized_path[0] != '\0') {
        json_u64(j, "steps", bug->steps);
        json_u64(j, "switches", bug->switches);
        json_u64(j, "steps_before", bug->steps_before);
        json_u64(j, "switches_before", bug->switches_before);
    }
    print_json_causes(bug, "causes", 0, bug->shown_count, j);
    print_json_causes(bug, "other_causes", bug->shown_count, bug->causes.count, j);
    if (bug->is_explained) {
        json_array(j, "explanation");
        explanation_print_json(&bug->explanation, j);
        json_end(j);
    }
    json_end(j);
}

static void print_json_prediction(const struct prediction *p, struct json *j)
{
    json_object(j, NULL);
    json_text(j, "kind", finding_kind_name(p->finding.kind));
    json_text(j, "what", p->finding.what);
    json_text(j, "key", p->finding.key);
    json_text(j, "grade", finding_grade_name(p->finding.grade));
    json_text(j, "status", finding_status_name(p->is_tried ? p->answer.status : STATUS_PREDICTED));
    json_text(j, "reason", p->is_tried ? p->answer.reason : "");
    json_u64(j, "runs", p->answer.run_count);
    json_end(j);
}

void hunt_report_json(const void *hunt, struct json *j)
{
    const struct hunt *h = hunt;
    json_array(j, "bugs");
    for (size_t i = 0; i < h->bugs.list.count; i++) {
        print_json_bug(&h->bugs.list.at[i], (uint32_t)i + 1, j);
    }
    json_end(j);
    json_array(j, "predictions");
    vec_each (&h->predictions.list, prediction) {
        print_json_prediction(prediction, j);
    }
    json_end(j);
    json_array(j, "stages");
    for (int i = 0; i < HUNT_STAGE_COUNT; i++) {
        const struct hunt_stage_account *a = &h->stages[i];
        if (a->is_planned) {
            json_object(j, NULL);
            json_text(j, "stage", hunt_stage_name((enum hunt_stage)i));
            json_u64(j, "done", a->done);
            json_u64(j, "total", a->total);
            json_u64(j, "runs", a->runs);
            json_text(j, "note", a->note);
            json_end(j);
        }
    }
    json_end(j);
}
