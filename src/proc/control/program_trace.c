/* A run as a trace: the steps in their order, which is the execution, and between them the events
 * that are no steps. */
#include <stdio.h>
#include <string.h>

#include "proc/control/program_pieces.h"
#include "proc/control/program_scopes.h"
#include "trace/kind_table.h"

/* What goes through a pipe, between sockets, or through another channel. */
struct flow {
    uint64_t content;
    uint32_t size, sender, receiver;
    bool has_several; /* who send, or who receive */
    bool is_mixed;    /* not all messages are alike, or known */
};

typedef VEC(struct flow) flow_list;

struct telling {
    struct controlled *c;
    struct trace *trace;
    const struct control_step *steps;
    uint64_t step_count;
    struct control_pieces pieces;
    struct control_scopes scopes;
    bool has_scopes;
    struct names texts;  /* names of objects, as they are printed */
    struct map count_of; /* text -> how many objects have it as their name */
    struct map ended;    /* object and offset that is initialized or destroyed -> 1 */
    struct map seen;     /* text of a message that is seen before it is received -> 1 */
    struct map flow_of;  /* name of what messages go through -> flow */
    flow_list flows;
    struct map freed;                /* object that is freed -> 1 */
    struct map functions_of;         /* place -> text of its functions, 0: none are known */
    struct map update_of;            /* place of a write -> operation of its update */
    struct map copy_of;              /* object -> which of those with its name it is, from 1 */
    const struct control_step *exit; /* that of the first process; NULL: not yet */
    struct map exit_of;              /* first task of another process -> its exit's step, plus 1 */
    struct map last_of;              /* such a task -> its last step, plus 1 */
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

static uint32_t functions_of(struct telling *t, uint64_t place)
{
    bool is_new = false;
    uint32_t *functions = map_slot(&t->functions_of, place, 0, &is_new);
    if (is_new && place != 0) {
        t->c->text.used = 0;
        *functions = name_print_functions(t->c, place, &t->c->text) ? intern(t) : 0;
    }
    return *functions;
}

/* Findings tell the functions that an access or a lock is in. */
static bool has_functions(uint16_t kind)
{
    return kind == EVENT_LOCK || kind_of(kind)->class == CLASS_ACCESS ||
           kind_of(kind)->class == CLASS_ATOMIC;
}

static bool has_field(uint16_t kind, enum event_field field)
{
    return kind_of(kind) != NULL && (kind_of(kind)->fields & field) != 0;
}

/* Which of the objects with the same name this is: two calls on one line, two variables that are
 * static in different files. */
static uint32_t copy_of(struct telling *t, struct named n)
{
    bool is_new = false;
    uint32_t *copy = map_slot(&t->copy_of, control_pieces_object(&t->pieces, n), 0, &is_new);
    if (is_new) {
        n.offset = 0;
        t->c->text.used = 0;
        name_print(t->c, n, &t->c->text);
        const uint32_t text = names_intern(&t->texts, t->c->text.buffer, t->c->text.used);
        *copy = ++*map_slot(&t->count_of, text, 0, NULL);
    }
    return *copy;
}

static uint32_t object_name(struct telling *t, struct named n)
{
    const uint32_t copy = n.key == 0 ? 1 : copy_of(t, n);
    const uint32_t offset = n.offset;
    n.offset = 0;
    t->c->text.used = 0;
    name_print(t->c, n, &t->c->text);
    if (copy > 1) {
        out_format(&t->c->text, n.ordinal == 0 ? "#%u" : ".%u", copy);
    }
    if (offset > 0) {
        out_format(&t->c->text, "+%u", offset);
    }
    return intern(t);
}

static struct named named_first(const struct control_step *s)
{
    return (struct named){s->key, s->ordinal, s->offset, s->owner};
}

static struct named named_object(const struct control_object *o)
{
    return (struct named){o->key, o->ordinal, o->offset, o->owner};
}

static struct named named_second(const struct control_step *s)
{
    return named_object(&s->second);
}

/* What a step and an event that completes it have in common. A lock that ends a wait for a
 * condition has the two in the other order. */
static struct event event_of(struct telling *t, const struct control_step *s, uint16_t kind)
{
    struct event e = {.kind = kind, .task = task_of(t, s->task), .location = place_of(t, s->place)};
    const bool is_lock_first = s->kind == EVENT_LOCK && kind == EVENT_WAIT_END;
    if (has_field(kind, F_OBJECT)) {
        e.object = object_name(t, is_lock_first ? named_second(s) : named_first(s));
    }
    if (kind == EVENT_WAIT_BEGIN || kind == EVENT_WAIT_END) {
        e.text = object_name(t, is_lock_first ? named_first(s) : named_second(s));
    }
    if (has_functions(kind)) {
        e.text = functions_of(t, s->place);
    }
    if (kind_of(kind)->modes != MODES_NONE) {
        e.mode = s->mode;
    }
    const uint8_t ignored = event_mode_ignored(&e);
    if (ignored != MODE_UNSAID && name_ignores_result(t->c, s->place)) {
        e.mode = ignored;
    }
    if (kind_of(kind)->class == CLASS_ACCESS) {
        e.mode = MODE_UNSAID;
    } else if (event_is_blind(&e) && name_uses_result(t->c, s->place)) {
        const bool is_kept = event_is_update(&e) && !name_tests_result(t->c, s->place);
        e.mode = (uint8_t)(memory_mode_order(e.mode) | (is_kept ? MEMORY_KEPT : 0));
    }
    return e;
}

/* The operation of the blind update that a plain access belongs to. The writes of an update are
 * known by its reads, which come before. */
static uint8_t plain_mode(struct telling *t, const struct control_step *s)
{
    struct place_update update;
    if (s->traced == EVENT_WRITE) {
        const uint32_t *operation = map_get(&t->update_of, s->place);
        return operation == NULL ? MODE_UNSAID : (uint8_t)*operation;
    }
    if (s->traced != EVENT_READ || s->place == 0 || !name_plain_update(t->c, s->place, &update)) {
        return MODE_UNSAID;
    }
    map_put(&t->update_of, update.write, update.operation);
    return update.operation;
}

/* The value that the access finds or stores, if that is known and no address. */
static bool value_of(struct telling *t, const struct control_step *s, int64_t *value)
{
    if (s->size == 0 || s->size > sizeof *value) {
        return false;
    }
    if (s->traced == EVENT_WRITE) {
        return s->place != 0 && name_stored_constant(t->c, s->place, value);
    }
    *value = s->value;
    return s->has_value && s->value >= INT32_MIN && s->value <= UINT32_MAX;
}

static void append_accesses(struct telling *t, const struct control_step *s)
{
    struct event e = event_of(t, s, s->traced);
    int64_t value = 0;
    const bool has_value = value_of(t, s, &value);
    struct control_piece piece = {0};
    const bool is_plain = kind_of(s->traced)->class == CLASS_ACCESS;
    const uint8_t update = is_plain ? plain_mode(t, s) : MODE_UNSAID;
    while (control_pieces_next(&t->pieces, s, &piece)) {
        if (is_plain) { /* a carry goes from piece to piece */
            e.mode = piece.size == s->size ? update : MODE_UNSAID;
        }
        e.object = object_name(t, piece.name);
        e.size = piece.size;
        e.has = HAS_SIZE;
        if (has_value && piece.size == s->size) {
            e.value = value;
            e.has |= HAS_VALUE;
        }
        trace_append(t->trace, &e);
    }
}

/* Freeing writes to what was used of the block. */
static void append_free(struct telling *t, const struct control_step *s)
{
    struct event e = event_of(t, s, EVENT_WRITE);
    struct control_piece piece = {0};
    while (control_pieces_next_used(&t->pieces, s, &piece)) {
        e.object = object_name(t, piece.name);
        e.size = piece.size;
        e.has |= HAS_SIZE;
        trace_append(t->trace, &e);
    }
}

/* An object, and where in it. */
static uint64_t byte_key(struct telling *t, struct named n)
{
    return map_pair(control_pieces_object(&t->pieces, n), n.offset);
}

static bool is_use(uint16_t kind)
{
    switch (kind) {
    case EVENT_LOCK:
    case EVENT_UNLOCK:
    case EVENT_WAIT_BEGIN:
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
    case EVENT_BARRIER_ENTER:
    case EVENT_SEM_POST:
    case EVENT_SEM_WAIT: return true;
    default: return false;
    }
}

/* The use of a lock, condition, barrier or semaphore that ends somewhere is a read of it. */
static void append_use(struct telling *t, const struct control_step *s)
{
    const struct named n = named_first(s);
    const bool is_freed = map_get(&t->freed, control_pieces_object(&t->pieces, n)) != NULL;
    if (is_freed) {
        control_pieces_use(&t->pieces, s);
    }
    if (is_freed || map_get(&t->ended, byte_key(t, n)) != NULL) {
        const struct event e = event_of(t, s, EVENT_READ);
        trace_append(t->trace, &e);
    }
}

static void append_step(struct telling *t, const struct control_step *s)
{
    if (t->has_scopes) {
        control_scopes_follow(&t->scopes, s, task_of(t, s->task));
    }
    if (s->traced == 0 || kind_of(s->kind) == NULL || kind_of(s->traced) == NULL) {
        return; /* it had no effect, or the program wrote over the page */
    }
    if (s->traced == EVENT_SEND || s->traced == EVENT_RECV) {
        return; /* the message is reported */
    }
    if (s->traced == EVENT_PROCESS_EXIT) { /* handlers of atexit follow */
        if (s->task == 0) {
            t->exit = s;
        } else {
            map_put(&t->exit_of, s->task, (uint32_t)(s - t->steps) + 1);
        }
        return;
    }
    if (kind_of(s->traced)->class == CLASS_ACCESS || kind_of(s->traced)->class == CLASS_ATOMIC) {
        append_accesses(t, s);
        return;
    }
    if (s->traced == EVENT_FREE) {
        append_free(t, s);
    }
    if (is_use(s->traced)) {
        append_use(t, s);
    }
    struct event e = event_of(t, s, s->traced);
    if (has_field(s->traced, F_PEER) && s->peer != UINT32_MAX) {
        e.peer = task_of(t, s->peer);
        e.has |= HAS_PEER;
    }
    trace_append(t->trace, &e);
}

/* The process ends after all that its tasks do. */
static void append_exit(struct telling *t, const struct control_step *exit)
{
    struct event e = event_of(t, exit, EVENT_PROCESS_EXIT);
    e.value = exit->value;
    e.has |= HAS_VALUE;
    trace_append(t->trace, &e);
}

/* Tasks of other processes than the first: where each does its last step. */
static void know_last_steps(struct telling *t)
{
    for (uint64_t i = 0; i < t->step_count; i++) {
        if (t->steps[i].task != 0) {
            map_put(&t->last_of, t->steps[i].task, (uint32_t)i + 1);
        }
    }
}

/* Another process has ended with the task's last step, which may be that of a handler of atexit. */
static void append_other_exit(struct telling *t, const struct control_step *s)
{
    const uint32_t *last = map_get(&t->last_of, s->task);
    const uint32_t *exit = map_get(&t->exit_of, s->task);
    if (exit != NULL && last != NULL && *last == (uint32_t)(s - t->steps) + 1) {
        append_exit(t, &t->steps[*exit - 1]);
    }
}

/* The event that completes an earlier step. */
static void append_completion(struct telling *t, const struct control_report *r)
{
    if ((uint64_t)r->value < t->step_count) {
        const struct event e = event_of(t, &t->steps[r->value], r->kind);
        trace_append(t->trace, &e);
    }
}

/* What ends while there are other tasks: their uses of it are accesses. */
static void know_ends(struct telling *t, const struct control_report *reports)
{
    for (uint64_t i = 0; i < t->c->page->result.report_count; i++) {
        if (reports[i].kind == EVENT_WRITE) {
            map_put(&t->ended, byte_key(t, named_object(&reports[i].object)), 1);
        }
    }
    for (uint64_t i = 0; i < t->step_count; i++) {
        if (t->steps[i].traced == EVENT_FREE) {
            map_put(&t->freed, control_pieces_object(&t->pieces, named_first(&t->steps[i])), 1);
        }
    }
}

static bool is_message(const struct control_report *r)
{
    return r->kind == EVENT_SEND || r->kind == EVENT_RECV;
}

/* "pipe#1#3", the third message through a pipe. */
static uint32_t message_name(struct names *names, const struct control_report *r)
{
    char text[96];
    const int size = snprintf(text, sizeof text, "%.*s#%lld", (int)sizeof r->name - 1, r->name,
                              (long long)r->value);
    return names_intern(names, text, (size_t)size);
}

static struct flow *flow_of(struct telling *t, const struct control_report *r)
{
    const size_t size = strnlen(r->name, sizeof r->name);
    bool is_new = false;
    const uint32_t *number = map_slot(&t->flow_of, names_intern(&t->texts, r->name, size),
                                      (uint32_t)t->flows.count, &is_new);
    if (is_new) {
        vec_push(&t->flows, (struct flow){.content = r->content,
                                          .size = r->size,
                                          .sender = UINT32_MAX,
                                          .receiver = UINT32_MAX});
    }
    return &t->flows.at[*number];
}

/* Who looks at messages before they are received, and where they are all alike. */
static void know_messages(struct telling *t, const struct control_report *reports)
{
    for (uint64_t i = 0; i < t->c->page->result.report_count; i++) {
        const struct control_report *r = &reports[i];
        if (r->kind == EVENT_HAPPENS_AFTER && r->value > 0) {
            map_put(&t->seen, message_name(&t->texts, r), 1);
        }
        if (!is_message(r)) {
            continue;
        }
        struct flow *f = flow_of(t, r);
        uint32_t *task = r->kind == EVENT_SEND ? &f->sender : &f->receiver;
        f->has_several |= *task != UINT32_MAX && *task != r->task;
        *task = r->task;
        f->is_mixed |= r->content == 0 || r->content != f->content || r->size != f->size;
    }
}

/* Equal messages of several tasks: which of them comes out first makes no difference. As bytes of a
 * stream they are tokens (docs/theory/races-semantics.md). */
static bool is_token(struct telling *t, const struct control_report *r)
{
    const struct flow *f = flow_of(t, r);
    return f->has_several && !f->is_mixed && f->receiver != UINT32_MAX;
}

static void set_message(struct telling *t, const struct control_report *r, struct event *e)
{
    if (is_token(t, r)) {
        e->mode = TRANSPORT_PIPE;
    } else {
        e->mode = TRANSPORT_CHANNEL;
        e->message = message_name(&t->trace->tables.names, r);
    }
    if (r->content != 0) {
        e->size = r->size;
        e->value = (int64_t)r->content;
        e->has |= HAS_SIZE | HAS_VALUE;
    }
}

/* The sender's side of an order between a message and who sees that it is there. */
static void append_seen(struct telling *t, const struct control_report *r)
{
    if (r->kind == EVENT_SEND && map_get(&t->seen, message_name(&t->texts, r)) != NULL) {
        trace_append(t->trace, &(struct event){.kind = EVENT_HAPPENS_BEFORE,
                                               .task = task_of(t, r->task),
                                               .location = place_of(t, r->place),
                                               .object = message_name(&t->trace->tables.names, r)});
    }
}

/* "descriptor:server.c:12#1" */
static uint32_t descriptor_name(struct telling *t, const struct control_report *r)
{
    const uint32_t object = object_name(t, named_object(&r->object));
    char text[256];
    const int size = snprintf(text, sizeof text, "%.*s%s", (int)sizeof r->name - 1, r->name,
                              names_text(&t->trace->tables.names, object));
    return names_intern(&t->trace->tables.names, text,
                        (size_t)size < sizeof text ? (size_t)size : sizeof text - 1);
}

static bool is_of_descriptor(const struct control_report *r)
{
    return strncmp(r->name, "descriptor:", sizeof r->name) == 0;
}

static uint32_t report_object(struct telling *t, const struct control_report *r, uint32_t text)
{
    if (is_of_descriptor(r)) {
        return descriptor_name(t, r);
    }
    if (r->kind == EVENT_HAPPENS_AFTER && r->value > 0) {
        return message_name(&t->trace->tables.names, r);
    }
    return r->object.key != 0 && !is_message(r) ? object_name(t, named_object(&r->object)) : text;
}

static void append_report(struct telling *t, const struct control_report *r)
{
    if (kind_of(r->kind) == NULL) {
        return;
    }
    const bool is_annotated = r->name[0] != '\0'; /* a completion has no object of its own */
    if (kind_of(r->kind)->class == CLASS_SYNC && !is_annotated) {
        append_completion(t, r);
        return;
    }
    if (r->kind == EVENT_READ &&
        map_get(&t->ended, byte_key(t, named_object(&r->object))) == NULL) {
        return;
    }
    char name[sizeof r->name];
    (void)snprintf(name, sizeof name, "%.*s", (int)sizeof name - 1, r->name);
    const uint32_t text = names_intern_text(&t->trace->tables.names, name);
    struct event e = {
        .kind = r->kind, .task = task_of(t, r->task), .location = place_of(t, r->place)};
    if (has_functions(r->kind)) {
        e.text = functions_of(t, r->place);
    }
    if (has_field(r->kind, F_OBJECT)) {
        e.object = report_object(t, r, text);
    } else if (has_field(r->kind, F_TEXT)) {
        e.text = text;
    }
    if (r->kind == EVENT_LOCK || r->kind == EVENT_UNLOCK) {
        e.mode = (uint8_t)r->value;
    } else if (event_class(&e) == CLASS_ANNOTATION) {
        e.mode = (uint8_t)r->mode;
    }
    if (r->kind == EVENT_COVERAGE) {
        e.object = 0; /* the place is all */
        e.count = 1;
        e.has |= HAS_COUNT;
    }
    if (r->kind == EVENT_COVERAGE || r->kind == EVENT_VARIABLE || r->kind == EVENT_SEM_INIT ||
        r->kind == EVENT_READY || r->kind == EVENT_INTERRUPT || r->kind == EVENT_INTERRUPT_END) {
        e.value = r->value;
        e.has |= HAS_VALUE;
    }
    if (r->kind == EVENT_READY && r->size > 0) {
        e.size = r->size;
        e.has |= HAS_SIZE;
    }
    if (is_message(r)) {
        append_seen(t, r);
        set_message(t, r, &e);
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

/* Events that were appended since it was last asked were the step. */
static void note_events(struct execution *x, const struct trace *trace, uint32_t step)
{
    while (x->event_steps.count < trace->events.count) {
        vec_push(&x->event_steps, step);
    }
}

void tell_run(struct controlled *c, const struct plan *p, struct execution *x)
{
    const struct control_step *steps = control_at(c, CONTROL_PLACE(STEPS));
    const struct control_report *reports = control_at(c, CONTROL_PLACE(REPORTS));
    struct trace *trace = p->trace;
    struct telling t = {.c = c,
                        .trace = trace,
                        .steps = steps,
                        .step_count = x->steps.count,
                        .scopes = {.c = c, .trace = trace},
                        .has_scopes = !p->skips_scopes};
    control_pieces_build(&t.pieces, steps, x->steps.count);
    names_init(&t.texts);
    know_ends(&t, reports);
    know_messages(&t, reports);
    know_last_steps(&t);
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
        note_events(x, trace, STEP_NONE);
        if (i < x->steps.count) {
            append_step(&t, &steps[i]);
            append_other_exit(&t, &steps[i]);
            note_events(x, trace, (uint32_t)i);
        }
    }
    if (t.exit != NULL) {
        append_exit(&t, t.exit);
    }
    if (outcome_is_violation(x->outcome)) {
        append_violation(&t, x);
    }
    note_events(x, trace, STEP_NONE);
    control_pieces_release(&t.pieces);
    control_scopes_release(&t.scopes);
    names_release(&t.texts);
    map_release(&t.count_of);
    map_release(&t.functions_of);
    map_release(&t.update_of);
    map_release(&t.copy_of);
    map_release(&t.seen);
    map_release(&t.flow_of);
    vec_release(&t.flows);
    map_release(&t.ended);
    map_release(&t.freed);
    map_release(&t.exit_of);
    map_release(&t.last_of);
}
