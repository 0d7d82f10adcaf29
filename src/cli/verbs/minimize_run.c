#include "cli/verbs/minimize_run.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/text/findings_output.h"
#include "cli/text/progress.h"
#include "sim/sim.h"

static double replays_per_second(uint64_t replays, uint64_t elapsed_ns)
{
    return (double)replays / ((double)elapsed_ns / 1e9 + 1e-9);
}

void minimization_show(void *context, const struct minimize_progress *p)
{
    struct minimization *m = context;
    const struct progress_number rate =
        progress_number(replays_per_second(p->replays, limit_now_ns() - m->begin_ns));
    const unsigned long long replays = p->replays;
    const char *stage = p->stage == STAGE_NONE ? m->world->system : stage_name(p->stage);
    char line[200];
    if (m->world->has_tasks) {
        (void)snprintf(line, sizeof line,
                       "%.40s: %u context switches, %u steps, %llu replays, %s/s", stage,
                       p->switches, p->steps, replays, rate.text);
    } else {
        (void)snprintf(line, sizeof line, "%.40s: %u steps, %u external events, %llu replays, %s/s",
                       stage, p->steps, p->externals, replays, rate.text);
    }
    searching_show(&m->searching, line);
}

static const char *proof_text(const struct minimization *m)
{
    switch (m->result.proof) {
    case PROOF_OPTIMAL: return "optimal: no shorter execution shows the violation";
    case PROOF_KINDS:
        return "optimal among the same kinds of steps: no shorter execution of them shows the "
               "violation";
    case PROOF_MINIMAL: return "minimal: no single step can be removed";
    case PROOF_NONE: break;
    }
    if (m->result.is_flaky && m->result.stopped_by == LIMIT_OPEN) {
        return "the shortest found: replays may differ, so nothing is proven";
    }
    return m->result.stopped_by != LIMIT_OPEN
               ? "stopped early: the best schedule so far, perhaps not minimal"
               : "not known to be minimal: only some stages ran";
}

/* Whether the system may have faults: in the search that made the schedule, or by itself. */
static bool may_have_faults(const struct minimization *m)
{
    struct fault_budget own = {0};
    struct err unsaid;
    return m->schedule.faults.count > 0 ||
           (m->session->command == NULL &&
            fault_budget_parse(&own, sim_defaults(m->world).faults, &unsaid) == 0 &&
            fault_budget_is_any(&own));
}

/* The set of executions that was searched, where that is not all of them: there is one execution
 * without steps, and one shorter than a single step has no faults. */
static void print_proof_bound(const struct minimization *m, struct out *out)
{
    const struct minimized *r = &m->result;
    const size_t steps = r->best.steps.count;
    const bool is_of_all = steps > 0 && (r->proof == PROOF_OPTIMAL || r->proof == PROOF_KINDS);
    const struct {
        bool is_so;
        const char *what;
    } bounds[] = {{m->options.no_diverge, "the same state transitions of nodes"},
                  {m->world->has_drawn, "the same random numbers"},
                  {r->initial_bytes > 0, "the same request payloads"},
                  {steps > 1 && r->proof == PROOF_OPTIMAL && may_have_faults(m),
                   "no more faults of any kind than the schedule has"},
                  {steps > 1 && r->proof == PROOF_KINDS && fault_budget_is_any(&r->plan.faults),
                   "no more faults of any kind than the result has"}};
    const char *before = ", with ";
    for (size_t i = 0; is_of_all && i < sizeof bounds / sizeof *bounds; i++) {
        if (bounds[i].is_so) {
            out_format(out, "%s%s", before, bounds[i].what);
            before = " and ";
        }
    }
    if (r->proof == PROOF_MINIMAL && r->has_atoms) {
        out_text(out, ", counting a fault and its end as one step");
    }
    if (r->proof != PROOF_NONE && r->has_unignorable) {
        out_text(out, ", with each unignorable message as often as in the schedule");
    }
}

/* The same in a word for programs. */
static const char *proof_word(enum proof proof)
{
    static const char *const words[] = {[PROOF_NONE] = "none",
                                        [PROOF_MINIMAL] = "minimal",
                                        [PROOF_KINDS] = "kinds",
                                        [PROOF_OPTIMAL] = "optimal"};
    return words[proof];
}

/* The reason of its end, as a word for programs and as text for people. */
static const struct {
    const char *name, *words;
} ends[] = {[LIMIT_OPEN] = {"", ""},
            [LIMIT_STOPPED] = {"signal", "a signal ended the search"},
            [LIMIT_RUNS] = {"runs", "the budget of runs ended"},
            [LIMIT_TIME] = {"time", "the budget of time ended"},
            [LIMIT_BYTES] = {"memory", "the budget of memory ended"}};

