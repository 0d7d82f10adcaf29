#include "trace_of.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "test.h"
#include "trace/kind_table.h"

static const struct {
    const char *word;
    enum event_kind kind;
} short_verbs[] = {
    {"w", EVENT_WRITE},
    {"r", EVENT_READ},
    {"acq", EVENT_LOCK},
    {"rel", EVENT_UNLOCK},
    {"fork", EVENT_THREAD_CREATE},
    {"join", EVENT_THREAD_JOIN},
    {"begin", EVENT_THREAD_START},
    {"end", EVENT_THREAD_END},
    {"snd", EVENT_SEND},
    {"rcv", EVENT_RECV},
    {"hb", EVENT_HANDLER_BEGIN},
    {"he", EVENT_HANDLER_END},
    {"wait", EVENT_WAIT_BEGIN},
    {"woken", EVENT_WAIT_END},
    {"notify", EVENT_SIGNAL},
    {"notify-all", EVENT_BROADCAST},
    {"enter", EVENT_BARRIER_ENTER},
    {"leave", EVENT_BARRIER_EXIT},
    {"post", EVENT_SEM_POST},
    {"down", EVENT_SEM_WAIT},
    {"ld", EVENT_ATOMIC_LOAD},
    {"st", EVENT_ATOMIC_STORE},
    {"rmw", EVENT_ATOMIC_RMW},
    {"var", EVENT_VARIABLE},
    {"set", EVENT_TIMER_SET},
    {"fire", EVENT_TIMER_FIRE},
    {"before", EVENT_HAPPENS_BEFORE},
    {"after", EVENT_HAPPENS_AFTER},
};

struct word {
    const char *text;
    size_t size;
};

/* The traces made so far, so that tests need not give them back one by one. */
static VEC(struct trace *) made;

void trace_of_release(void)
{
    vec_each (&made, t) {
        trace_release(*t);
        mem_free(*t);
    }
    vec_release(&made);
}

static struct trace *trace_new(void)
{
    if (made.capacity == 0) {
        (void)atexit(trace_of_release);
    }
    struct trace *t = mem_zero(1, sizeof *t);
    trace_init(t);
    vec_push(&made, t);
    return t;
}

static bool is(struct word w, const char *text)
{
    return w.size == strlen(text) && memcmp(w.text, text, w.size) == 0;
}

/* Takes the next word before `end`; an empty one when there is none. */
static struct word next_word(const char **at, const char *end)
{
    *at += strspn(*at, " \t");
    struct word w = {*at, 0};
    while (w.text + w.size < end && w.text[w.size] != ' ' && w.text[w.size] != '\t') {
        w.size++;
    }
    *at += w.size;
    return w;
}

static uint16_t kind_of_verb(struct word verb)
{
    for (size_t i = 0; i < sizeof short_verbs / sizeof *short_verbs; i++) {
        if (is(verb, short_verbs[i].word)) {
            return (uint16_t)short_verbs[i].kind;
        }
    }
    const uint16_t kind = kind_find(verb.text, verb.size);
    if (kind == 0) {
        fail_msg("trace_of: no verb \"%.*s\"", (int)verb.size, verb.text);
    }
    return kind;
}

static int64_t number_of(struct word w, const char **rest)
{
    char *end = NULL;
    const long long number = strtoll(w.text, &end, 10);
    if (end == w.text || (rest == NULL && end != w.text + w.size)) {
        fail_msg("trace_of: \"%.*s\" is no number", (int)w.size, w.text);
    }
    if (rest != NULL) {
        *rest = end;
    }
    return number;
}

static void set_mode(struct event *e, struct word value)
{
    e->mode = mode_find(kind_of(e->kind)->modes, value.text, value.size);
    if (e->mode == MODE_UNSAID) {
        fail_msg("trace_of: no mode \"%.*s\" for this kind", (int)value.size, value.text);
    }
}

static void set_hlc(struct event *e, struct word value)
{
    const char *comma = NULL;
    e->hlc_time = number_of(value, &comma);
    if (*comma != ',') {
        fail_msg("trace_of: hlc is TIME,COUNT");
    }
    const size_t used = (size_t)(comma + 1 - value.text);
    e->hlc_count = (uint32_t)number_of((struct word){comma + 1, value.size - used}, NULL);
    e->has |= HAS_HLC;
}

static void set_field(struct trace *t, struct event *e, struct word field)
{
    const char *equals = memchr(field.text, '=', field.size);
    const struct word name = {field.text, (size_t)(equals - field.text)};
    const struct word value = {equals + 1, field.size - name.size - 1};
    if (is(name, "size")) {
        e->size = (uint64_t)number_of(value, NULL);
        e->has |= HAS_SIZE;
    } else if (is(name, "value")) {
        e->value = number_of(value, NULL);
        e->has |= HAS_VALUE;
    } else if (is(name, "count")) {
        e->count = (uint32_t)number_of(value, NULL);
        e->has |= HAS_COUNT;
    } else if (is(name, "time")) {
        e->time = number_of(value, NULL);
        e->has |= HAS_TIME;
    } else if (is(name, "hlc")) {
        set_hlc(e, value);
    } else if (is(name, "msg")) {
        e->message = names_intern(&t->tables.names, value.text, value.size);
    } else if (is(name, "text") || is(name, "lock")) {
        e->text = names_intern(&t->tables.names, value.text, value.size);
    } else if (is(name, "mode")) {
        set_mode(e, value);
    } else {
        fail_msg("trace_of: no field \"%.*s\"", (int)name.size, name.text);
    }
}

