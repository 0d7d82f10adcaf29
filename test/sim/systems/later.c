/* A system for a later version of the header. */
#include <clew/sim.h>

static const char *const messages[] = {"go", NULL};

static void message(void *state, const struct clew_message *m)
{
    (void)state;
    (void)m;
}

__attribute__((visibility("default")))
const struct clew_system clew_system = {.version = CLEW_SIM_VERSION + 1,
                                        .size = sizeof(struct clew_system),
                                        .name = "later",
                                        .node_count = 1,
                                        .messages = messages,
                                        .message = message};
