/* A node that is not well after three steps, nor after a crash, of which there may be one. */
#include <clew/sim.h>

enum { GO };
static const char *const messages[] = {"go", NULL};

struct node {
    int count;
};

static void start(void *state)
{
    (void)state;
    clew_send(0, GO, NULL, 0);
}

static void message(void *state, const struct clew_message *m)
{
    ((struct node *)state)->count++;
    clew_send(0, m->type, NULL, 0);
}

static bool is_well(const struct clew_view *view)
{
    const struct node *node = view->states[0];
    return node != NULL && node->count < 3;
}

static const struct clew_property properties[] = {{.name = "well", .holds = is_well}, {0}};

CLEW_SYSTEM(.name = "tired", .node_count = 1, .messages = messages,
            .state_size = sizeof(struct node), .start = start, .message = message,
            .properties = properties, .faults = "crash=1");
