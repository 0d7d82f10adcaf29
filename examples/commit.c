/* Two-phase commit: a coordinator asks two participants to prepare; when both vote yes it decides
 * to commit, else to abort, and tells them. What is written to disk outlives a crash.
 *
 *     clew cc --sim commit.c -o commit.so && clew explore ./commit.so
 *
 * The coordinator tells its decision while it is still being written. If it crashes just then, it
 * comes back knowing nothing and decides to abort, and a participant may hear of that first. With
 * -DFIXED it waits until the decision is on its disk. */
#include <clew/sim.h>
#include <stdio.h>

enum { COORDINATOR, PARTICIPANT_1, PARTICIPANT_2, NODE_COUNT };
static const char *const nodes[] = {"coordinator", "alice", "bob"};

enum { PREPARE, VOTE, DECIDE, ASK };
static const char *const messages[] = {"prepare", "vote", "decide", "ask", NULL};

enum progress { NOTHING, PREPARED, ABORTED, COMMITTED };

/* What is on the disk: an enum progress. */
struct node {
    enum progress progress;
    enum progress deciding; /* what is being written (coordinator) */
    int votes;
};

static bool is_decided(const struct node *node)
{
    return node->progress == ABORTED || node->progress == COMMITTED;
}

static void tell(int to, enum progress decision)
{
    clew_send(to, DECIDE, &decision, sizeof decision);
}

static void tell_all(enum progress decision)
{
    tell(PARTICIPANT_1, decision);
    tell(PARTICIPANT_2, decision);
}

static void write_down(enum progress progress)
{
    (void)clew_disk_write(0, &progress, sizeof progress);
}

static void decide(struct node *node, enum progress decision)
{
    node->deciding = decision;
    write_down(decision);
#ifndef FIXED
    tell_all(decision);
#endif
}

static void start(void *state)
{
    (void)state;
    if (clew_self() == COORDINATOR) {
        clew_send(PARTICIPANT_1, PREPARE, NULL, 0);
        clew_send(PARTICIPANT_2, PREPARE, NULL, 0);
    }
}

static void restart(void *state)
{
    struct node *node = state;
    clew_disk_read(0, &node->progress, sizeof node->progress);
    if (clew_self() != COORDINATOR) {
        if (node->progress == PREPARED) {
            clew_send(COORDINATOR, ASK, NULL, 0);
        }
    } else if (is_decided(node)) {
        tell_all(node->progress);
    } else {
        decide(node, ABORTED);
    }
}

static void written(void *state, uint32_t ticket, bool is_failed)
{
    struct node *node = state;
    (void)ticket;
    (void)is_failed;
    if (clew_self() != COORDINATOR) {
        if (!is_decided(node)) {
            node->progress = PREPARED;
            clew_send(COORDINATOR, VOTE, NULL, 0);
        }
        return;
    }
    node->progress = node->deciding;
#ifdef FIXED
    tell_all(node->progress);
#endif
}

/* As the coordinator hears it. */
static void coordinate(struct node *node, const struct clew_message *m)
{
    if (m->type == VOTE) {
        if (++node->votes == 2 && node->deciding == NOTHING) {
            decide(node, COMMITTED);
        }
    } else if (is_decided(node)) {
        tell(m->from, node->progress);
    } else if (node->deciding == NOTHING) {
        decide(node, ABORTED);
    }
}

static void message(void *state, const struct clew_message *m)
{
    struct node *node = state;
    if (clew_self() == COORDINATOR) {
        coordinate(node, m);
    } else if (m->type == PREPARE) {
        write_down(PREPARED);
    } else if (!is_decided(node)) {
        node->progress = *(const enum progress *)m->bytes;
    }
}

static void describe(const void *state, char *text, size_t size)
{
    static const char *const words[] = {"nothing", "prepared", "aborted", "committed"};
    (void)snprintf(text, size, "%s", words[((const struct node *)state)->progress]);
}

static bool all_or_none(const struct clew_view *view)
{
    bool has_committed = false;
    bool has_aborted = false;
    for (uint32_t i = PARTICIPANT_1; i < view->node_count; i++) {
        const struct node *node = view->states[i];
        has_committed = has_committed || (node != NULL && node->progress == COMMITTED);
        has_aborted = has_aborted || (node != NULL && node->progress == ABORTED);
    }
    return !(has_committed && has_aborted) ||
           clew_broken(view, "one participant has committed and the other has aborted");
}

static const struct clew_property properties[] = {
    {.name = "all or none", .holds = all_or_none},
    {0},
};

CLEW_SYSTEM(.name = "commit", .node_count = NODE_COUNT, .nodes = nodes, .messages = messages,
            .state_size = sizeof(struct node), .disk_size = sizeof(enum progress), .start = start,
            .message = message, .written = written, .restart = restart, .describe = describe,
            .properties = properties, .faults = "crash=1,restart=1", .net = "datagram");
