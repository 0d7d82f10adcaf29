/* Nodes whose every tick begins again: a ping is asked for, and ticks overtake the echo. Two
 * properties break, the second after the first. */
#include <clew/sim.h>

enum { PING, ECHO };
static const char *const messages[] = {"ping", "echo", NULL};
static const char *const timers[] = {"tick", "tock", "tack", "tuck", "teck", "tyck", NULL};

struct node {
    unsigned ticks;
    unsigned echoes;
};

static void start(void *state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        clew_timer_set(i, 1);
    }
}

static void message(void *state, const struct clew_message *m)
{
    struct node *node = state;
    if (m->type == PING) {
        clew_send(m->from, ECHO, NULL, 0);
    } else {
        node->echoes++;
        clew_variable("echoes", node->echoes);
    }
}

static void timer(void *state, int number)
{
    struct node *node = state;
    node->ticks++;
    clew_timer_set(number, 1);
    if (node->ticks == 10 && clew_self() == 0) {
        clew_send(1, PING, NULL, 0);
    }
}

static unsigned ticks(const struct clew_view *view)
{
    const struct node *first = view->states[0];
    return first->ticks;
}

static bool few(const struct clew_view *view)
{
    return ticks(view) < FEW || clew_broken(view, "%u ticks", ticks(view));
}

static bool fewer(const struct clew_view *view)
{
    return ticks(view) % 7 != 6 || clew_broken(view, "%u ticks", ticks(view));
}

static const struct clew_property properties[] = {{.name = "few", .holds = few},
#ifdef HAS_TWO
                                                  {.name = "fewer", .holds = fewer},
#endif
                                                  {0}};

CLEW_SYSTEM(.name = "ticks", .node_count = 3, .messages = messages, .timers = timers,
            .state_size = sizeof(struct node), .start = start, .message = message, .timer = timer,
            .properties = properties, .timers_independent = true, .depth = 60);
