/* A node sends two messages, to two others. The first may not be ignored; the second breaks whoever
 * gets it. */
#include <clew/sim.h>

enum { HEED, BREAK };
static const char *const messages[] = {"heed", "break", NULL};

struct node {
    int unused;
};

static void start(void *state)
{
    (void)state;
    if (clew_self() == 0) {
        clew_send_unignorable(1, HEED, NULL, 0);
        clew_send(2, BREAK, NULL, 0);
    }
}

static void message(void *state, const struct clew_message *m)
{
    (void)state;
    if (m->type == BREAK) {
        clew_fail("broken");
    }
}

CLEW_SYSTEM(.name = "heeded", .node_count = 3, .messages = messages,
            .state_size = sizeof(struct node), .start = start, .message = message);
