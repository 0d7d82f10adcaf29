/* Properties: those in C after each step, and those of a specification on the variables that nodes
 * report. */
#include "sim/properties.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "sim/handler_guard.h"
#include "sim/net.h"
#include "sim/node_life.h"
#include "sim/state_hash.h"
#include "spec/checker.h"

/* Ends the run: the property is broken, with the values in s->claims.broken, if any. */
static _Noreturn void end_broken(struct sim *s, enum outcome outcome, const char *name,
                                 const char *when)
{
    const bool has_values = s->claims.broken[0] != '\0';
    const size_t before = strlen(name) + strlen(" does not hold") + strlen(when) + strlen(": ");
    s->execution->values = has_values && before < sizeof s->execution->what ? (uint32_t)before : 0;
    guard_end(s, outcome, name, "%s does not hold%s%s%s", name, when, has_values ? ": " : "",
              s->claims.broken);
}

/* Whether runs go on though the property is broken: its key is ignored, "property: NAME". */
static bool is_ignored(const struct sim *s, const char *name)
{
    for (size_t i = 0; i < s->world.ignored_count; i++) {
        const char *ignored = strstr(s->world.ignored[i], ": ");
        if (ignored != NULL && strcmp(ignored + 2, name) == 0) {
            return true;
        }
    }
    return false;
}

static void check_property(struct sim *s, const struct clew_property *p,
                           struct world_property *told)
{
    s->claims.broken[0] = '\0';
    s->run.doing = p->name;
    told->checks++;
    if (!p->holds(&s->claims.view)) {
        told->failures++;
        s->execution->severity = p->severity == CLEW_ERROR     ? SEVERITY_ERROR
                                 : p->severity == CLEW_WARNING ? SEVERITY_WARNING
                                                               : SEVERITY_NOTE;
        end_broken(s, OUTCOME_PROPERTY, p->name, "");
    }
}

static void check_properties(struct sim *s, bool is_at_rest)
{
    const struct clew_property *p = s->system->properties;
    for (uint32_t i = 0; p != NULL && p[i].name != NULL; i++) {
        if (p[i].is_at_rest == is_at_rest && !is_ignored(s, p[i].name)) {
            check_property(s, &p[i], &s->claims.at[i]);
        }
    }
}

/* The specification */

static const char *print_formula(struct sim *s, const struct spec_property *p)
{
    struct out text;
    out_open_memory(&text);
    out_format(&text, "%s ", spec_claim_word(p->claim));
    spec_print_node(s->claims.spec, p->root, &text);
    const char *kept = arena_text(&s->claims.texts, text.buffer, text.used);
    out_abandon(&text);
    return kept;
}

static uint32_t count_in_c(const struct sim *s)
{
    uint32_t count = 0;
    while (s->system->properties != NULL && s->system->properties[count].name != NULL) {
        count++;
    }
    return count;
}

/* Whether the specification speaks of more than the variables of one moment. */
static bool has_order(const struct spec *spec)
{
    vec_each (&spec->nodes, n) {
        if (n->op == SPEC_NOW || n->op == SPEC_STEPS || n->op == SPEC_MESSAGES) {
            return true;
        }
    }
    return spec_count_temporal(spec) > 0;
}

static enum world_scope scope_of(const struct sim *s)
{
    const bool has_spec = s->claims.spec != NULL && s->claims.spec->properties.count > 0;
    if (s->node_count == 1 || (!has_spec && !s->claims.sees_states)) {
        return SCOPE_NODE;
    }
    const bool is_uneven = has_spec && s->claims.sees_states && s->claims.check_every > 1;
    return is_uneven || (has_spec && has_order(s->claims.spec)) ? SCOPE_ORDER : SCOPE_MOMENT;
}

void claims_note_order(struct sim *s, enum world_order why)
{
    if (s->node_count > 1 && s->world.scope != SCOPE_ORDER) {
        s->world.scope = SCOPE_ORDER;
        s->world.order = why;
    }
}

