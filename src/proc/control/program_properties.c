/* The specification and the properties in C, checked on what the program reported, value by value,
 * after the run. A program is one process of the specification, under its own name. Messages of
 * annotated channels count as variables: sent and received, of all channels, and sent_NAME and
 * received_NAME of each. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "pick/operation_name.h"
#include "proc/control/program_state.h"

static const char *print_formula(struct controlled *c, const struct spec_property *p)
{
    c->text.used = 0;
    out_format(&c->text, "%s ", spec_claim_word(p->claim));
    spec_print_node(c->options.spec, p->root, &c->text);
    return arena_text(&c->texts, c->text.buffer, c->text.used);
}

static size_t count_of_spec(const struct controlled *c)
{
    return c->options.spec == NULL ? 0 : c->options.spec->properties.count;
}

static int open_spec(struct controlled *c, struct err *e)
{
    const struct spec *spec = c->options.spec;
    for (size_t i = 0; i < count_of_spec(c); i++) {
        c->properties[i].name = names_text(&spec->names, spec->properties.at[i].name);
        c->properties[i].text = print_formula(c, &spec->properties.at[i]);
    }
    c->process = c->system;
    return spec == NULL
               ? 0
               : checker_new(&c->checker, spec,
                             &(struct checker_system){.processes = &c->process, .process_count = 1},
                             e);
}

int claim_open(struct controlled *c, struct err *e)
{
    const struct property_source source = {.path = c->options.property,
                                           .includes = c->install.includes};
    names_init(&c->channels);
    if (source.path != NULL && properties_load(&c->in_c, &source, e) < 0) {
        return -1;
    }
    const size_t before = count_of_spec(c);
    const size_t count = before + properties_count(c->in_c);
    c->properties = mem_zero(count + 1, sizeof *c->properties);
    c->properties_told = mem_zero(count + 1, sizeof *c->properties_told);
    for (uint32_t i = 0; i < properties_count(c->in_c); i++) {
        c->properties[before + i].name = properties_account(c->in_c, i)->name;
        c->properties[before + i].text = "";
    }
    return open_spec(c, e);
}

void claim_close(struct controlled *c)
{
    checker_free(c->checker);
    properties_free(c->in_c);
    mem_free(c->properties);
    mem_free(c->properties_told);
    map_release(&c->counts);
    names_release(&c->channels);
}

/* Those in C keep their own account. */
static void take_accounts(struct controlled *c)
{
    struct world_property *told = c->properties_told + count_of_spec(c);
    for (uint32_t i = 0; i < properties_count(c->in_c); i++, told++) {
        struct property_account *account = properties_account(c->in_c, i);
        told->checks = account->checks;
        told->skips = account->skips;
        told->failures = account->failures;
        account->checks = account->skips = account->failures = 0;
    }
}

uint32_t claim_tell(struct world *w, const struct world_property **properties)
{
    struct controlled *c = (struct controlled *)w;
    const uint32_t count = (uint32_t)count_of_spec(c) + properties_count(c->in_c);
    for (uint32_t i = 0; i < count; i++) {
        c->properties_told[i] = c->properties[i];
        c->properties[i].checks = c->properties[i].skips = c->properties[i].failures = 0;
    }
    take_accounts(c);
    *properties = c->properties_told;
    return count;
}

static void set(struct controlled *c, const char *name, int64_t value)
{
    if (c->checker != NULL) {
        checker_set(c->checker, checker_slot(c->checker, 0, name), value);
    }
    if (c->in_c != NULL) {
        properties_set(c->in_c, name, value);
    }
}

static void unset(struct controlled *c, const char *name)
{
    if (c->checker != NULL) {
        checker_unset(c->checker, checker_slot(c->checker, 0, name));
    }
    if (c->in_c != NULL) {
        properties_unset(c->in_c, name);
    }
}

static void count_one(struct controlled *c, const char *name)
{
    uint32_t *count = map_slot(&c->counts, names_intern_text(&c->channels, name), 0, NULL);
    set(c, name, ++*count);
}

/* Of a word of the specification. */
static bool is_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void count_message(struct controlled *c, const struct control_report *r)
{
    char name[80];
    const char *what = r->kind == EVENT_SEND ? "sent" : "received";
    (void)snprintf(name, sizeof name, "%s_%.60s", what, r->name);
    for (char *at = name; *at != '\0'; at++) {
        *at = is_of_word(*at) ? *at : '_';
    }
    count_one(c, what);
    count_one(c, name);
}

/* What the report changes; false when it is of no interest here. */
static bool apply(struct controlled *c, const struct control_report *r)
{
    switch (r->kind) {
    case EVENT_VARIABLE: set(c, r->name, r->value); return true;
    case EVENT_VARIABLE_DELETE: unset(c, r->name); return true;
    case EVENT_SEND:
    case EVENT_RECV: count_message(c, r); return true;
    default: return false;
    }
}

