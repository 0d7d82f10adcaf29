/* Raft as clew explore sees it. */
#include "raft.h"

#include <stdio.h>
#include <string.h>

/* Where commands do not wait for a leader, most are lost. */
enum { COMMANDS = 8, COMMANDS_DEMI = 40 };

struct choices choices = {.nodes = 4, .commands = COMMANDS, .patience = 6};

static const char *const messages[] = {"bootstrap",    "command",  "begin-election",
                                       "request-vote", "vote",     "elected",
                                       "append",       "appended", NULL};
static const char *const timers[] = {"election", "resend", NULL};

static const struct clew_bug raft_bugs[] = {
    {"raft-45", "a candidate counts a vote that comes twice twice", &bugs.counts_votes_twice},
    {"raft-46", "a candidate takes votes of an older term", &bugs.takes_old_votes},
    {"raft-56", "a candidate that steps down forgets whom it voted for", &bugs.forgets_vote},
    {"raft-58a", "a new leader sets up what it knows of its peers too late",
     &bugs.begins_leading_late},
    {"raft-58b", "entries are counted from 0, and a follower skips a check",
     &bugs.counts_entries_from_0},
    {"raft-42", "the commit index is the mode of what the members have, not the median",
     &bugs.commits_the_mode},
    {"raft-66", "a follower overwrites entries that match (datagrams only)",
     &bugs.overwrites_what_matches},
    {0},
};

static const struct clew_setting settings[] = {
    {"nodes", "how many there are", &choices.nodes, 2, NODES_MAX},
    {"commands", "requests from clients in a run", &choices.commands, 0, LOG_MAX},
    {"patience", "ticks that a node waits for a leader, at least", &choices.patience, 1, 100},
    {"demi", "1: the message shape of DEMi's Raft, without a disk", &choices.demi, 0, 1},
    {"shrinks", "1: clew minimize may name fewer members to all nodes", &choices.shrinks, 0, 1},
    {0},
};

static void request(uint32_t to, enum message_type type, uint32_t number)
{
    const struct packet p = {.number = number};
    clew_request((int)to, type, &p, offsetof(struct packet, entries));
}

/* The index-th way to leave members out, 0 when there is none: one of them, the last first, then
 * two, without whom a majority is one less. */
static uint32_t fewer_members(uint32_t members, uint32_t index)
{
    for (uint32_t count = 1; count <= 2; count++) {
        for (uint32_t i = choices.nodes; i > 0; i--) {
            for (uint32_t k = count == 1 ? i : i - 1; k > 0 && (count == 2 || k == i); k--) {
                const uint32_t left_out = UINT32_C(1) << i | UINT32_C(1) << k;
                if ((members & left_out) == left_out && index-- == 0) {
                    return members & ~left_out;
                }
            }
        }
    }
    return 0;
}

/* Bootstrap messages that name fewer members. */
static bool shrink(const struct clew_message *m, uint32_t index, void *bytes, size_t *size)
{
    struct packet p = {0};
    memcpy(&p, m->bytes, m->size < sizeof p ? m->size : sizeof p);
    if (choices.shrinks == 0 || m->type != BOOTSTRAP) {
        return false;
    }
    p.number = fewer_members(p.number, index);
    *size = offsetof(struct packet, entries);
    memcpy(bytes, &p, *size);
    return p.number != 0;
}

static void setup(void)
{
    for (uint32_t i = 0; has_demi_shape() && i < choices.nodes; i++) {
        request(i, BOOTSTRAP, ((UINT32_C(1) << choices.nodes) - 1) << 1);
    }
    for (uint32_t i = 0; i < choices.commands; i++) {
        request(i % choices.nodes, COMMAND, i + 1);
    }
}

/* In DEMi's shape nodes do not come back from a crash. A bug of elections alone shows early and
 * needs no commands; another needs messages that overtake each other. */
static void adjust(struct clew_system *system)
{
    if (has_demi_shape()) {
        system->faults = "none";
        choices.commands = choices.commands == COMMANDS ? COMMANDS_DEMI : choices.commands;
    }
    if (bugs.forgets_vote) {
        system->depth = 100;
        choices.commands = choices.commands == COMMANDS_DEMI ? 0 : choices.commands;
    }
    if (bugs.overwrites_what_matches) {
        system->net = "datagram";
    }
}

static void describe(const void *state, char *text, size_t size)
{
    static const char *const roles[] = {"follower", "candidate", "leader"};
    const struct node *node = state;
    const struct durable *d = &node->durable;
    int used = snprintf(text, size, "%s of term %u, voted %u, commit %u, log", roles[node->role],
                        d->term, d->vote, node->commit);
    for (uint32_t i = 0; i < d->count && used > 0 && (size_t)used < size; i++) {
        used +=
            snprintf(text + used, size - (size_t)used, " %u/%u", d->log[i].command, d->log[i].term);
    }
}

CLEW_SYSTEM(.name = "raft", .messages = messages, .timers = timers,
            .state_size = sizeof(struct node), .disk_size = sizeof(struct durable), .setup = setup,
            .start = raft_start, .restart = raft_restart, .message = raft_message,
            .timer = raft_timer, .written = raft_written, .describe = describe,
            .properties = raft_properties, .faults = "crash=2,restart=2,partition=1,heal=1",
            .depth = 350, .bugs = raft_bugs, .settings = settings,
            .node_count_chosen = &choices.nodes, .adjust = adjust, .shrink = shrink);
