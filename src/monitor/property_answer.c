#include "monitor/property_answer.h"

#include <stdio.h>
#include <string.h>

#include "base/limit.h"
#include "monitor/cut_witness.h"
#include "monitor/offline/clause.h"
#include "monitor/offline/formula_cascade.h"

struct monitor_answer answer_unknown(const char *reason)
{
    return (struct monitor_answer){.verdict = CUT_UNKNOWN, .reason = reason};
}

enum { PART_REPORTS_DEFAULT = 256, LITERALS_MAX_DEFAULT = 4096 };

/* The first clause that a cut shows; else unknown when one of them is. */
static struct monitor_answer decide_clauses(const struct asking *a, const struct clauses *clauses)
{
    struct limit_watch watch = {.limit = a->options->limit};
    struct monitor_answer answer = {.verdict = CUT_NO, .clause_count = clauses->list.count};
    vec_each (&clauses->list, clause) {
        const struct decision d = decide_clause(a->history, clause, &watch, a->taken);
        /* A question that libz3 can decide is better than one that no method can. */
        const bool is_open = answer.verdict == CUT_UNKNOWN && answer.reason[0] != '\0';
        if (d.verdict == CUT_YES ||
            (d.verdict == CUT_UNKNOWN && (answer.verdict == CUT_NO || is_open))) {
            answer.verdict = d.verdict;
            answer.reason = d.reason;
        }
        answer.method = d.method > answer.method || d.verdict == CUT_YES ? d.method : answer.method;
        if (d.verdict == CUT_YES) {
            break;
        }
    }
    return answer;
}

static struct formula_question question_of(const struct asking *a)
{
    return (struct formula_question){
        .root = a->root, .budget = a->options->budget, .is_packed = a->options->is_packed};
}

/* Gives the whole formula to libz3, within the rest of the budget. */
static void decide_formula(const struct asking *a, uint64_t spent_ns, struct monitor_answer *answer)
{
    struct formula_question question = question_of(a);
    const uint32_t part =
        a->options->part_reports == 0 ? PART_REPORTS_DEFAULT : a->options->part_reports;
    uint64_t *time_ns = &question.budget.time_ns_max;
    *time_ns = *time_ns == 0 ? 0 : *time_ns > spent_ns ? *time_ns - spent_ns : 1;
    const struct limit *limit = a->options->limit;
    if (limit != NULL && limit->time_ns > 0) {
        const uint64_t left_ns = limit_time_left_ns(limit);
        *time_ns = *time_ns == 0 || left_ns < *time_ns ? left_ns : *time_ns;
        *time_ns = *time_ns == 0 ? 1 : *time_ns;
    }
    const struct decision d = a->options->is_by_solver
                                  ? formula_decide(a->history, &question, a->taken)
                                  : formula_decide_parts(a->history, &question, part, a->taken);
    answer->verdict = d.verdict;
    answer->method = d.method;
    answer->reason = d.reason;
}

static struct monitor_answer decide(const struct asking *a)
{
    struct arena arena = {0};
    struct clauses clauses = {0};
    struct monitor_answer answer = answer_unknown("");
    const uint64_t begin_ns = limit_now_ns();
    const size_t literals_max =
        a->options->literals_max == 0 ? LITERALS_MAX_DEFAULT : a->options->literals_max;
    if (!a->options->is_by_solver &&
        clauses_build(&clauses, a->history, a->root, literals_max, &arena)) {
        answer = decide_clauses(a, &clauses);
    }
    if (answer.verdict == CUT_UNKNOWN && answer.reason[0] == '\0') {
        decide_formula(a, limit_now_ns() - begin_ns, &answer);
    }
    clauses_release(&clauses);
    arena_release(&arena);
    return answer;
}

struct monitor_answer answer_decide(const struct asking *a)
{
    struct monitor_answer answer = decide(a);
    if (answer.verdict == CUT_NO && a->history->has_threads) {
        answer.verdict = CUT_UNKNOWN;
        answer.reason = MONITOR_THREADS;
    } else if (answer.verdict == CUT_NO && a->history->doubts > 0) {
        answer.verdict = CUT_UNKNOWN;
        answer.reason = MONITOR_DOUBTED;
    } else if (answer.verdict == CUT_YES && a->history->has_unmatched) {
        answer.verdict = CUT_UNKNOWN;
        answer.reason = MONITOR_UNMATCHED;
    } else if (answer.verdict == CUT_YES && !state_history_is_certain(a->history, a->taken)) {
        answer.verdict = CUT_UNKNOWN;
        answer.reason = "it may have held, unless a report that is missing was a message";
    } else if (answer.verdict == CUT_UNKNOWN && a->history->gaps.count > 0 &&
               strcmp(answer.reason, MONITOR_UNREPORTED) == 0) {
        answer.reason = MONITOR_MISSING;
    }
    return answer;
}

int answer_write(const struct asking *a, const char *folder, const char *name, struct err *e)
{
    char path[4096];
    const struct formula_question question = question_of(a);
    const int size = snprintf(path, sizeof path, "%s/%s.smt2", folder, name);
    return size >= (int)sizeof path
               ? err_set(e, "%s: the name is too long for a folder of files", folder)
               : formula_write(a->history, &question, path, e);
}

