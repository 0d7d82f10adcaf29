/* Two nodes at a door, each of which lets the other go first, for ever; the fixed twin is polite
 * only once. */
#include <clew/sim.h>

enum { AFTER_YOU };
static const char *const messages[] = {"after-you", NULL};

struct node {
    int times_asked;
};

static void start(void *state)
{
    (void)state;
    clew_variable("through", 0);
    clew_send(1 - clew_self(), AFTER_YOU, NULL, 0);
}

static void message(void *state, const struct clew_message *m)
{
    struct node *node = state;
#ifdef FIXED
    if (++node->times_asked > 1) {
        clew_variable("through", 1);
        return;
    }
#else
    node->times_asked = 1;
#endif
    clew_send(m->from, AFTER_YOU, NULL, 0);
}

CLEW_SYSTEM(.name = "polite", .node_count = 2, .messages = messages,
            .state_size = sizeof(struct node), .start = start, .message = message);
