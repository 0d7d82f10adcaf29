/* A node that keeps what it knows in variables of the file: they too are rewound between runs. */
#include <clew/sim.h>

static const char *const messages[] = {"go", NULL};
static int arrivals;
static int first = 41;

static void setup(void)
{
    clew_request(0, 0, NULL, 0);
}

static void message(void *state, const struct clew_message *m)
{
    (void)state;
    (void)m;
    arrivals++;
    first++;
}

static bool is_fresh(const struct clew_view *view)
{
    return (arrivals <= 1 && first <= 42) ||
           clew_broken(view, "%d arrivals, first is %d", arrivals, first);
}

static const struct clew_property properties[] = {{.name = "fresh", .holds = is_fresh}, {0}};

CLEW_SYSTEM(.name = "remembers", .node_count = 1, .messages = messages, .setup = setup,
            .message = message, .properties = properties);
