/* The gossip library rumor.c as a system of three members: the glue that `clew explore` needs. */
#include <clew/sim.h>
#include <stdio.h>

#include "rumor.h"

enum { MEMBERS = 3 };
enum { PUT, DELETE, GOSSIP };
static const char *const messages[] = {"put", "delete", "gossip", NULL};

struct member {
    struct rumor *rumor;
    bool has_deleted; /* what a property wants to know, and the library does not say */
};

/* What the library asks of the network. */
static void send(void *context, int to, const void *bytes, size_t size)
{
    (void)context;
    clew_send(to, GOSSIP, bytes, size);
}

/* What its users ask of it. */
static void setup(void)
{
    clew_request(0, PUT, "blue", sizeof "blue");
    clew_request(0, DELETE, NULL, 0);
}

static void start(void *state)
{
    struct member *m = state;
    m->rumor = rumor_new(clew_self(), MEMBERS, send, NULL);
}

static void message(void *state, const struct clew_message *m)
{
    struct member *member = state;
    switch (m->type) {
    case PUT: rumor_put(member->rumor, "color", m->bytes); break;
    case DELETE:
        rumor_delete(member->rumor, "color");
        member->has_deleted = true;
        break;
    default: rumor_receive(member->rumor, m->from, m->bytes, m->size); break;
    }
}

/* Who has deleted the color does not get it back: nobody puts one after that. */
static bool is_deleted(const struct clew_view *view)
{
    for (uint32_t i = 0; i < view->node_count; i++) {
        const struct member *m = view->states[i];
        const char *color = m == NULL ? NULL : rumor_get(m->rumor, "color");
        if (color != NULL && m->has_deleted) {
            return clew_broken(view, "n%u has deleted the color, and has %s again", i + 1, color);
        }
    }
    return true;
}

/* For `clew replay --step`. */
static void describe(const void *state, char *text, size_t size)
{
    const struct member *m = state;
    rumor_print(m->rumor, text, size);
}

static void describe_message(const struct clew_message *m, char *text, size_t size)
{
    if (m->type == GOSSIP) {
        rumor_print_message(m->bytes, m->size, text, size);
    } else if (m->type == PUT) {
        snprintf(text, size, "color=%s", (const char *)m->bytes);
    } else {
        snprintf(text, size, "color");
    }
}

static const struct clew_property properties[] = {
    {.name = "deleted stays deleted", .holds = is_deleted}, {0}};

CLEW_SYSTEM(.name = "rumor", .node_count = MEMBERS, .messages = messages,
            .state_size = sizeof(struct member), .setup = setup, .start = start, .message = message,
            .describe = describe, .describe_message = describe_message, .properties = properties);