int claims_open(struct sim *s, const struct spec *spec, struct err *e)
{
    const uint32_t in_c = count_in_c(s);
    s->claims.spec = spec;
    s->claims.count = in_c + (spec == NULL ? 0 : (uint32_t)spec->properties.count);
    s->claims.at = mem_zero(s->claims.count + 1, sizeof *s->claims.at);
    s->claims.told = mem_zero(s->claims.count + 1, sizeof *s->claims.told);
    for (uint32_t i = 0; i < s->claims.count; i++) {
        s->claims.at[i].name = i < in_c
                                   ? s->system->properties[i].name
                                   : names_text(&spec->names, spec->properties.at[i - in_c].name);
        s->claims.at[i].text = i < in_c ? "" : print_formula(s, &spec->properties.at[i - in_c]);
        const bool is_at_rest = i < in_c && s->system->properties[i].is_at_rest;
        s->claims.sees_states = s->claims.sees_states || (i < in_c && !is_at_rest);
        s->world.looks_at_rest = s->world.looks_at_rest || is_at_rest;
    }
    s->world.scope = scope_of(s);
    s->world.order = s->world.scope == SCOPE_ORDER ? ORDER_OF_MOMENTS : ORDER_FREE;
    s->world.check_every = s->claims.sees_states ? s->claims.check_every : 1;
    return spec == NULL ? 0
                        : checker_new(&s->claims.checker, spec,
                                      &(struct checker_system){.processes = s->names.node_texts,
                                                               .process_count = s->node_count},
                                      e);
}

void claims_close(struct sim *s)
{
    checker_free(s->claims.checker);
    mem_free(s->claims.at);
    mem_free(s->claims.told);
    arena_release(&s->claims.texts);
}

/* Adds the verdicts of the specification's properties in the last run, once. */
static void count_last_run(struct sim *s)
{
    const uint32_t in_c = count_in_c(s);
    must(in_c <= s->claims.count);
    for (uint32_t i = in_c; s->claims.has_uncounted && i < s->claims.count; i++) {
        const struct checker_status *status = checker_status(s->claims.checker, i - in_c);
        s->claims.at[i].checks += status->checks;
        s->claims.at[i].skips += status->skips;
        s->claims.at[i].failures += status->verdict == CHECKER_VIOLATED;
    }
    s->claims.has_uncounted = false;
}

uint32_t claims_tell(struct world *w, const struct world_property **properties)
{
    struct sim *s = sim_of(w);
    count_last_run(s);
    for (uint32_t i = 0; i < s->claims.count; i++) {
        s->claims.told[i] = s->claims.at[i];
        s->claims.at[i].checks = s->claims.at[i].skips = s->claims.at[i].failures = 0;
    }
    *properties = s->claims.told;
    return s->claims.count;
}

void claims_set(struct sim *s, uint32_t node, uint32_t variable, int64_t value)
{
    must(node < s->node_count);
    must(variable < s->reported.count);
    if (s->claims.checker != NULL) {
        checker_set(s->claims.checker,
                    checker_slot(s->claims.checker, node, s->reported.names[variable]), value);
    }
}

void claims_forget(struct sim *s, uint32_t node)
{
    for (uint32_t i = 0; s->claims.checker != NULL && i < s->reported.count; i++) {
        checker_unset(s->claims.checker,
                      checker_slot(s->claims.checker, node, s->reported.names[i]));
    }
}

uint64_t claims_now(const struct sim *s)
{
    return node_clock_latest(s) * SIM_TICK_NS;
}

