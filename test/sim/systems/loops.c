/* A node that waits for what never comes. */
#include <clew/sim.h>

static const char *const messages[] = {"go", NULL};
static volatile int never;

static void setup(void)
{
    clew_request(0, 0, NULL, 0);
}

__attribute__((noinline)) static void wait_for_it(void)
{
    while (never == 0) {
    }
}

static void message(void *state, const struct clew_message *m)
{
    (void)state;
    (void)m;
    wait_for_it();
}

CLEW_SYSTEM(.name = "loops", .node_count = 1, .messages = messages, .setup = setup,
            .message = message);
