/* What a system says of its nodes and messages, in its own words. Its functions are asked outside
 * the run: where one fails, that is said in place of its words. */
#include <string.h>

#include "sim/sim_state.h"

static void describe_node(struct sim *s)
{
    s->doing = "describe";
    s->system->describe(s->core->nodes[s->shown_node].state, s->shown_text, sizeof s->shown_text);
}

static void describe_message(struct sim *s)
{
    const struct parcel *p = s->shown_parcel;
    const struct clew_message m = {
        .from = p->from, .type = (int)p->type, .bytes = p->bytes, .size = p->size};
    s->doing = "describe_message";
    s->system->describe_message(&m, s->shown_text, sizeof s->shown_text);
}

/* One line, whatever the system writes. */
static const char *ask(struct sim *s, void (*describe)(struct sim *s), const char *failure)
{
    struct err unsaid;
    s->shown_text[0] = '\0';
    if (!guard_try(s, describe, &unsaid)) {
        return failure;
    }
    s->shown_text[sizeof s->shown_text - 1] = '\0';
    for (char *c = s->shown_text; *c != '\0'; c++) {
        *c = *c == '\n' || *c == '\r' ? ' ' : *c;
    }
    return s->shown_text;
}

const char *words_of_node(struct sim *s, uint32_t node)
{
    s->shown_node = node;
    if (s->core->nodes[node].state == NULL) {
        return "down";
    }
    return s->system->describe == NULL ? "" : ask(s, describe_node, "(its describe fails)");
}

const char *words_of_message(struct sim *s, const struct parcel *p)
{
    s->shown_parcel = p;
    return s->system->describe_message == NULL
               ? ""
               : ask(s, describe_message, "(its describe_message fails)");
}
