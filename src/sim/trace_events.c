/* The events of a run, for a trace. A node is a task, main@NODE, and a new one after each restart;
 * a handler's events stand between handler-begin and handler-end, and those of a helper between
 * atomic-begin and atomic-end. Requests are sent by main@client. Nothing is done when no trace is
 * written. */
#include "sim/trace_events.h"

#include <stdio.h>
#include <string.h>

#include "sim/described.h"
#include "sim/net.h"
#include "sim/state_hash.h"
#include "trace/channel.h"

static uint32_t name_of(struct sim *s, const char *text)
{
    return names_intern_text(&s->tracing.trace->tables.names, text);
}

static uint32_t task_of(struct sim *s, uint32_t node)
{
    char name[32] = "main";
    if (s->tracing.lives[node] > 1) {
        (void)snprintf(name, sizeof name, "main.%u", s->tracing.lives[node]);
    }
    return tables_task(&s->tracing.trace->tables, name_of(s, s->names.node_texts[node]),
                       name_of(s, name));
}

/* The time of an event is its node's clock, once that has begun to move. */
static void append(struct sim *s, uint32_t node, struct event e)
{
    e.task = task_of(s, node);
    if (s->core->nodes[node].clock > 0) {
        e.time = (int64_t)s->core->nodes[node].clock;
        e.has |= HAS_TIME;
    }
    trace_append(s->tracing.trace, &e);
    vec_push(&s->execution->event_steps, s->run.now);
}

void tell_begin(struct sim *s)
{
    s->tracing.trace = s->plan->trace;
    memset(s->tracing.lives, 0, sizeof s->tracing.lives);
    s->tracing.has_client = false;
    if (s->tracing.trace != NULL) {
        char source[100];
        (void)snprintf(source, sizeof source, "clew sim %s", s->system->name);
        s->tracing.trace->tables.order = ORDER_EXACT;
        s->tracing.trace->tables.source = name_of(s, source);
    }
}

void tell_start(struct sim *s, uint32_t node, bool is_again)
{
    if (s->tracing.trace != NULL) {
        s->tracing.lives[node]++;
        append(s, node, (struct event){.kind = EVENT_THREAD_START});
        append(s, node,
               (struct event){.kind = EVENT_HANDLER_BEGIN,
                              .object = name_of(s, is_again ? "restart" : "start")});
    }
}

static const char *sender_name(const struct sim *s, const struct parcel *p)
{
    return p->from == CLEW_CLIENT ? "client" : s->names.node_texts[p->from];
}

static uint32_t channel_name(struct sim *s, const struct parcel *p)
{
    const char *from = sender_name(s, p);
    const char *to = s->names.node_texts[p->to];
    const struct channel c = {.source_host = {from, strlen(from)},
                              .source_port = {"", 0},
                              .destination_host = {to, strlen(to)},
                              .destination_port = {"", 0}};
    return channel_intern(&s->tracing.trace->tables.names, &c);
}

static uint32_t message_name(struct sim *s, const struct parcel *p)
{
    char text[256];
    (void)snprintf(text, sizeof text, "%s>%s/%s#%u", sender_name(s, p), s->names.node_texts[p->to],
                   s->system->messages[p->type], p->occurrence);
    return name_of(s, text);
}

static struct event transfer(struct sim *s, const struct parcel *p, uint16_t kind)
{
    const char *words = words_of_message(s, p);
    return (struct event){.kind = kind,
                          .mode = net_is_fifo(s, p) ? TRANSPORT_CHANNEL : TRANSPORT_UDP,
                          .text = words[0] == '\0' ? 0 : name_of(s, words),
                          .object = channel_name(s, p),
                          .message = message_name(s, p),
                          .size = p->size,
                          .has = HAS_SIZE};
}

/* By the client. */
static void append_by_client(struct sim *s, struct event e)
{
    e.task = tables_task(&s->tracing.trace->tables, name_of(s, "client"), name_of(s, "main"));
    trace_append(s->tracing.trace, &e);
    vec_push(&s->execution->event_steps, s->run.now);
}

void tell_send(struct sim *s, const struct parcel *p)
{
    if (s->tracing.trace == NULL) {
        return;
    }
    if (p->from != CLEW_CLIENT) {
        append(s, (uint32_t)p->from, transfer(s, p, EVENT_SEND));
        return;
    }
    if (!s->tracing.has_client) {
        append_by_client(s, (struct event){.kind = EVENT_THREAD_START});
        s->tracing.has_client = true;
    }
    append_by_client(s, transfer(s, p, EVENT_SEND));
}

void tell_end(struct sim *s)
{
    for (uint32_t i = 0; s->tracing.trace != NULL && i < s->node_count; i++) {
        if (s->core->nodes[i].state != NULL) {
            append(s, i, (struct event){.kind = EVENT_THREAD_END});
        }
    }
    if (s->tracing.trace != NULL && s->tracing.has_client) {
        append_by_client(s, (struct event){.kind = EVENT_THREAD_END});
    }
}

void tell_deliver(struct sim *s, const struct parcel *p)
{
    if (s->tracing.trace != NULL) {
        append(s, p->to, transfer(s, p, EVENT_RECV));
        append(s, p->to,
               (struct event){.kind = EVENT_HANDLER_BEGIN,
                              .object = name_of(s, s->system->messages[p->type]),
                              .message = message_name(s, p)});
    }
}

