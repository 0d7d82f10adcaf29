/* A node that is broken by the second request, and prints in every way there is: when it is loaded,
 * through stdio and past it, and a line that is never ended. */
#include <clew/sim.h>
#include <stdio.h>
#include <unistd.h>

enum { COUNT };
static const char *const messages[] = {"count", NULL};

struct node {
    int count;
};

__attribute__((constructor)) static void load(void)
{
    puts("loaded");
}

static void setup(void)
{
    clew_request(0, COUNT, NULL, 0);
    clew_request(0, COUNT, NULL, 0);
}

static void message(void *state, const struct clew_message *m)
{
    (void)m;
    struct node *node = state;
    node->count++;
    printf("count is %d\n", node->count);
    fflush(stdout);
    const ssize_t written = write(STDOUT_FILENO, "written\n", 8);
    (void)written;
    printf("and now ...");
}

static bool is_one(const struct clew_view *view)
{
    return ((const struct node *)view->states[0])->count < 2;
}

static const struct clew_property properties[] = {{.name = "one at most", .holds = is_one}, {0}};

CLEW_SYSTEM(.name = "prints", .node_count = 1, .messages = messages,
            .state_size = sizeof(struct node), .setup = setup, .message = message,
            .properties = properties);
