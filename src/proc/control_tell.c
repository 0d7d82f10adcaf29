/* A run as a trace: the steps in their order, which is the execution, and between them what the
 * program reported. */
#include <stdio.h>

#include "proc/control_state.h"
#include "trace/kind.h"

struct telling {
    struct controlled *c;
    struct trace *trace;
};

static uint32_t intern(struct telling *t)
{
    const struct out *text = &t->c->text;
    return names_intern(&t->trace->tables.names, text->buffer, text->used);
}

static uint32_t task_of(struct telling *t, uint32_t number)
{
    struct names *names = &t->trace->tables.names;
    return tables_task(&t->trace->tables, names_intern_text(names, t->c->system),
                       names_intern_text(names, name_task(t->c, number)));
}

static uint32_t place_of(struct telling *t, uint64_t place)
{
    if (place == 0) {
        return 0;
    }
    t->c->text.used = 0;
    name_print_place(t->c, place, &t->c->text);
    return intern(t);
}

static bool has_field(uint16_t kind, enum event_field field)
{
    return kind_of(kind) != NULL && (kind_of(kind)->fields & field) != 0;
}

static void append_step(struct telling *t, const struct control_step *s)
{
    if (kind_of(s->kind) == NULL) {
        return; /* the program wrote over the page */
    }
    if (s->kind == EVENT_SEND || s->kind == EVENT_RECV) {
        return; /* what was sent, and came, is reported */
    }
    struct event e = {
        .kind = s->kind, .task = task_of(t, s->task), .location = place_of(t, s->place)};
    if (has_field(s->kind, F_OBJECT)) {
        t->c->text.used = 0;
        name_print(t->c, (struct named){s->key, s->ordinal, s->offset, s->owner}, &t->c->text);
        e.object = intern(t);
    }
    if (kind_of(s->kind)->modes != MODES_NONE) {
        e.mode = s->mode;
    }
    if (has_field(s->kind, F_PEER) && s->peer != UINT32_MAX) {
        e.peer = task_of(t, s->peer);
        e.has |= HAS_PEER;
    }
    if (has_field(s->kind, F_SIZE) && s->size != 0) {
        e.size = s->size;
        e.has |= HAS_SIZE;
    }
    if (s->kind == EVENT_PROCESS_EXIT) {
        e.value = s->value;
        e.has |= HAS_VALUE;
    }
    trace_append(t->trace, &e);
}

static void append_report(struct telling *t, const struct control_report *r)
{
    if (kind_of(r->kind) == NULL) {
        return;
    }
    char name[sizeof r->name];
    (void)snprintf(name, sizeof name, "%.*s", (int)sizeof name - 1, r->name);
    const uint32_t text = names_intern_text(&t->trace->tables.names, name);
    struct event e = {
        .kind = r->kind, .task = task_of(t, r->task), .location = place_of(t, r->place)};
    if (has_field(r->kind, F_OBJECT)) {
        e.object = text;
    } else if (has_field(r->kind, F_TEXT)) {
        e.text = text;
    }
    if (r->kind == EVENT_VARIABLE) {
        e.value = r->value;
        e.has |= HAS_VALUE;
    }
    if (r->kind == EVENT_SEND || r->kind == EVENT_RECV) {
        char message[96];
        (void)snprintf(message, sizeof message, "%s#%lld", name, (long long)r->value);
        e.message = names_intern_text(&t->trace->tables.names, message);
        e.mode = TRANSPORT_CHANNEL;
    }
    trace_append(t->trace, &e);
}

static void append_violation(struct telling *t, const struct execution *x)
{
    struct names *names = &t->trace->tables.names;
    trace_append(t->trace, &(struct event){.kind = EVENT_VIOLATION,
                                           .task = task_of(t, t->c->page->result.task),
                                           .object = names_intern_text(names, x->key),
                                           .text = names_intern_text(names, x->what)});
}

void tell_run(struct controlled *c, struct trace *trace, const struct execution *x)
{
    struct telling t = {.c = c, .trace = trace};
    const struct control_step *steps = control_at(c, CONTROL_PLACE(STEPS));
    const struct control_report *reports = control_at(c, CONTROL_PLACE(REPORTS));
    char source[100];
    (void)snprintf(source, sizeof source, "clew explore %s", c->system);
    trace->tables.order = ORDER_EXACT;
    trace->tables.source = names_intern_text(&trace->tables.names, source);
    trace_append(trace, &(struct event){.kind = EVENT_PROCESS_START, .task = task_of(&t, 0)});
    uint64_t told = 0;
    for (uint64_t i = 0; i <= x->steps.count; i++) {
        while (told < c->page->result.report_count && reports[told].step <= i) {
            append_report(&t, &reports[told++]);
        }
        if (i < x->steps.count) {
            append_step(&t, &steps[i]);
        }
    }
    if (outcome_is_violation(x->outcome)) {
        append_violation(&t, x);
    }
}