_Static_assert(sizeof ends / sizeof *ends == LIMIT_BYTES + 1, "each limit has its words");

/* The guarantee of the result, and its limits. */
static void print_proof(const struct minimization *m, struct out *out)
{
    out_text(out, proof_text(m));
    print_proof_bound(m, out);
    if (m->result.stopped_by != LIMIT_OPEN) {
        out_format(out, "%s (%s)",
                   m->result.proof == PROOF_NONE ? ""
                                                 : "; stopped before every candidate was tried",
                   ends[m->result.stopped_by].words);
    }
}

static bool is_as_recorded(const struct minimization *m)
{
    return m->schedule.hash == 0 || m->schedule.hash == m->result.initial_hash;
}

/* A schedule of another build, or one that was changed, may show a violation all the same. */
static void warn_of_another_run(const struct minimization *m)
{
    struct notes notes = {0};
    notes_add(&notes, "",
              "the run differs from the recorded one (hash %016llx, recorded %016llx): clew "
              "minimizes the violation of this run",
              (unsigned long long)m->result.initial_hash, (unsigned long long)m->schedule.hash);
    session_warn(m->session, m->session->inputs[0], &notes);
    notes_release(&notes);
}

/* Facts about the input schedule. */
static void add_notes(const struct minimization *m, struct notes *notes)
{
    const struct schedule *s = &m->schedule;
    if (s->constraints.count > 0) {
        notes_add(notes, "",
                  "the result drops the require and forbid lines: a shorter execution need not "
                  "satisfy them");
    } else if (s->steps == 0 && s->hash == 0 && s->then == 0) {
        notes_add(notes, "",
                  "has no steps line and no hash line: clew cannot detect whether it was truncated "
                  "or changed");
    }
}

/* The command that shows the result again. */
static void print_again(const struct minimization *m, struct out *out)
{
    const struct minimize_command *c = m->command;
    out_text(out, "clew replay ");
    command_print_options(out, &c->program, c->spec, c->config);
    command_print_word(out, m->file.path);
    out_char(out, ' ');
    if (m->session->command == NULL) {
        command_print_word(out, m->session->inputs[1]);
    } else {
        char *words = command_print(m->session);
        out_text(out, words);
        mem_free(words);
    }
}

/* The remark of a stage beside its figures: why it did nothing, how the system failed it, and how
 * far it searched. */
static const char *stage_note(const struct stage_account *a)
{
    const bool is_idle = a->steps == 0 && a->externals == 0 && a->switches == 0 && a->bytes == 0;
    return is_idle || a->has_failed || a->searched > 0 ? a->note : "";
}

/* The account of a minimization, stage by stage: the input, the changes of each, the result.
 */

static bool has_bytes(const struct minimization *m)
{
    return m->result.initial_bytes > 0;
}

static void print_row(const struct minimization *m, const char *name, const struct stage_account *a,
                      bool is_change, struct out *out)
{
    out_format(out, "  %-10s", name);
    const struct {
        int64_t number;
        bool is_told;
    } cells[] = {{a->steps, true},
                 {a->externals, true},
                 {a->switches, m->world->has_tasks},
                 {a->bytes, has_bytes(m)}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        char text[24];
        (void)snprintf(text, sizeof text, "%s%lld", is_change && cells[i].number > 0 ? "+" : "",
                       (long long)cells[i].number);
        if (cells[i].is_told) {
            out_format(out, " %8s", text);
        }
    }
    out_format(out, " %9llu", (unsigned long long)a->replays);
    if (a->searched > 0) {
        out_format(out, "  %llu steps from checkpoints", (unsigned long long)a->searched);
    }
    const char *note = stage_note(a);
    out_format(out, "%s%s\n", note[0] == '\0' ? "" : a->searched > 0 ? "; " : "  ", note);
}

/* Whether the input and the changes of all stages make the result. */
static bool account_adds_up(const struct minimized *r)
{
    int64_t steps = r->initial_steps;
    int64_t externals = r->initial_externals;
    for (int i = 0; i < STAGE_COUNT; i++) {
        steps += r->stages[i].steps;
        externals += r->stages[i].externals;
    }
    return steps == (int64_t)r->best.steps.count && externals == r->final_externals;
}

