#include "monitor/monitor.h"

#include "monitor/witness.h"

void monitor_result_release(struct monitor_result *r)
{
    vec_release(&r->properties);
}

struct monitoring {
    const struct spec *spec;
    const struct monitor_options *options;
    struct chronicle chronicle;
    struct bound bound;
    struct findings *findings;
    uint32_t *taken;
};

static struct monitor_answer unknown(const char *reason)
{
    return (struct monitor_answer){.verdict = CUT_UNKNOWN, .reason = reason};
}

/* The first clause that a cut shows; else unknown when one of them is. */
static struct monitor_answer decide_clauses(struct monitoring *m, const struct clauses *clauses)
{
    struct monitor_answer answer = {.verdict = CUT_NO, .clause_count = clauses->list.count};
    vec_each (&clauses->list, clause) {
        const struct decision d =
            decide_clause(&m->chronicle, clause, &m->options->decide, m->taken);
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

static struct monitor_answer decide_root(struct monitoring *m, uint32_t root)
{
    struct arena arena = {0};
    struct clauses clauses = {0};
    struct monitor_answer answer = unknown("written out as clauses it is too long");
    if (clauses_build(&clauses, &m->chronicle, root, &arena)) {
        answer = decide_clauses(m, &clauses);
    }
    clauses_release(&clauses);
    arena_release(&arena);
    if (answer.verdict == CUT_NO && m->chronicle.doubts > 0) {
        answer.verdict = CUT_UNKNOWN;
        answer.reason =
            "clocks went back, were missing or differed by more than the skew: cuts may "
            "have been ruled out wrongly";
    } else if (answer.verdict == CUT_YES && !chronicle_is_certain(&m->chronicle, m->taken)) {
        answer.verdict = CUT_UNKNOWN;
        answer.reason = "it may have held, unless a report that is missing was a message";
    } else if (answer.verdict == CUT_UNKNOWN && m->chronicle.gaps.count > 0) {
        answer.reason = "reports are missing that it may depend on";
    }
    return answer;
}

static const char *sentence(struct monitoring *m, const struct spec_property *p)
{
    const char *name = names_text(&m->spec->names, p->name);
    switch (p->claim) {
    case SPEC_CLAIM_NEVER:
        return findings_text(m->findings, "%s: what must never hold may have held", name);
    case SPEC_CLAIM_ALWAYS:
        return findings_text(m->findings, "%s: what must always hold may have failed", name);
    case SPEC_CLAIM_POSSIBLY:
        return findings_text(m->findings, "%s: what is asked for may have held", name);
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

static void tell(struct monitoring *m, const struct spec_property *p, uint32_t root)
{
    must(witness_holds(&m->chronicle, root, m->taken));
    const struct witness_events events =
        witness_events(&m->chronicle, root, m->taken, m->options->input, m->findings);
    findings_add(
        m->findings,
        &(struct finding){
            .kind = FINDING_PREDICATE,
            .status = STATUS_PREDICTED,
            .grade = GRADE_SOUND,
            .severity = severity_of(p),
            .what = sentence(m, p),
            .why = witness_text(&m->chronicle, m->spec, m->taken, m->findings),
            .key = findings_text(m->findings, "predicate:%s", names_text(&m->spec->names, p->name)),
            .events = events.at,
            .event_count = events.count,
            .pair_count = 1});
}

static void decide_all(struct monitoring *m, struct monitor_result *r)
{
    for (uint32_t i = 0; i < m->spec->properties.count; i++) {
        const struct spec_property *p = &m->spec->properties.at[i];
        const struct bound_property *b = vec_at(&m->bound.properties, i);
        if (b->is_temporal) {
            vec_push(&r->properties, unknown("it speaks of how moments follow each other, which is "
                                             "not decided over cuts"));
            continue;
        }
        const uint32_t root = *vec_at(&m->bound.atoms, b->atom);
        struct monitor_answer answer = decide_root(m, root);
        answer.is_violation = answer.verdict == CUT_YES && p->claim != SPEC_CLAIM_POSSIBLY;
        if (answer.verdict == CUT_YES) {
            tell(m, p, root);
        }
        vec_push(&r->properties, answer);
    }
}

int monitor_find(const struct trace *t, const struct spec *s, const struct monitor_options *o,
                 struct findings *f, struct monitor_result *r, struct notes *n, struct err *e)
{
    struct monitoring m = {.spec = s, .options = o, .findings = f};
    chronicle_processes(&m.chronicle, t);
    const struct checker_system system = {m.chronicle.processes.at,
                                          (uint32_t)m.chronicle.processes.count};
    const int result = bind_spec(&m.bound, s, &system, e);
    if (result == 0) {
        const struct chronicle_options options = {.skew = o->skew, .is_logical = o->is_paper};
        chronicle_build(&m.chronicle, s, &m.bound, &options, n);
        m.taken = arena_array(&m.chronicle.arena, uint32_t, m.chronicle.cuts.process_count);
        r->process_count = m.chronicle.cuts.process_count;
        r->report_count = cuts_report_count(&m.chronicle.cuts);
        r->message_count = m.chronicle.cuts.need_first[r->report_count];
        decide_all(&m, r);
    }
    bound_release(&m.bound);
    chronicle_release(&m.chronicle);
    return result;
}
