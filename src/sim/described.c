/* Descriptions of nodes and messages by the system. Its functions are called outside the run: where
 * one fails, the failure is the description. */
#include "sim/described.h"

#include <string.h>

#include "sim/handler_guard.h"
#include "sim/net.h"
#include "sim/state_hash.h"

static void describe_node(struct sim *s)
{
    s->run.doing = "describe";
    s->system->describe(s->core->nodes[s->shown.node].state, s->shown.text, sizeof s->shown.text);
}

static void describe_message(struct sim *s)
{
    const struct parcel *p = s->shown.parcel;
    const struct clew_message m = {
        .from = p->from, .type = (int)p->type, .bytes = p->bytes, .size = p->size};
    s->run.doing = "describe_message";
    s->system->describe_message(&m, s->shown.text, sizeof s->shown.text);
}

/* One line, whatever the system writes. */
static const char *ask(struct sim *s, void (*describe)(struct sim *s), const char *failure)
{
    struct err unsaid;
    s->shown.text[0] = '\0';
    if (!guard_try(s, describe, &unsaid)) {
        return failure;
    }
    s->shown.text[sizeof s->shown.text - 1] = '\0';
    for (char *c = s->shown.text; *c != '\0'; c++) {
        *c = *c == '\n' || *c == '\r' ? ' ' : *c;
    }
    return s->shown.text;
}

const char *words_of_node(struct sim *s, uint32_t node)
{
    s->shown.node = node;
    if (s->core->nodes[node].state == NULL) {
        return "down";
    }
    return s->system->describe == NULL ? "" : ask(s, describe_node, "(its describe fails)");
}

const char *words_of_message(struct sim *s, const struct parcel *p)
{
    s->shown.parcel = p;
    return s->system->describe_message == NULL
               ? ""
               : ask(s, describe_message, "(its describe_message fails)");
}