static void print_account(const struct minimization *m, struct out *out)
{
    const struct minimized *r = &m->result;
    must(account_adds_up(r));
    must(r->stages[STAGE_NONE].replays >= r->given_replays);
    out_format(out, "  %-10s %8s %8s%s%s %9s\n", "", "steps", "external",
               m->world->has_tasks ? " switches" : "", has_bytes(m) ? "    bytes" : "", "replays");
    const struct stage_account given = {.steps = r->initial_steps,
                                        .externals = r->initial_externals,
                                        .switches = r->initial_switches,
                                        .bytes = (int64_t)r->initial_bytes,
                                        .replays = r->given_replays};
    print_row(m, "input", &given, false, out);
    for (int i = 0; i < STAGE_COUNT; i++) {
        if (r->stages[i].was_run) {
            print_row(m, stage_name((enum stage)i), &r->stages[i], true, out);
        }
    }
    const struct stage_account again = {.replays = r->stages[STAGE_NONE].replays - r->given_replays,
                                        .note = "final replays of the result"};
    if (again.replays > 0) {
        print_row(m, "verify", &again, true, out);
    }
    const struct stage_account left = {.steps = (int64_t)r->best.steps.count,
                                       .externals = r->final_externals,
                                       .switches = r->final_switches,
                                       .bytes = (int64_t)r->final_bytes,
                                       .replays = r->replays};
    print_row(m, "result", &left, false, out);
}

static void print_violation(struct session *s, enum outcome outcome, const char *what)
{
    session_paint(s, PAINT_ERROR, outcome_name(outcome));
    out_text(&s->out, ": ");
    session_text(s, what);
    out_char(&s->out, '\n');
}

/* Where --same exact keeps it: the node of the last step; NULL: it is not asked for, or there are
 * no nodes or steps. */
static const char *node_kept(const struct minimization *m)
{
    const struct execution *best = &m->result.best;
    const bool is_asked = m->options.same == SAME_EXACT && m->session->command == NULL;
    return is_asked && best->steps.count > 0
               ? sim_node_name(m->world, vec_last(&best->steps)->operation.node)
               : NULL;
}

static void print_steps(struct out *out, size_t steps, uint32_t externals)
{
    report_count(out, steps, "step", "steps");
    out_text(out, ", ");
    report_count(out, externals, "external event", "external events");
}

static void print_size(const struct minimization *m, uint32_t switches, size_t steps,
                       uint32_t externals, struct out *out)
{
    out_format(out, "%s has ", m->file.path);
    if (m->world->has_tasks) {
        report_count(out, switches, "context switch", "context switches");
        out_text(out, ", ");
    }
    print_steps(out, steps, externals);
}

/* Which schedule is where. */
static void print_file(const struct minimization *m, struct out *out)
{
    if (m->file.is_kept) {
        const struct execution *there = &m->file.there;
        print_size(m, minimize_switches(there), there->steps.count, minimize_externals(there), out);
        out_text(out, "; kept, because it is better than the result");
    } else {
        out_text(out, m->file.path);
    }
}

void minimization_say_left(const struct minimization *m)
{
    const struct best_file *f = &m->file;
    struct out out;
    out_open_memory(&out);
    print_size(m, f->switches, f->steps, f->externals, &out);
    session_say("%.*s: the best schedule written so far", (int)out.used, out.buffer);
    out_abandon(&out);
}

static void print_text(const struct minimization *m, struct session *s)
{
    const struct minimized *r = &m->result;
    struct out *out = &s->out;
    print_violation(s, r->best.outcome, r->initial_what);
    if (strcmp(r->initial_what, r->best.what) != 0) {
        out_text(out, "the result shows ");
        print_violation(s, r->best.outcome, r->best.what);
    }
    if (node_kept(m) != NULL) {
        out_text(out, "on ");
        session_text(s, node_kept(m));
        out_text(out, ", the node of the last step\n");
    }
    print_steps(out, r->initial_steps, r->initial_externals);
    out_text(out, "; minimized to ");
    print_steps(out, r->best.steps.count, r->final_externals);
    out_char(out, '\n');
    if (m->world->has_tasks) {
        report_count(out, r->initial_switches, "context switch", "context switches");
        out_format(out, "; minimized to %u%s\n", r->final_switches,
                   r->has_fewest_switches ? "; no execution with fewer shows the violation" : "");
    }
    print_account(m, out);
    report_count(out, r->replays, "replay", "replays");
    out_format(out, " in %.2f s, %s/s\n", (double)m->elapsed_ns / 1e9,
               progress_number(replays_per_second(r->replays, m->elapsed_ns)).text);
    print_proof(m, out);
    out_char(out, '\n');
    if (m->file.is_regular) {
        print_file(m, out);
        out_text(out, "\nagain: ");
        print_again(m, out);
        out_char(out, '\n');
    }
}

/* Where standard output has the schedule. */
static void print_aside(const struct minimization *m)
{
    struct session aside = *m->session;
    aside.is_colored = false;
    out_open_memory(&aside.out);
    print_text(m, &aside);
    (void)fwrite(aside.out.buffer, 1, aside.out.used, stderr);
    out_abandon(&aside.out);
}

