/* What must hold: properties in C after each step, and those of a specification on the variables
 * that nodes report. */
#include <stdio.h>

#include "sim/state.h"
#include "spec/checker.h"

/* One unit of the nodes' clocks, where a specification speaks of time. */
static const uint64_t tick_ns = 1000000;

static void check_property(struct sim *s, const struct clew_property *p)
{
    s->broken[0] = '\0';
    s->doing = p->name;
    if (!p->holds(&s->view)) {
        guard_end(s, OUTCOME_PROPERTY, p->name, "%s does not hold%s%s", p->name,
                  s->broken[0] == '\0' ? "" : ": ", s->broken);
    }
}

static void check_properties(struct sim *s, bool is_at_rest)
{
    const struct clew_property *p = s->system->properties;
    s->view.step = s->core->steps;
    for (; p != NULL && p->name != NULL; p++) {
        if (p->is_at_rest == is_at_rest) {
            check_property(s, p);
        }
    }
}

/* The specification */

int claims_open(struct sim *s, const struct spec *spec, struct err *e)
{
    s->spec = spec;
    return spec == NULL ? 0
                        : checker_new(&s->checker, spec,
                                      &(struct checker_system){.processes = s->node_names,
                                                               .process_count = s->node_count},
                                      e);
}

void claims_close(struct sim *s)
{
    checker_free(s->checker);
}

void claims_set(struct sim *s, uint32_t node, uint32_t variable, int64_t value)
{
    if (s->checker != NULL) {
        checker_set(s->checker, checker_slot(s->checker, node, s->variable_names[variable]), value);
    }
}

void claims_forget(struct sim *s, uint32_t node)
{
    for (uint32_t i = 0; s->checker != NULL && i < s->variable_count; i++) {
        checker_unset(s->checker, checker_slot(s->checker, node, s->variable_names[i]));
    }
}

static uint64_t now(const struct sim *s)
{
    uint64_t latest = 0;
    for (uint32_t i = 0; i < s->node_count; i++) {
        const uint64_t clock = s->core->nodes[i].clock;
        latest = clock > latest ? clock : latest;
    }
    return latest * tick_ns;
}

static void count_messages(struct sim *s)
{
    for (uint32_t from = 0; from < s->node_count; from++) {
        for (uint32_t to = 0; to < s->node_count; to++) {
            const uint32_t slot = checker_message_slot(s->checker, from, to);
            if (slot == CHECKER_SLOT_NONE) {
                continue;
            }
            int64_t count = 0;
            const struct parcel *p = s->core->queues[net_channel(s, (int32_t)from, to)].first;
            for (; p != NULL; p = p->behind) {
                count++;
            }
            checker_set(s->checker, slot, count);
        }
    }
}

/* Ends the run with the first property that is violated. */
static void end_violated(struct sim *s, enum outcome outcome)
{
    for (uint32_t i = 0; i < s->spec->properties.count; i++) {
        if (checker_status(s->checker, i)->verdict != CHECKER_VIOLATED) {
            continue;
        }
        const char *name = names_text(&s->spec->names, s->spec->properties.at[i].name);
        struct out values;
        out_open_memory(&values);
        checker_print_values(s->checker, i, &values);
        (void)snprintf(s->broken, sizeof s->broken, "%.*s", (int)values.used,
                       values.used == 0 ? "" : values.buffer);
        out_abandon(&values);
        guard_end(s, outcome, name, "%s does not hold%s%s", name, s->broken[0] == '\0' ? "" : ": ",
                  s->broken);
    }
    bug("a violation of no property");
}

void claims_begin(struct sim *s)
{
    if (s->checker != NULL) {
        checker_begin(s->checker);
    }
}

void claims_check(struct sim *s)
{
    check_properties(s, false);
    if (s->checker != NULL) {
        count_messages(s);
        if (checker_step(s->checker, now(s)) > 0) {
            end_violated(s, OUTCOME_PROPERTY);
        }
    }
}

void claims_end(struct sim *s, bool is_at_rest)
{
    if (is_at_rest) {
        check_properties(s, true);
    }
    const struct checker_ending ending = {.kind = is_at_rest ? CHECKER_REST : CHECKER_CUT};
    if (s->checker != NULL && checker_end(s->checker, &ending) > 0) {
        end_violated(s, OUTCOME_LIVENESS);
    }
}
