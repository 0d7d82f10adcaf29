/* Cyclon (Voulgaris, Gavidia and van Steen, 2005): each node knows a few others, its view, and now
 * and then swaps some of them with the one it has known for longest, so that all stay connected.
 *
 *     clew explore build/cases/cyclon.so --bug shuffle
 *
 * A shuffle is a request and an answer, and nothing may touch the view in between: a node that
 * waits for an answer turns requests away. With the bug it serves them. */
#include <clew/sim.h>
#include <stdio.h>

enum { VIEW = 2, SWAP = 2, NODES_MAX = 64 };

enum { CYCLE, REQUEST, ANSWER, BUSY };
static const char *const messages[] = {"cycle", "request", "answer", "busy", NULL};

struct entry {
    int node;
    uint32_t age;
};

/* Some entries of a view, sent to be swapped. */
struct swap {
    uint32_t count;
    struct entry entries[SWAP];
};

struct node {
    struct entry view[VIEW];
    uint32_t cycles;     /* done */
    bool is_waiting;     /* for an answer */
    uint32_t sent[SWAP]; /* which entries of the view are being swapped */
    uint32_t sent_count;
    struct entry view_then[VIEW]; /* when it asked */
    bool is_torn;                 /* an answer found another view than the request had left */
};

static uint32_t node_count = 5;
static uint32_t cycle_count = 5;
static uint32_t goes_on;
static bool is_interrupted;

static void start(void *state)
{
    struct node *node = state;
    for (int i = 0; i < VIEW; i++) {
        node->view[i].node = (clew_self() + 1 + i) % (int)node_count;
    }
    if (cycle_count > 0) {
        clew_send(clew_self(), CYCLE, NULL, 0);
    }
}

static bool has(const struct node *node, int peer)
{
    for (int i = 0; i < VIEW; i++) {
        if (node->view[i].node == peer) {
            return true;
        }
    }
    return false;
}

static uint32_t oldest(const struct node *node)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i < VIEW; i++) {
        found = node->view[i].age > node->view[found].age ? i : found;
    }
    return found;
}

/* What comes takes the places of what goes; one's own name and what is known already do not. */
static void merge(struct node *node, const struct swap *swap, const uint32_t *places,
                  uint32_t count)
{
    uint32_t used = 0;
    clew_writes("view");
    for (uint32_t i = 0; i < swap->count && used < count; i++) {
        if (swap->entries[i].node != clew_self() && !has(node, swap->entries[i].node)) {
            node->view[places[used++]] = swap->entries[i];
        }
    }
}

/* Asks the oldest for a swap, and offers itself in its place. */
static void begin(struct node *node)
{
    clew_reads("view");
    for (int i = 0; i < VIEW; i++) {
        node->view[i].age++;
        node->view_then[i] = node->view[i];
    }
    const uint32_t peer = oldest(node);
    const uint32_t other = (peer + 1 + (uint32_t)clew_random(VIEW - 1)) % VIEW;
    const struct swap swap = {.count = SWAP, .entries = {{.node = clew_self()}, node->view[other]}};
    node->sent[0] = peer;
    node->sent[1] = other;
    node->sent_count = SWAP;
    node->is_waiting = true;
    clew_send(node->view[peer].node, REQUEST, &swap, sizeof swap);
}

static void serve(struct node *node, int from, const struct swap *swap)
{
    if (node->is_waiting && !is_interrupted) {
        clew_send(from, BUSY, NULL, 0);
        return;
    }
    clew_reads("view");
    const uint32_t first = (uint32_t)clew_random(VIEW);
    const uint32_t places[SWAP] = {first, (first + 1) % VIEW};
    const struct swap answer = {.count = SWAP,
                                .entries = {node->view[places[0]], node->view[places[1]]}};
    merge(node, swap, places, SWAP);
    clew_send(from, ANSWER, &answer, sizeof answer);
}

/* The shuffle is over, with an answer or without. */
static void end(struct node *node)
{
    node->is_waiting = false;
    if (++node->cycles < cycle_count) {
        clew_send(clew_self(), CYCLE, NULL, 0);
    } else {
        clew_log_line("cycled");
    }
}

static void accept(struct node *node, const struct swap *swap)
{
    for (int i = 0; i < VIEW; i++) {
        node->is_torn = node->is_torn || node->view[i].node != node->view_then[i].node;
    }
    merge(node, swap, node->sent, node->sent_count);
    end(node);
}

static void message(void *state, const struct clew_message *m)
{
    switch (m->type) {
    case CYCLE: begin(state); break;
    case REQUEST: serve(state, m->from, m->bytes); break;
    case ANSWER: accept(state, m->bytes); break;
    default: end(state); break;
    }
}

static void describe(const void *state, char *text, size_t size)
{
    const struct node *node = state;
    (void)snprintf(text, size, "knows %d, %d%s", node->view[0].node + 1, node->view[1].node + 1,
                   node->is_waiting ? ", waits" : "");
}

static bool view_is_kept(const struct clew_view *view)
{
    for (uint32_t i = 0; i < view->node_count; i++) {
        const struct node *node = view->states[i];
        if (node != NULL && node->is_torn && goes_on == 0) {
            return clew_broken(
                view, "the answer finds node %u with another view than it asked with", i + 1);
        }
    }
    return true;
}

static bool is_swapping(const struct clew_view *view)
{
    for (uint32_t i = 0; i < view->node_count; i++) {
        const struct node *node = view->states[i];
        if (node == NULL || node->is_waiting) {
            return true;
        }
    }
    return false;
}

/* Which nodes are known, this way or that, to those that are reached already. */
static uint64_t spread(const struct clew_view *view, uint64_t reached)
{
    uint64_t wider = reached;
    for (uint32_t i = 0; i < view->node_count; i++) {
        const struct node *node = view->states[i];
        for (int k = 0; k < VIEW; k++) {
            const uint64_t both = UINT64_C(1) << i | UINT64_C(1) << node->view[k].node;
            wider |= (wider & both) != 0 ? both : 0;
        }
    }
    return wider;
}

/* Between swaps: in their midst, messages know nodes that nobody else does. */
static bool connected(const struct clew_view *view)
{
    if (is_swapping(view)) {
        return true;
    }
    uint64_t reached = 1;
    uint64_t wider = spread(view, reached);
    while (wider != reached) {
        reached = wider;
        wider = spread(view, reached);
    }
    const int count = __builtin_popcountll(reached);
    return count == (int)view->node_count ||
           clew_broken(view, "%d of %u nodes are connected", count, view->node_count);
}

static const struct clew_property properties[] = {
    {.name = "view is kept", .holds = view_is_kept},
    {.name = "connected", .holds = connected, .is_at_rest = true},
    {0},
};

static const struct clew_bug bugs[] = {
    {"shuffle", "a node serves requests while its own is under way", &is_interrupted},
    {0},
};

static const struct clew_setting settings[] = {
    {"nodes", "how many there are", &node_count, VIEW + 1, NODES_MAX},
    {"cycles", "shuffles that each begins", &cycle_count, 0, 10000},
    {"go-on", "1: let views be torn, to see what becomes of the whole", &goes_on, 0, 1},
    {0},
};

CLEW_SYSTEM(.name = "cyclon", .node_count_chosen = &node_count, .messages = messages,
            .state_size = sizeof(struct node), .start = start, .message = message,
            .describe = describe, .properties = properties, .bugs = bugs, .settings = settings,
            .faults = "partition=1,heal=1", .depth = 20000);