static void print_stages(const void *context, struct json *j)
{
    const struct minimization *m = context;
    json_array(j, "stages");
    for (int i = 0; i < STAGE_COUNT; i++) {
        const struct stage_account *a = &m->result.stages[i];
        if (!a->was_run) {
            continue;
        }
        json_object(j, NULL);
        j->is_pretty = false;
        json_text(j, "stage", stage_name((enum stage)i));
        json_i64(j, "events", a->steps);
        json_i64(j, "externals", a->externals);
        if (m->world->has_tasks) {
            json_i64(j, "switches", a->switches);
        }
        if (has_bytes(m)) {
            json_i64(j, "bytes", a->bytes);
        }
        json_u64(j, "replays", a->replays);
        if (a->searched > 0) {
            json_u64(j, "searched", a->searched);
        }
        if (stage_note(a)[0] != '\0') {
            json_text(j, "note", stage_note(a));
        }
        json_end(j);
        j->is_pretty = true;
    }
    json_end(j);
}

static const char *keep_text(struct finding_file *f, const struct minimization *m,
                             void (*print)(const struct minimization *m, struct out *out))
{
    struct out out;
    out_open_memory(&out);
    print(m, &out);
    const char *kept = findings_text(&f->findings, "%.*s", (int)out.used, out.buffer);
    out_abandon(&out);
    return kept;
}

static void add_sizes(const struct minimization *m, struct finding_file *f)
{
    const struct minimized *r = &m->result;
    finding_file_count(f, "initial_events", r->initial_steps);
    finding_file_count(f, "initial_externals", r->initial_externals);
    finding_file_count(f, "final_events", r->best.steps.count);
    finding_file_count(f, "final_externals", r->final_externals);
    if (m->world->has_tasks) {
        finding_file_count(f, "initial_switches", r->initial_switches);
        finding_file_count(f, "final_switches", r->final_switches);
        finding_file_flag(f, "fewest_switches", r->has_fewest_switches);
    }
    if (has_bytes(m)) {
        finding_file_count(f, "initial_bytes", r->initial_bytes);
        finding_file_count(f, "final_bytes", r->final_bytes);
    }
}

static void print_json(struct minimization *m, const struct notes *notes)
{
    const struct minimized *r = &m->result;
    struct finding_file f = {0};
    report_begin(&f, m->session);
    f.event_count = r->initial_steps;
    f.print_more = print_stages;
    f.context = m;
    add_sizes(m, &f);
    finding_file_count(&f, "processes", m->options.jobs);
    finding_file_count(&f, "replays", r->replays);
    finding_file_count(&f, "replays_of_given", r->given_replays);
    finding_file_count(&f, "replays_of_result", r->stages[STAGE_NONE].replays - r->given_replays);
    finding_file_real(&f, "replays_per_second", replays_per_second(r->replays, m->elapsed_ns));
    finding_file_real(&f, "seconds", (double)m->elapsed_ns / 1e9);
    finding_file_count(&f, "replayed_events", r->steps);
    finding_file_count(&f, "executed_events", r->steps - r->steps_reused);
    finding_file_flag(&f, "as_recorded", is_as_recorded(m));
    finding_file_flag(&f, "flaky", r->is_flaky);
    finding_file_flag(&f, "optimal", r->proof == PROOF_OPTIMAL);
    finding_file_text(&f, "proof_kind", proof_word(r->proof));
    finding_file_text(&f, "proof", keep_text(&f, m, print_proof));
    finding_file_text(&f, "stopped_by", ends[r->stopped_by].name);
    finding_file_text(&f, "initial_what", r->initial_what);
    if (node_kept(m) != NULL) {
        finding_file_text(&f, "node", node_kept(m));
    }
    finding_file_text(&f, "schedule", m->file.path);
    finding_file_flag(&f, "kept", m->file.is_kept);
    vec_each (&notes->list, note) {
        vec_push(&f.assumptions, note->text);
    }
    f.verdict = VERDICT_FOUND;
    findings_add(&f.findings, &(struct finding){.kind = outcome_finding(r->best.outcome),
                                                .status = STATUS_CONFIRMED,
                                                .grade = GRADE_SOUND,
                                                .severity = r->best.severity,
                                                .what = r->best.what,
                                                .key = r->best.key,
                                                .replay = keep_text(&f, m, print_again),
                                                .pair_count = 1});
    report_print(&f, m->session);
    finding_file_release(&f);
}

void minimization_report(struct minimization *m)
{
    if (!is_as_recorded(m)) {
        warn_of_another_run(m);
    }
    struct notes notes = {0};
    add_notes(m, &notes);
    session_warn(m->session, m->session->inputs[0], &notes);
    if (m->session->common->json) {
        print_json(m, &notes);
    } else if (!best_file_is_stdout(&m->file)) {
        print_text(m, m->session);
    } else if (!m->session->common->quiet) {
        print_aside(m);
    }
    notes_release(&notes);
}
