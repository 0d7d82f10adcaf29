/* Pings that come twice, about which a property only warns. */
#include <clew/sim.h>

static const char *const messages[] = {"ping", NULL};

struct node {
    int pings;
};

static void setup(void)
{
    clew_request(0, 0, NULL, 0);
    clew_request(0, 0, NULL, 0);
    clew_request(0, 0, NULL, 0);
}

static void message(void *state, const struct clew_message *m)
{
    (void)m;
    struct node *node = state;
    node->pings++;
    clew_variable("pings", node->pings);
}

static bool few(const struct clew_view *view)
{
    const struct node *node = view->states[0];
    return node->pings < 3;
}

static const struct clew_property properties[] = {
    {.name = "few pings", .holds = few, .severity = CLEW_WARNING},
    {0},
};

CLEW_SYSTEM(.name = "warns", .node_count = 1, .messages = messages,
            .state_size = sizeof(struct node), .setup = setup, .message = message,
            .properties = properties);