static const char *sentence(struct findings *f, const struct spec *s, const struct spec_property *p)
{
    const char *name = names_text(&s->names, p->name);
    switch (p->claim) {
    case SPEC_CLAIM_NEVER:
        return findings_text(f, "%s: a state that must never occur is possible", name);
    case SPEC_CLAIM_ALWAYS:
        return findings_text(f, "%s: a condition that must always hold may have failed", name);
    case SPEC_CLAIM_POSSIBLY: return findings_text(f, "%s: the requested state is possible", name);
    }
    bug("claim");
}

static enum finding_severity severity_of(const struct spec_property *p)
{
    if (p->claim == SPEC_CLAIM_POSSIBLY) {
        return SEVERITY_NOTE;
    }
    switch (p->severity) {
    case SPEC_ERROR: return SEVERITY_ERROR;
    case SPEC_WARNING: return SEVERITY_WARNING;
    case SPEC_NOTE: return SEVERITY_NOTE;
    }
    bug("severity");
}

/* The search for the least skew decides again over at most this many reports in all, and at least
 * twice. */
enum { LEAST_REPORTS_MAX = 20000000, LEAST_TRIES_MAX = 64 };

static uint32_t least_tries(const struct cuts *c)
{
    const uint32_t tries = LEAST_REPORTS_MAX / (cuts_report_count(c) + 1);
    return tries < 2 ? 2 : tries > LEAST_TRIES_MAX ? LEAST_TRIES_MAX : tries;
}

bool answer_find_least(const struct asking *a, enum method method, struct overlap_least *least)
{
    struct cuts *c = &a->history->cuts;
    const int64_t skew = c->skew;
    const bool is_cheap = method == METHOD_LEAST || method == METHOD_FLOW || method == METHOD_STEPS;
    if (skew == INT64_MAX || !is_cheap || a->options->is_by_solver || !a->history->has_times ||
        a->history->gaps.count > 0) {
        return false;
    }
    struct arena scratch = {0};
    uint32_t *best = arena_array(&scratch, uint32_t, c->process_count + 1);
    memcpy(best, a->taken, c->process_count * sizeof *best);
    least->skew = overlap_find(a->history, best, NULL).skew_needed;
    int64_t low = 0;
    bool is_known = true;
    for (uint32_t i = least_tries(c); i > 0 && is_known && low < least->skew; i--) {
        c->skew = low + (least->skew - low) / 2;
        const struct monitor_answer answer = decide(a);
        is_known = answer.verdict != CUT_UNKNOWN;
        if (answer.verdict == CUT_YES) {
            memcpy(best, a->taken, c->process_count * sizeof *best);
            least->skew = overlap_find(a->history, best, NULL).skew_needed;
        } else if (is_known) {
            low = c->skew + 1;
        }
    }
    least->is_exact = low >= least->skew;
    c->skew = skew;
    memcpy(a->taken, best, c->process_count * sizeof *best);
    arena_release(&scratch);
    return true;
}

static const struct finding_moment *moment_of(const struct asking *a,
                                              const struct answer_source *from, struct findings *f)
{
    const struct state_history *h = a->history;
    const struct overlap o = overlap_find(h, a->taken, NULL);
    struct finding_moment *moment = arena_array(&f->arena, struct finding_moment, 1);
    *moment = (struct finding_moment){
        .states = witness_states(h, from->spec, a->taken, f),
        .count = h->cuts.process_count,
        .has_clocks = o.has_pair && h->cuts.skew != INT64_MAX,
        .early = findings_text(f, "%s", *vec_at(&h->processes, o.early)),
        .late = findings_text(f, "%s", *vec_at(&h->processes, o.late)),
        .skew_needed = o.skew_needed,
        .has_least = from->least != NULL && from->least->is_exact,
        .skew_least = from->least == NULL ? 0 : from->least->skew,
    };
    return moment;
}

static const char *argument_of(const struct asking *a, const struct answer_source *from,
                               struct findings *f)
{
    struct arena scratch = {0};
    const struct bits reads = witness_processes(a->history, a->root, &scratch);
    const char *text = findings_text(f, "%s%s", witness_text(a->history, from->spec, a->taken, f),
                                     overlap_text(a->history, a->taken, &reads, from->least, f));
    arena_release(&scratch);
    return text;
}

void answer_tell(const struct asking *a, const struct answer_source *from, struct findings *f)
{
    const struct spec_property *p = vec_at(&from->spec->properties, from->property);
    const char *name = names_text(&from->spec->names, p->name);
    must(witness_holds(a->history, a->root, a->taken));
    const struct witness_events events =
        witness_events(a->history, a->root, a->taken, from->input, f);
    findings_add(f, &(struct finding){.kind = FINDING_PREDICATE,
                                      .status = STATUS_PREDICTED,
                                      .grade = GRADE_SOUND,
                                      .severity = severity_of(p),
                                      .what = sentence(f, from->spec, p),
                                      .why = argument_of(a, from, f),
                                      .key = findings_text(f, "predicate:%s", name),
                                      .events = events.at,
                                      .event_count = events.count,
                                      .moment = moment_of(a, from, f),
                                      .pair_count = 1});
}
