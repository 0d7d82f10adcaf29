/* Operations the way schedules write them. */
#include <stdio.h>

#include "sim/state.h"

/* The messages that the action is, by their place in the table of names. */
static uint32_t messages_of(const struct sim *s, uint64_t action)
{
    const uint32_t *found = map_get(&s->actions, action);
    must(found != NULL);
    must(*found < net_channel_count(s) * s->type_count);
    return *found;
}

static const char *source_name(const struct sim *s, uint32_t messages)
{
    const uint32_t from = messages / s->type_count / s->node_count;
    return from == 0 ? "client" : s->node_names[from - 1];
}

static const char *destination_name(const struct sim *s, uint32_t messages)
{
    return s->node_names[messages / s->type_count % s->node_count];
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
        .node = names_intern_text(names, s->node_names[o->node]),
        .task = names_intern_text(names, o->kind == EVENT_HANDLER_BEGIN ? "helper" : "main"),
        .object = names_intern_text(names, object),
        .kind = o->kind,
        .occurrence = o->occurrence};
}

static uint32_t describe_target(const struct sim *s, const struct pick_operation *o,
                                struct names *names)
{
    char text[256];
    const char *node = s->node_names[o->node];
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