void claims_count_messages(struct sim *s, struct checker *c)
{
    for (uint32_t from = 0; from < s->node_count; from++) {
        for (uint32_t to = 0; to < s->node_count; to++) {
            const uint32_t slot = checker_message_slot(c, from, to);
            if (slot == CHECKER_SLOT_NONE) {
                continue;
            }
            int64_t count = 0;
            const struct parcel *p = s->core->queues[net_channel(s, (int32_t)from, to)].first;
            for (; p != NULL; p = p->behind) {
                count++;
            }
            checker_set(c, slot, count);
        }
    }
}

/* Ends the run with the first property that is violated and not ignored, if there is one; `when`
 * says in which circumstances. */
static void end_violated(struct sim *s, enum outcome outcome, const char *when)
{
    for (uint32_t i = 0; i < s->claims.spec->properties.count; i++) {
        if (checker_status(s->claims.checker, i)->verdict != CHECKER_VIOLATED) {
            continue;
        }
        const struct spec_property *p = &s->claims.spec->properties.at[i];
        const char *name = names_text(&s->claims.spec->names, p->name);
        if (is_ignored(s, name)) {
            continue;
        }
        s->execution->severity = p->severity == SPEC_ERROR     ? SEVERITY_ERROR
                                 : p->severity == SPEC_WARNING ? SEVERITY_WARNING
                                                               : SEVERITY_NOTE;
        struct out values;
        out_open_memory(&values);
        checker_print_values(s->claims.checker, i, &values);
        (void)snprintf(s->claims.broken, sizeof s->claims.broken, "%.*s", (int)values.used,
                       values.used == 0 ? "" : values.buffer);
        out_abandon(&values);
        end_broken(s, outcome, name, when);
    }
    must(s->world.ignored_count > 0);
}

void claims_begin(struct sim *s)
{
    if (s->claims.checker != NULL) {
        count_last_run(s);
        checker_begin(s->claims.checker);
        s->claims.has_uncounted = true;
    }
}

void claims_check(struct sim *s)
{
    if (s->plan->is_blind) {
        return;
    }
    s->execution->is_early = true;
    if (s->claims.check_every == 1 || s->core->steps % s->claims.check_every == 0) {
        check_properties(s, false);
    }
    if (s->claims.checker != NULL) {
        claims_count_messages(s, s->claims.checker);
        if (checker_step(s->claims.checker, claims_now(s)) > 0) {
            end_violated(s, OUTCOME_PROPERTY, "");
        }
    }
    s->execution->is_early = false;
}

/* A property is violated if the run goes on like this. A violation that no continuation could mend
 * stands already, however the run goes on. */
static void blame(struct sim *s, const struct checker_ending *ending, enum outcome outcome,
                  const char *when)
{
    const struct checker_ending cut = {.kind = CHECKER_CUT};
    checker_rewind(s->claims.checker, s->core->steps + 1);
    if (checker_foresee(s->claims.checker, &cut) > 0) {
        end_violated(s, OUTCOME_PROPERTY, "");
    }
    (void)checker_end(s->claims.checker, ending);
    end_violated(s, outcome, when);
}

void claims_end(struct sim *s, bool is_at_rest)
{
    if (s->plan->is_blind) {
        return;
    }
    if (s->core->steps % s->claims.check_every != 0) {
        check_properties(s, false);
    }
    if (is_at_rest) {
        check_properties(s, true);
    }
    const struct checker_ending ending = {.kind = is_at_rest ? CHECKER_REST : CHECKER_CUT};
    if (s->claims.checker != NULL && checker_end(s->claims.checker, &ending) > 0) {
        blame(s, &ending, OUTCOME_LIVENESS, " now that the system is at rest");
    }
}

void claims_loop(struct sim *s, uint32_t repeats)
{
    const struct checker_ending ending = {.kind = CHECKER_LASSO, .repeats = repeats};
    if (checker_foresee(s->claims.checker, &ending) > 0) {
        char when[80];
        (void)snprintf(when, sizeof when, " while steps %u to %u go on for ever", repeats + 1,
                       s->core->steps);
        blame(s, &ending, OUTCOME_LIVELOCK, when);
    }
}
