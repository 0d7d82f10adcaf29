/* Each of two nodes asks the other, waits for the reply, and so cannot give one. A helper writes a
 * line. */
#include <clew/sim.h>

enum { ASK, REPLY };
static const char *const messages[] = {"ask", "reply", NULL};
static const char *const helpers[] = {"writer", NULL};

static void start(void *state)
{
    (void)state;
    const int other = 1 - clew_self();
    clew_help(0, NULL, 0);
    clew_send(other, ASK, NULL, 0);
    clew_await(other, REPLY);
}

static void message(void *state, const struct clew_message *m)
{
    (void)state;
    if (m->type == ASK) {
        clew_send(m->from, REPLY, NULL, 0);
    }
}

static void help(int helper, const void *bytes, size_t size)
{
    (void)helper;
    (void)bytes;
    (void)size;
    clew_log_line("beside");
}

CLEW_SYSTEM(.name = "blocks", .node_count = 2, .messages = messages, .start = start,
            .message = message, .helpers = helpers, .help = help);
