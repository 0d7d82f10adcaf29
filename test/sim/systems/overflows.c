/* A node whose counter overflows. */
#include <clew/sim.h>
#include <limits.h>

static const char *const messages[] = {"go", NULL};

struct node {
    int counter;
};

static void setup(void)
{
    clew_request(0, 0, NULL, 0);
    clew_request(0, 0, NULL, 0);
}

static void start(void *state)
{
    ((struct node *)state)->counter = INT_MAX - 1;
}

static void message(void *state, const struct clew_message *m)
{
    (void)m;
    ((struct node *)state)->counter++;
}

CLEW_SYSTEM(.name = "overflows", .node_count = 1, .messages = messages, .setup = setup,
            .state_size = sizeof(struct node), .start = start, .message = message);