static void set_operand(struct trace *t, struct event *e, struct word operand)
{
    if ((kind_of(e->kind)->fields & F_PEER) != 0) {
        e->peer = tables_task_text(&t->tables, operand.text, operand.size);
        e->has |= HAS_PEER;
    } else {
        e->object = names_intern(&t->tables.names, operand.text, operand.size);
    }
}

/* True when the statement speaks of the header. */
static bool parse_header(struct trace *t, struct word name, struct word value)
{
    if (is(name, "order")) {
        int kind = 0;
        while (kind < ORDER_KIND_COUNT && !is(value, order_kind_name((enum order_kind)kind))) {
            kind++;
        }
        if (kind == ORDER_KIND_COUNT) {
            fail_msg("trace_of: no order \"%.*s\"", (int)value.size, value.text);
        }
        t->tables.order = (enum order_kind)kind;
        return true;
    }
    if (is(name, "tick")) {
        t->tables.tick_ns = (uint64_t)number_of(value, NULL);
        return true;
    }
    if (is(name, "source")) {
        t->tables.source = names_intern(&t->tables.names, value.text, value.size);
        return true;
    }
    return false;
}

static void parse_statement(struct trace *t, const char *at, const char *end)
{
    const struct word task = next_word(&at, end);
    const struct word verb = next_word(&at, end);
    if (task.size == 0 || parse_header(t, task, verb)) {
        return;
    }
    struct event e = {.kind = kind_of_verb(verb)};
    e.task = tables_task_text(&t->tables, task.text, task.size);
    bool has_operand = false;
    for (struct word w = next_word(&at, end); w.size > 0; w = next_word(&at, end)) {
        if (w.text[0] == '@') {
            e.location = names_intern(&t->tables.names, w.text + 1, w.size - 1);
        } else if (memchr(w.text, '=', w.size) != NULL) {
            set_field(t, &e, w);
        } else if (!has_operand) {
            set_operand(t, &e, w);
            has_operand = true;
        } else {
            fail_msg("trace_of: \"%.*s\" is one word too many", (int)w.size, w.text);
        }
    }
    trace_append(t, &e);
}

struct trace *trace_of(const char *text)
{
    struct trace *t = trace_new();
    while (*text != '\0') {
        const char *end = text + strcspn(text, ";\n");
        parse_statement(t, text, end);
        text = *end == '\0' ? end : end + 1;
    }
    trace_seal(t);
    return t;
}

/* The last difference found. */
static char difference[1024];

static bool same_name(const struct tables *a, uint32_t in_a, const struct tables *b, uint32_t in_b)
{
    const uint32_t size = names_size(&a->names, in_a);
    return size == names_size(&b->names, in_b) &&
           memcmp(names_text(&a->names, in_a), names_text(&b->names, in_b), size) == 0;
}

static bool same_task(const struct tables *a, uint32_t in_a, const struct tables *b, uint32_t in_b)
{
    const struct task *task_a = &a->tasks.at[in_a];
    const struct task *task_b = &b->tasks.at[in_b];
    return same_name(a, task_a->node, b, task_b->node) &&
           same_name(a, task_a->name, b, task_b->name);
}

/* The first field in which two events differ, NULL when none does. */
static const char *differing_field(const struct tables *a, const struct event *in_a,
                                   const struct tables *b, const struct event *in_b)
{
    const bool has_peer = (in_a->has & HAS_PEER) != 0;
    const struct {
        const char *name;
        bool is_same;
    } fields[] = {
        {"kind", in_a->kind == in_b->kind},
        {"mode", in_a->mode == in_b->mode},
        {"has", in_a->has == in_b->has},
        {"task", same_task(a, in_a->task, b, in_b->task)},
        {"object", same_name(a, in_a->object, b, in_b->object)},
        {"location", same_name(a, in_a->location, b, in_b->location)},
        {"text", same_name(a, in_a->text, b, in_b->text)},
        {"size", in_a->size == in_b->size},
        {"value", in_a->value == in_b->value},
        {"count", in_a->count == in_b->count},
        {"time", in_a->time == in_b->time},
        {"hlc", in_a->hlc_time == in_b->hlc_time && in_a->hlc_count == in_b->hlc_count},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!fields[i].is_same) {
            return fields[i].name;
        }
    }
    if (has_peer) {
        return same_task(a, in_a->peer, b, in_b->peer) ? NULL : "peer";
    }
    return same_name(a, in_a->message, b, in_b->message) ? NULL : "message";
}

const char *trace_difference(const struct trace *a, const struct trace *b)
{
    const struct tables *ta = &a->tables;
    const struct tables *tb = &b->tables;
    if (ta->order != tb->order || ta->tick_ns != tb->tick_ns ||
        !same_name(ta, ta->source, tb, tb->source)) {
        return "the headers differ (order, tick or source)";
    }
    const size_t count = a->events.count < b->events.count ? a->events.count : b->events.count;
    for (size_t i = 0; i < count; i++) {
        const char *field = differing_field(ta, &a->events.at[i], tb, &b->events.at[i]);
        if (field != NULL) {
            (void)snprintf(difference, sizeof difference, "event %zu differs in its %s", i, field);
            return difference;
        }
    }
    if (a->events.count != b->events.count) {
        (void)snprintf(difference, sizeof difference, "%zu events against %zu", a->events.count,
                       b->events.count);
        return difference;
    }
    return NULL;
}

void check_same_trace(const struct trace *got, const struct trace *wanted)
{
    const char *found = trace_difference(got, wanted);
    if (found != NULL) {
        fail_msg("%s", found);
    }
}
