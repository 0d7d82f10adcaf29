/* Two nodes get two messages each, and steps on different nodes do not conflict. What is claimed is
 * about their order all the same: of steps that are counted (STEPS), by a property that remembers
 * (REMEMBERS), in a variable of both nodes (SHARED). Without these no order matters. */
#include <clew/sim.h>

static const char *const messages[] = {"go", NULL};

struct node {
    int got;
};

static void setup(void)
{
    for (int i = 0; i < 4; i++) {
        clew_request(i % 2, 0, NULL, 0);
    }
}

static int order; /* who got something, as a decimal number */

static void message(void *state, const struct clew_message *m)
{
    struct node *node = state;
    (void)m;
    node->got++;
#ifdef SHARED
    order = order * 10 + clew_self() + 1;
#endif
}

/* Both messages of the second node came before those of the first. */
static bool is_second_first(const struct clew_view *view)
{
    const struct node *first = view->states[0];
    const struct node *second = view->states[1];
#ifdef STEPS
    return clew_step(view) == 2 && first->got + order == 0 && second->got == 2;
#elif defined REMEMBERS
    if (order == 0 && (first->got > 0 || second->got == 2)) {
        order = first->got > 0 ? 1 : 2;
    }
    return order == 2 && first->got == 2;
#else
    return order / 10 == 221 && first->got + second->got == 4;
#endif
}

static bool in_turn(const struct clew_view *view)
{
    return !is_second_first(view) || clew_broken(view, "the second node came first");
}

static const struct clew_property properties[] = {
    {.name = "in turn", .holds = in_turn, .severity = CLEW_WARNING}, {0}};

CLEW_SYSTEM(.name = "order", .node_count = 2, .messages = messages,
            .state_size = sizeof(struct node), .setup = setup, .message = message,
            .properties = properties);
