/* A node that is broken after three steps; where it happens to draw a seven, after one. */
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
    struct node *node = state;
    node->count += clew_random(1000000) == 7 ? 3 : 1;
    clew_send(0, m->type, NULL, 0);
}

static bool is_less(const struct clew_view *view)
{
    return ((const struct node *)view->states[0])->count < 3;
}

static const struct clew_property properties[] = {{.name = "less than three", .holds = is_less},
                                                  {0}};

CLEW_SYSTEM(.name = "drawn", .node_count = 1, .messages = messages,
            .state_size = sizeof(struct node), .start = start, .message = message,
            .properties = properties);
