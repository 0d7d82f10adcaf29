#include "sim/describe.h"

#include <stdio.h>

#include "sim/fault.h"
#include "sim/net.h"
#include "sim/state_hash.h"

/* The messages that the action is, by their place in the table of names. */
static uint32_t messages_of(const struct sim *s, uint64_t action)
{
    const uint32_t *found = map_get(&s->prefixes.actions, action);
    must(found != NULL);
    must(*found < net_channel_count(s) * s->type_count);
    return *found;
}

static const char *source_name(const struct sim *s, uint32_t messages)
{
    const uint32_t from = messages / s->type_count / s->node_count;
    return from == 0 ? "client" : s->names.node_texts[from - 1];
}

static const char *destination_name(const struct sim *s, uint32_t messages)
{
    return s->names.node_texts[messages / s->type_count % s->node_count];
}

static const char *type_name(const struct sim *s, uint32_t messages)
{
    return s->system->messages[messages % s->type_count];
}

static struct message_name describe_message(const struct sim *s, const struct pick_operation *o,
                                            struct names *names)
{
    const uint32_t messages = messages_of(s, o->action);
    return (struct message_name){
        .source = names_intern_text(names, source_name(s, messages)),
        .destination = names_intern_text(names, destination_name(s, messages)),
        .type = names_intern_text(names, type_name(s, messages)),
        .occurrence = o->occurrence,
    };
}

static struct operation describe_operation(const struct sim *s, const struct pick_operation *o,
                                           struct names *names)
{
    const char *object = "disk";
    for (uint32_t i = 0; o->kind == EVENT_TIMER_FIRE && i < s->timer_count; i++) {
        object = s->names.timers[o->node][i] == o->action ? s->system->timers[i] : object;
    }
    for (uint32_t i = 0; o->kind == EVENT_HANDLER_BEGIN && i < s->helper_count; i++) {
        object = s->names.helpers[o->node][i] == o->action ? s->system->helpers[i] : object;
    }
    return (struct operation){
        .node = names_intern_text(names, s->names.node_texts[o->node]),
        .task = names_intern_text(names, o->kind == EVENT_HANDLER_BEGIN ? "helper" : "main"),
        .object = names_intern_text(names, object),
        .kind = o->kind,
        .occurrence = o->occurrence};
}

static uint32_t describe_target(const struct sim *s, const struct pick_operation *o,
                                struct names *names)
{
    char text[256];
    const char *node = s->names.node_texts[o->node];
    if (o->fault == 0 || o->action == s->names.nodes[o->node + 1]) {
        (void)snprintf(text, sizeof text, o->occurrence == 0 ? "%s" : "%s+%u", node, o->occurrence);
    } else {
        const uint32_t messages = messages_of(s, o->action);
        (void)snprintf(text, sizeof text, "%s>%s/%s#%u", source_name(s, messages),
                       destination_name(s, messages), type_name(s, messages), o->occurrence);
    }
    return names_intern_text(names, text);
}

void sim_describe(struct world *w, const struct pick_operation *o, struct schedule *schedule,
                  struct choice *c)
{
    const struct sim *s = sim_of(w);
    if (o->kind == EVENT_FAULT) {
        c->kind = CHOICE_FAULT;
        c->fault = pick_fault(o);
        c->target = describe_target(s, o, &schedule->names);
    } else if (o->kind == EVENT_RECV) {
        c->kind = CHOICE_MESSAGE;
        c->message = describe_message(s, o, &schedule->names);
    } else {
        c->kind = o->kind == EVENT_TIMER_FIRE ? CHOICE_TIMER : CHOICE_TASK;
        c->operation = describe_operation(s, o, &schedule->names);
    }
}

/* Another node's place, if it is one of the two. */
static uint32_t exchanged(uint32_t node, uint32_t first, uint32_t second)
{
    return node == first ? second : node == second ? first : node;
}

static uint64_t exchanged_messages(const struct sim *s, uint64_t action, uint32_t first,
                                   uint32_t second)
{
    const uint32_t messages = messages_of(s, action);
    const uint32_t channel = messages / s->type_count;
    const uint32_t from = channel / s->node_count; /* the client is 0 */
    const uint32_t to = exchanged(channel % s->node_count, first, second);
    const uint32_t other = from == 0 ? 0 : exchanged(from - 1, first, second) + 1;
    return s->names
        .messages[(other * s->node_count + to) * s->type_count + messages % s->type_count];
}

/* The name in the table of another node that the action is in that of its own. */
static uint64_t exchanged_name(const uint64_t *own, const uint64_t *others, uint32_t count,
                               uint64_t action)
{
    for (uint32_t i = 0; i < count; i++) {
        if (own[i] == action) {
            return others[i];
        }
    }
    must(false);
    return 0;
}

uint64_t sim_exchanged(struct world *w, const struct pick_operation *o, uint16_t first,
                       uint16_t second)
{
    const struct sim *s = sim_of(w);
    const uint32_t node = exchanged(o->node, first, second);
    if (o->fault_bound != 0) {
        return fault_action(s, o->fault_bound, node);
    }
    if (o->fault != 0 && o->action == s->names.nodes[o->node + 1]) {
        return s->names.nodes[node + 1];
    }
    switch (o->kind) {
    case EVENT_TIMER_FIRE:
        return exchanged_name(s->names.timers[o->node], s->names.timers[node], s->timer_count,
                              o->action);
    case EVENT_HANDLER_BEGIN:
        return exchanged_name(s->names.helpers[o->node], s->names.helpers[node], s->helper_count,
                              o->action);
    case EVENT_FILE_SYNC: return s->names.writes[node];
    default: return exchanged_messages(s, o->action, first, second);
    }
}
