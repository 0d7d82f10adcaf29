/* A token goes round a ring of nodes; who has it may use what they share. The first node watches:
 * when the token stays away for long, it takes it for lost and makes a new one. It must not, for
 * the token may only be late.
 *
 *     clew cc --sim ring.c -o ring.so && clew explore ./ring.so
 *
 * With -DFIXED it asks first: a probe follows the token round the ring, and since no message
 * overtakes another, a token that is still there was either seen by the probe or came home before
 * it. */
#include <clew/sim.h>
#include <stdio.h>

enum { NODE_COUNT = 3, ROUNDS = 3, USE_TIME = 10, PATIENCE = 100 };

enum { TOKEN, PROBE };
static const char *const messages[] = {"token", "probe", NULL};

enum { USED, LOST };
static const char *const timers[] = {"used", "lost", NULL};

struct node {
    bool has_token;
    int rounds; /* the token has made (first node) */
};

struct probe {
    bool is_seen; /* some node had the token */
    int round;    /* when it left */
};

static bool is_watching(void)
{
    return clew_self() == 0;
}

static void send_on(int type, const void *bytes, size_t size)
{
    clew_send((clew_self() + 1) % NODE_COUNT, type, bytes, size);
}

static void take_token(struct node *node)
{
    node->has_token = true;
    clew_timer_set(USED, USE_TIME);
}

static void start(void *state)
{
    if (is_watching()) {
        take_token(state);
    }
}

static void get_token(struct node *node)
{
    if (is_watching()) {
        clew_timer_cancel(LOST);
        if (++node->rounds == ROUNDS) {
            node->has_token = true;
            return;
        }
    }
    take_token(node);
}

static void get_probe(struct node *node, struct probe probe)
{
    if (!is_watching()) {
        probe.is_seen = probe.is_seen || node->has_token;
        send_on(PROBE, &probe, sizeof probe);
    } else if (probe.round == node->rounds && !probe.is_seen) {
        take_token(node);
    } else if (probe.round == node->rounds) {
        clew_timer_set(LOST, PATIENCE);
    }
}

static void message(void *state, const struct clew_message *m)
{
    if (m->type == TOKEN) {
        get_token(state);
    } else {
        get_probe(state, *(const struct probe *)m->bytes);
    }
}

static void pass_on(struct node *node)
{
    node->has_token = false;
    send_on(TOKEN, NULL, 0);
    if (is_watching()) {
        clew_timer_set(LOST, PATIENCE);
    }
}

static void timer(void *state, int timer)
{
    if (timer == USED) {
        pass_on(state);
        return;
    }
#ifdef FIXED
    const struct probe probe = {.round = ((const struct node *)state)->rounds};
    send_on(PROBE, &probe, sizeof probe);
#else
    take_token(state);
#endif
}

static void describe(const void *state, char *text, size_t size)
{
    const struct node *node = state;
    (void)snprintf(text, size, "%s", node->has_token ? "has the token" : "waits");
}

static bool one_token(const struct clew_view *view)
{
    int holders = 0;
    for (uint32_t i = 0; i < view->node_count; i++) {
        const struct node *node = view->states[i];
        holders += node != NULL && node->has_token;
    }
    return holders <= 1 || clew_broken(view, "%d nodes have it", holders);
}

static const struct clew_property properties[] = {
    {.name = "one token", .holds = one_token},
    {0},
};

CLEW_SYSTEM(.name = "ring", .node_count = NODE_COUNT, .messages = messages, .timers = timers,
            .state_size = sizeof(struct node), .start = start, .message = message, .timer = timer,
            .describe = describe, .properties = properties, .depth = 100);
