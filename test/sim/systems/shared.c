/* The first node breaks its property with its third message, or with its first if the second node
 * has got one before: which it knows from a variable that belongs to neither. */
#include <clew/sim.h>

enum { MESSAGES_MAX = 3 };

static const char *const messages[] = {"go", NULL};

struct node {
    int got;
    bool is_broken;
};

static bool is_second_first;

static void setup(void)
{
    for (int i = 0; i < MESSAGES_MAX; i++) {
        clew_request(0, 0, NULL, 0);
    }
    clew_request(1, 0, NULL, 0);
}

static void message(void *state, const struct clew_message *m)
{
    struct node *node = state;
    (void)m;
    if (clew_self() == 1) {
        is_second_first = true;
        return;
    }
    node->is_broken = ++node->got == MESSAGES_MAX || is_second_first;
}

static bool whole(const struct clew_view *view)
{
    return !((const struct node *)view->states[0])->is_broken;
}

static const struct clew_property properties[] = {{.name = "whole", .holds = whole}, {0}};

CLEW_SYSTEM(.name = "shared", .node_count = 2, .messages = messages,
            .state_size = sizeof(struct node), .setup = setup, .message = message,
            .properties = properties);
