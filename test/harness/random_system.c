#include "random_system.h"

#include <string.h>

enum { NODES_MAX = 3, STATES = 5, TYPES = 2, REQUESTS_MAX = 3, CLASHES = 2 };

static const char *const messages[] = {"ping", "pong", NULL};
static const char *const timers[] = {"tick", NULL};

/* The reaction of a node in a state to a message. */
struct reaction {
    uint8_t state;
    uint8_t send_count; /* 0 or 1 */
    uint8_t to;
    uint8_t type;
    bool sets_timer;
    bool cancels_timer;
    bool writes;
    bool is_unignorable; /* its sends */
};

struct letter {
    uint8_t strength; /* how often it can be answered */
};

struct request {
    uint8_t to;
    uint8_t type;
    struct letter letter;
};

static struct {
    struct clew_system system;
    struct reaction reactions[NODES_MAX][STATES][TYPES];
    struct reaction on_timer[NODES_MAX][STATES];
    struct request requests[REQUESTS_MAX];
    uint32_t request_count;
    uint8_t bad[NODES_MAX];      /* a state that breaks the property; STATES: none does */
    uint8_t clashes[CLASHES][2]; /* states of the first two nodes that break a property each */
    uint8_t crash;               /* a state in which the last node asserts */
    uint8_t told[NODES_MAX];     /* the node that hears of a completed write; NODES_MAX: none */
} current;

struct node {
    uint8_t state;
    uint8_t timers_left;
    uint8_t writes_told;
};

static void react(struct node *node, const struct reaction *r, uint8_t strength)
{
    node->state = r->state;
    if (node->state == current.crash && (uint32_t)clew_self() + 1 == current.system.node_count) {
        clew_fail("state");
    }
    if (r->send_count > 0 && strength > 0) {
        const struct letter letter = {.strength = (uint8_t)(strength - 1)};
        (r->is_unignorable ? clew_send_unignorable : clew_send)(r->to, r->type, &letter,
                                                                sizeof letter);
    }
    if (r->sets_timer && node->timers_left > 0) {
        node->timers_left--;
        clew_timer_set(0, 5);
    } else if (r->cancels_timer) {
        clew_timer_cancel(0);
    }
    if (r->writes) {
        (void)clew_disk_write(0, &node->state, 1);
    }
}

static void setup(void)
{
    for (uint32_t i = 0; i < current.request_count; i++) {
        const struct request *r = &current.requests[i];
        clew_request(r->to, r->type, &r->letter, sizeof r->letter);
    }
}

static void start(void *state)
{
    ((struct node *)state)->timers_left = 2;
}

static void message(void *state, const struct clew_message *m)
{
    struct node *node = state;
    react(node, &current.reactions[clew_self()][node->state][m->type],
          ((const struct letter *)m->bytes)->strength);
}

static void timer(void *state, int which)
{
    struct node *node = state;
    (void)which;
    react(node, &current.on_timer[clew_self()][node->state], 0);
}

static void written(void *state, uint32_t ticket, bool is_failed)
{
    struct node *node = state;
    (void)ticket;
    node->state = (uint8_t)((node->state + (is_failed ? 2 : 1)) % STATES);
    const uint8_t told = current.told[clew_self()];
    if (told < NODES_MAX && node->writes_told++ == 0) {
        clew_send(told, 0, &(struct letter){0}, sizeof(struct letter));
    }
}

static bool is_good(const struct clew_view *view)
{
    for (uint32_t i = 0; i < view->node_count; i++) {
        const struct node *node = view->states[i];
        if (node != NULL && node->state == current.bad[i]) {
            return false;
        }
    }
    return true;
}

static bool is_apart(const struct clew_view *view, const uint8_t clash[2])
{
    const struct node *first = view->states[0];
    const struct node *second = view->states[1];
    return first == NULL || second == NULL || first->state != clash[0] || second->state != clash[1];
}

static bool is_apart_here(const struct clew_view *view)
{
    return is_apart(view, current.clashes[0]);
}

static bool is_apart_there(const struct clew_view *view)
{
    return is_apart(view, current.clashes[1]);
}

static const struct clew_property properties[] = {{.name = "good", .holds = is_good},
                                                  {.name = "apart here", .holds = is_apart_here},
                                                  {.name = "apart there", .holds = is_apart_there},
                                                  {0}};

static struct reaction random_reaction(struct prng *prng, uint32_t node_count,
                                       const struct random_system_options *o)
{
    return (struct reaction){.state = (uint8_t)prng_below(prng, STATES),
                             .send_count = (uint8_t)prng_below(prng, 2),
                             .to = (uint8_t)prng_below(prng, node_count),
                             .type = (uint8_t)prng_below(prng, TYPES),
                             .sets_timer = o->has_timers && prng_below(prng, 3) == 0,
                             .cancels_timer = o->has_timers && prng_below(prng, 3) == 0,
                             .writes = o->has_disk && prng_below(prng, 3) == 0,
                             .is_unignorable = o->has_unignorable && prng_below(prng, 2) == 0};
}

const struct clew_system *random_system(struct prng *prng, const struct random_system_options *o)
{
    const uint32_t node_count = 2 + (uint32_t)prng_below(prng, NODES_MAX - 1);
    memset(&current, 0, sizeof current);
    for (uint32_t n = 0; n < node_count; n++) {
        for (uint32_t s = 0; s < STATES; s++) {
            for (uint32_t t = 0; t < TYPES; t++) {
                current.reactions[n][s][t] = random_reaction(prng, node_count, o);
            }
            current.on_timer[n][s] = random_reaction(prng, node_count, o);
        }
        /* State 0 is where all begin. */
        current.bad[n] = o->can_fail && prng_below(prng, 2) == 0
                             ? (uint8_t)(1 + prng_below(prng, STATES - 1))
                             : STATES;
    }
    for (uint32_t i = 0; i < CLASHES; i++) {
        current.clashes[i][0] = o->can_clash ? (uint8_t)prng_below(prng, STATES) : STATES;
        current.clashes[i][1] = o->can_clash ? (uint8_t)(1 + prng_below(prng, STATES - 1)) : STATES;
    }
    current.crash = o->can_crash ? (uint8_t)(1 + prng_below(prng, STATES - 1)) : STATES;
    for (uint32_t n = 0; n < node_count; n++) {
        current.told[n] = o->tells_writes ? (uint8_t)prng_below(prng, node_count) : NODES_MAX;
    }
    current.request_count = 2 + (uint32_t)prng_below(prng, REQUESTS_MAX - 1);
    for (uint32_t i = 0; i < current.request_count; i++) {
        current.requests[i] =
            (struct request){.to = (uint8_t)prng_below(prng, node_count),
                             .type = (uint8_t)prng_below(prng, TYPES),
                             .letter = {.strength = (uint8_t)prng_below(prng, 3)}};
    }
    current.system = (struct clew_system){.version = CLEW_SIM_VERSION,
                                          .size = sizeof(struct clew_system),
                                          .name = "random",
                                          .node_count = node_count,
                                          .messages = messages,
                                          .timers = o->has_timers ? timers : NULL,
                                          .state_size = sizeof(struct node),
                                          .disk_size = o->has_disk ? 1 : 0,
                                          .setup = setup,
                                          .start = start,
                                          .message = message,
                                          .timer = timer,
                                          .written = written,
                                          .properties = properties};
    return &current.system;
}
