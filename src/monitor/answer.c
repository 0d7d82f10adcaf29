#include "monitor/answer.h"

#include <stdio.h>
#include <string.h>

#include "base/limit.h"
#include "monitor/clause.h"
#include "monitor/witness.h"

struct monitor_answer answer_unknown(const char *reason)
{
    return (struct monitor_answer){.verdict = CUT_UNKNOWN, .reason = reason};
}

/* The first clause that a cut shows; else unknown when one of them is. The time is for all of them:
 * what is left of it, when there is none, is too little for libz3. */
static struct monitor_answer decide_clauses(const struct asking *a, const struct clauses *clauses)
{
    struct monitor_answer answer = {.verdict = CUT_NO, .clause_count = clauses->list.count};
    struct decide_options options = *a->options;
    const uint64_t time_ns = options.budget.time_ns_max;
    const uint64_t begin_ns = time_ns > 0 ? limit_now_ns() : 0;
    vec_each (&clauses->list, clause) {
        const uint64_t spent_ns = time_ns > 0 ? limit_now_ns() - begin_ns : 0;
        options.budget.time_ns_max = time_ns > spent_ns || time_ns == 0 ? time_ns - spent_ns : 1;
        const struct decision d = decide_clause(a->chronicle, clause, &options, a->taken);
        if (d.verdict == CUT_YES || (d.verdict == CUT_UNKNOWN && answer.verdict == CUT_NO)) {
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

struct monitor_answer answer_decide(const struct asking *a)
{
    struct arena arena = {0};
    struct clauses clauses = {0};
    struct monitor_answer answer = answer_unknown("written out as clauses it is too long");
    if (clauses_build(&clauses, a->chronicle, a->root, &arena)) {
        answer = decide_clauses(a, &clauses);
    }
    clauses_release(&clauses);
    arena_release(&arena);
    if (answer.verdict == CUT_NO && a->chronicle->doubts > 0) {
        answer.verdict = CUT_UNKNOWN;
        answer.reason = MONITOR_DOUBTED;
    } else if (answer.verdict == CUT_YES && !chronicle_is_certain(a->chronicle, a->taken)) {
        answer.verdict = CUT_UNKNOWN;
        answer.reason = "it may have held, unless a report that is missing was a message";
    } else if (answer.verdict == CUT_UNKNOWN && a->chronicle->gaps.count > 0 &&
               strcmp(answer.reason, MONITOR_UNREPORTED) == 0) {
        answer.reason = MONITOR_MISSING;
    }
    return answer;
}

int answer_write(const struct asking *a, const char *folder, const char *name, struct err *e)
{
    struct arena arena = {0};
    struct clauses clauses = {0};
    int result = 0;
    if (clauses_build(&clauses, a->chronicle, a->root, &arena)) {
        for (size_t i = 0; result == 0 && i < clauses.list.count; i++) {
            char path[4096];
            const int size = snprintf(path, sizeof path, "%s/%s-%zu.smt2", folder, name, i + 1);
            result = size >= (int)sizeof path
                         ? err_set(e, "%s: too long a name for a folder of files", folder)
                         : decide_write(a->chronicle, &clauses.list.at[i], a->options, path, e);
        }
    }
    clauses_release(&clauses);
    arena_release(&arena);
    return result;
}

static const char *sentence(struct findings *f, const struct spec *s, const struct spec_property *p)
{
    const char *name = names_text(&s->names, p->name);
    switch (p->claim) {
    case SPEC_CLAIM_NEVER: return findings_text(f, "%s: what must never hold may have held", name);
    case SPEC_CLAIM_ALWAYS:
        return findings_text(f, "%s: what must always hold may have failed", name);
    case SPEC_CLAIM_POSSIBLY: return findings_text(f, "%s: what is asked for may have held", name);
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

void answer_tell(const struct asking *a, const struct spec *s, uint32_t property, uint32_t input,
                 struct findings *f)
{
    const struct spec_property *p = vec_at(&s->properties, property);
    must(witness_holds(a->chronicle, a->root, a->taken));
    const struct witness_events events = witness_events(a->chronicle, a->root, a->taken, input, f);
    findings_add(f, &(struct finding){
                        .kind = FINDING_PREDICATE,
                        .status = STATUS_PREDICTED,
                        .grade = GRADE_SOUND,
                        .severity = severity_of(p),
                        .what = sentence(f, s, p),
                        .why = witness_text(a->chronicle, s, a->taken, f),
                        .key = findings_text(f, "predicate:%s", names_text(&s->names, p->name)),
                        .events = events.at,
                        .event_count = events.count,
                        .pair_count = 1});
}
