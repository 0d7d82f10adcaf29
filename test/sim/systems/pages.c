/* Nodes that count in variables of the file, on pages of their own: whoever writes first, whichever
 * page it is, all are rewound, and all are part of the state. */
#include <clew/sim.h>

enum { NODES = 3, PAGE = 4096 };

static const char *const messages[] = {"count", NULL};
static int counts[NODES][2 * PAGE / sizeof(int)];
static int loaded[PAGE] = {1, 2, 3}; /* read, and written by the last count only */

static void setup(void)
{
    for (int i = 0; i < NODES; i++) {
        clew_request(i, 0, NULL, 0);
        clew_request(i, 0, NULL, 0);
    }
}

static void message(void *state, const struct clew_message *m)
{
    (void)state;
    (void)m;
    counts[clew_self()][PAGE / sizeof(int)] += loaded[0];
    if (clew_self() == 2 && counts[2][PAGE / sizeof(int)] == 2) {
        loaded[1]++;
    }
}

static bool few(const struct clew_view *view)
{
    int sum = 0;
    for (int i = 0; i < NODES; i++) {
        sum += counts[i][PAGE / sizeof(int)];
    }
    return (sum == (int)clew_step(view) && loaded[1] <= 3 && sum < 6) ||
           clew_broken(view, "%d counted, %d", sum, loaded[1]);
}

static const struct clew_property properties[] = {{.name = "few", .holds = few}, {0}};

CLEW_SYSTEM(.name = "pages", .node_count = NODES, .messages = messages, .setup = setup,
            .message = message, .properties = properties);
