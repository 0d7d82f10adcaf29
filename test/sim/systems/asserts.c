/* A node that asserts what is not so. */
#include <assert.h>
#include <clew/sim.h>

static const char *const messages[] = {"go", NULL};

static void setup(void)
{
    clew_request(0, 0, NULL, 0);
}

static void message(void *state, const struct clew_message *m)
{
    (void)state;
    assert(m->size > 0);
}

CLEW_SYSTEM(.name = "asserts", .node_count = 1, .messages = messages, .setup = setup,
            .message = message);