/* The first property that is violated, in words. */
static void blame(struct controlled *c, struct execution *x, enum outcome outcome, const char *when)
{
    const struct spec *spec = c->options.spec;
    uint32_t i = 0;
    while (i < spec->properties.count &&
           checker_status(c->checker, i)->verdict != CHECKER_VIOLATED) {
        i++;
    }
    must(i < spec->properties.count);
    const struct spec_property *p = &spec->properties.at[i];
    const char *name = names_text(&spec->names, p->name);
    c->text.used = 0;
    checker_print_values(c->checker, i, &c->text);
    x->outcome = outcome;
    x->severity = p->severity == SPEC_ERROR     ? SEVERITY_ERROR
                  : p->severity == SPEC_WARNING ? SEVERITY_WARNING
                                                : SEVERITY_NOTE;
    const int before = snprintf(x->what, sizeof x->what, "%s does not hold%s: ", name, when);
    x->values = before > 0 && before < (int)sizeof x->what ? (uint32_t)before : 0;
    if (x->values > 0) {
        (void)snprintf(x->what + before, sizeof x->what - (size_t)before, "%.*s", (int)c->text.used,
                       c->text.used == 0 ? "" : c->text.buffer);
    }
    (void)snprintf(x->key, sizeof x->key, "%s: %s", outcome_name(outcome), name);
}

/* A run that breaks a property ends there: what follows is none of its hash. */
static void cut(struct execution *x, uint32_t steps)
{
    if (steps >= x->steps.count) {
        return;
    }
    x->steps.count = steps;
    x->hash = 0;
    vec_each (&x->steps, step) {
        x->hash = name_mix(x->hash, step->operation.name);
    }
}

/* The same of a property in C. */
static void blame_in_c(struct controlled *c, struct execution *x,
                       const struct property_broken *broken, const char *when)
{
    const struct property_account *account = properties_account(c->in_c, broken->index);
    const bool has_values = broken->values[0] != '\0';
    x->outcome = OUTCOME_PROPERTY;
    x->severity = account->severity == CLEW_ERROR     ? SEVERITY_ERROR
                  : account->severity == CLEW_WARNING ? SEVERITY_WARNING
                                                      : SEVERITY_NOTE;
    const int before = snprintf(x->what, sizeof x->what, "%s does not hold%s%s", account->name,
                                when, has_values ? ": " : "");
    x->values = has_values && before > 0 && before < (int)sizeof x->what ? (uint32_t)before : 0;
    if (x->values > 0) {
        (void)snprintf(x->what + before, sizeof x->what - (size_t)before, "%s", broken->values);
    }
    (void)snprintf(x->key, sizeof x->key, "%s: %s", outcome_name(x->outcome), account->name);
}

static void count_run(struct controlled *c)
{
    for (uint32_t i = 0; i < count_of_spec(c); i++) {
        const struct checker_status *status = checker_status(c->checker, i);
        c->properties[i].checks += status->checks;
        c->properties[i].skips += status->skips;
        c->properties[i].failures += status->verdict == CHECKER_VIOLATED;
    }
}

/* Those for the end of a run; a violation that ended it goes first. */
static int check_end(struct controlled *c, struct execution *x, struct err *e)
{
    static const char ended[] = " now that the program has ended";
    const bool is_rest = x->outcome == OUTCOME_PASSED || x->outcome == OUTCOME_DEADLOCK;
    const bool is_violation = outcome_is_violation(x->outcome);
    const struct checker_ending ending = {.kind = is_rest ? CHECKER_REST : CHECKER_CUT};
    struct property_broken broken = {.index = UINT32_MAX};
    if (c->checker != NULL && checker_end(c->checker, &ending) > 0 && !is_violation) {
        blame(c, x, is_rest ? OUTCOME_LIVENESS : OUTCOME_PROPERTY, is_rest ? ended : "");
        return 0;
    }
    if (c->in_c != NULL && is_rest && properties_check(c->in_c, true, &broken, e) < 0) {
        return -1;
    }
    if (broken.index != UINT32_MAX && !is_violation) {
        blame_in_c(c, x, &broken, ended);
    }
    return 0;
}

/* Whether something is broken now; said in *x. */
static int check_moment(struct controlled *c, struct execution *x, bool *is_broken, struct err *e)
{
    struct property_broken broken = {.index = UINT32_MAX};
    *is_broken = c->checker != NULL && checker_step(c->checker, c->page->result.clock) > 0;
    if (*is_broken) {
        blame(c, x, OUTCOME_PROPERTY, "");
        return 0;
    }
    if (c->in_c != NULL && properties_check(c->in_c, false, &broken, e) < 0) {
        return -1;
    }
    *is_broken = broken.index != UINT32_MAX;
    if (*is_broken) {
        blame_in_c(c, x, &broken, "");
    }
    return 0;
}

static void begin_run(struct controlled *c)
{
    c->report_broken = 0;
    map_clear(&c->counts);
    if (c->checker != NULL) {
        checker_begin(c->checker);
    }
    if (c->in_c != NULL) {
        properties_begin(c->in_c);
    }
    set(c, "sent", 0);
    set(c, "received", 0);
}

int claim_check(struct controlled *c, struct execution *x, struct err *e)
{
    if (c->checker == NULL && c->in_c == NULL) {
        return 0;
    }
    const struct control_report *reports = control_at(c, CONTROL_PLACE(REPORTS));
    const uint64_t most = CONTROL_REPORTS_SIZE / sizeof *reports;
    const uint64_t told = c->page->result.report_count;
    bool is_broken = false;
    begin_run(c);
    for (uint64_t i = 0; i < told && i < most && !is_broken; i++) {
        struct control_report r = reports[i];
        r.name[sizeof r.name - 1] = '\0';
        if (apply(c, &r) && check_moment(c, x, &is_broken, e) < 0) {
            return -1;
        }
        if (is_broken) {
            cut(x, r.step);
            c->report_broken = i + 1;
        }
    }
    const int result = is_broken ? 0 : check_end(c, x, e);
    count_run(c);
    return result;
}