void tell_handler_end(struct sim *s, uint32_t node)
{
    if (s->tracing.trace != NULL) {
        append(s, node, (struct event){.kind = EVENT_HANDLER_END});
    }
}

void tell_timer_set(struct sim *s, uint32_t timer, uint64_t delay)
{
    if (s->tracing.trace != NULL) {
        append(s, (uint32_t)s->run.self,
               (struct event){.kind = EVENT_TIMER_SET,
                              .object = name_of(s, s->system->timers[timer]),
                              .value = (int64_t)delay,
                              .has = HAS_VALUE});
    }
}

void tell_timer_cancel(struct sim *s, uint32_t timer)
{
    if (s->tracing.trace != NULL) {
        append(s, (uint32_t)s->run.self,
               (struct event){.kind = EVENT_TIMER_CANCEL,
                              .object = name_of(s, s->system->timers[timer])});
    }
}

void tell_fire(struct sim *s, uint32_t node, uint32_t timer)
{
    if (s->tracing.trace != NULL) {
        const uint32_t name = name_of(s, s->system->timers[timer]);
        append(s, node, (struct event){.kind = EVENT_TIMER_FIRE, .object = name});
        append(s, node, (struct event){.kind = EVENT_HANDLER_BEGIN, .object = name});
    }
}

static void append_write(struct sim *s, size_t offset, size_t size)
{
    append(s, (uint32_t)s->run.self,
           (struct event){.kind = EVENT_FILE_WRITE,
                          .object = name_of(s, "disk"),
                          .size = size,
                          .value = (int64_t)offset,
                          .has = HAS_SIZE | HAS_VALUE});
}

void tell_help(struct sim *s, uint32_t node, uint32_t helper)
{
    if (s->tracing.trace != NULL) {
        append(s, node,
               (struct event){.kind = EVENT_ATOMIC_BEGIN,
                              .object = name_of(s, s->system->helpers[helper])});
    }
}

void tell_help_end(struct sim *s, uint32_t node, uint32_t helper)
{
    if (s->tracing.trace != NULL) {
        append(s, node,
               (struct event){.kind = EVENT_ATOMIC_END,
                              .object = name_of(s, s->system->helpers[helper])});
    }
}

void tell_write(struct sim *s, const struct disk_write *w)
{
    if (s->tracing.trace != NULL) {
        append_write(s, w->offset, w->size);
    }
}

void tell_saved(struct sim *s, size_t offset, size_t size)
{
    if (s->tracing.trace != NULL) {
        append_write(s, offset, size);
        append(s, (uint32_t)s->run.self,
               (struct event){.kind = EVENT_FILE_SYNC, .object = name_of(s, "disk")});
    }
}

void tell_written(struct sim *s, uint32_t node)
{
    if (s->tracing.trace != NULL) {
        append(s, node, (struct event){.kind = EVENT_FILE_SYNC, .object = name_of(s, "disk")});
        append(s, node,
               (struct event){.kind = EVENT_HANDLER_BEGIN, .object = name_of(s, "written")});
    }
}

void tell_fault(struct sim *s, uint8_t fault, const struct origin *from)
{
    if (s->tracing.trace == NULL) {
        return;
    }
    struct event e = {.kind = EVENT_FAULT, .mode = fault};
    if (from->parcel != NULL) {
        e.object = channel_name(s, from->parcel);
        e.message = message_name(s, from->parcel);
    } else {
        e.object = name_of(s, s->names.node_texts[from->node]);
    }
    if (s->core->nodes[from->node].state != NULL) {
        append(s, from->node, e);
    }
    if (fault == FAULT_CRASH) {
        append(s, from->node, (struct event){.kind = EVENT_PROCESS_CRASH});
    }
}

void tell_variable(struct sim *s, const char *name, int64_t value)
{
    if (s->tracing.trace != NULL) {
        append(s, (uint32_t)s->run.self,
               (struct event){.kind = EVENT_VARIABLE,
                              .object = name_of(s, name),
                              .value = value,
                              .has = HAS_VALUE});
    }
}

void tell_log(struct sim *s, const char *text)
{
    if (s->tracing.trace != NULL) {
        append(s, (uint32_t)s->run.self,
               (struct event){.kind = EVENT_LOG, .text = name_of(s, text)});
    }
}

void tell_access(struct sim *s, const char *variable, bool is_write, const char *place)
{
    if (s->tracing.trace != NULL) {
        append(s, (uint32_t)s->run.self,
               (struct event){.kind = is_write ? EVENT_WRITE : EVENT_READ,
                              .object = name_of(s, variable),
                              .location = name_of(s, place)});
    }
}

/* By the node whose code it was, or whose step; a handler that was left behind ends here. */
void tell_violation(struct sim *s)
{
    if (s->tracing.trace == NULL) {
        return;
    }
    const struct execution *x = s->execution;
    const uint32_t node = s->run.self >= 0      ? (uint32_t)s->run.self
                          : x->steps.count == 0 ? 0
                                                : vec_last(&x->steps)->operation.node;
    append(s, node,
           (struct event){
               .kind = EVENT_VIOLATION, .object = name_of(s, x->key), .text = name_of(s, x->what)});
    if (s->run.self >= 0 && !s->run.is_helping) {
        tell_handler_end(s, (uint32_t)s->run.self);
    }
}
