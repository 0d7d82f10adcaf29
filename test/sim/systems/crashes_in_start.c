/* A node that does not even begin. */
#include <clew/sim.h>

static const char *const messages[] = {"go", NULL};
static int *volatile nowhere = (int *)64;

static void start(void *state)
{
    (void)state;
    *nowhere = 1;
}

static void message(void *state, const struct clew_message *m)
{
    (void)state;
    (void)m;
}

CLEW_SYSTEM(.name = "crashes-in-start", .node_count = 1, .messages = messages, .start = start,
            .message = message);
