/* Raft (Ongaro and Ousterhout, "In Search of an Understandable Consensus Algorithm", 2014): what
 * the files of this case share.
 *
 *     raft.c         the nodes: elections, replication, commitment, persistence
 *     invariants.c   what must hold, and what the invariants remember of a run
 *     system.c       the system as clew explore sees it: messages, faults, bugs, settings
 *
 * Nodes are numbered from 1, so that nobody is 0; so are terms and the entries of a log. */
#ifndef RAFT_H
#define RAFT_H

#include <clew/sim.h>

enum { NOBODY = 0, NODES_MAX = 9, LOG_MAX = 256, ENTRIES_MAX = 16 };

/* What is sent. */
enum message_type {
    BOOTSTRAP,      /* from outside: who the members are */
    COMMAND,        /* from outside, or handed on to the leader */
    BEGIN_ELECTION, /* to oneself */
    REQUEST_VOTE,
    VOTE,
    ELECTED, /* to oneself */
    APPEND,
    APPENDED,
};

enum timer { ELECTION_TIMER, RESEND_TIMER };

enum role { FOLLOWER, CANDIDATE, LEADER };

struct entry {
    uint32_t term;
    uint32_t command;
};

/* All messages between nodes; what a type does not use is 0. No gaps, so that equal ones have equal
 * bytes. */
struct packet {
    uint32_t term;
    uint32_t origin;      /* who sent it first: a node may forward a message to itself */
    uint32_t is_yes;      /* vote: granted; appended: taken */
    uint32_t number;      /* command: which; bootstrap: the members, a bit each */
    uint32_t index;       /* request-vote: of the last entry; append: of the one before the first;
                             appended: of the last that matches, or when none was taken, of the last */
    uint32_t index_term;  /* of that entry */
    uint32_t first;       /* append: index of the first entry */
    uint32_t commit;      /* append: the leader's */
    uint32_t entry_count; /* append */
    struct entry entries[ENTRIES_MAX]; /* only as many as there are travel */
};

/* What outlives a crash. */
struct durable {
    uint32_t term;
    uint32_t vote; /* whom it voted for in this term */
    uint32_t count;
    struct entry log[LOG_MAX]; /* entry i is log[i - 1] */
};

/* A message that waits for the disk. */
struct letter {
    struct letter *next;
    uint32_t to;
    enum message_type type;
    struct packet packet;
};

struct node {
    struct durable durable;
    enum role role;
    uint32_t members; /* a bit each */
    uint32_t leader;  /* of this term, as far as known */
    uint32_t commit;  /* entries up to this one are applied */

    uint32_t patience; /* ticks until it stands for election */

    uint32_t voters; /* of a candidate: a bit for each that voted for it, ... */
    uint32_t votes;  /* ... and how many they are */

    uint32_t next[NODES_MAX + 1];  /* of a leader, for each node: the entry to send ... */
    uint32_t match[NODES_MAX + 1]; /* ... and the last that is known to be there */

    uint32_t waiting_count; /* commands that wait for a leader */
    uint32_t waiting[LOG_MAX];

    bool is_changed;       /* what is durable, in this handler */
    uint32_t write_count;  /* writes under way */
    struct letter *outbox; /* sent when the disk has it all, in this order */
    struct letter *outbox_last;
};

/* The mistakes that can be put in, by their names in the literature. */
struct bugs {
    bool counts_votes_twice;      /* raft-45 */
    bool takes_old_votes;         /* raft-46 */
    bool forgets_vote;            /* raft-56 */
    bool begins_leading_late;     /* raft-58a */
    bool counts_entries_from_0;   /* raft-58b */
    bool commits_the_mode;        /* raft-42 */
    bool overwrites_what_matches; /* raft-66 */
};
extern struct bugs bugs;

/* What is chosen before the first run. */
struct choices {
    uint32_t nodes;
    uint32_t commands;
    uint32_t patience; /* ticks that a node waits for a leader, at least */
    uint32_t demi;     /* 1: the shape that DEMi's Raft has */
    uint32_t shrinks;  /* 1: the members of a cluster may be fewer */
};
extern struct choices choices;

/* DEMi's Raft: an election and a leadership begin with a message to oneself, news of a higher term
 * are taken in and the message forwarded to oneself, entries travel in batches of five of one term;
 * members are told by a bootstrap message; there is no disk. */
bool has_demi_shape(void);

/* raft.c */
void raft_start(void *state);
void raft_restart(void *state);
void raft_message(void *state, const struct clew_message *m);
void raft_timer(void *state, int timer);
void raft_written(void *state, uint32_t ticket, bool is_failed);
const struct entry *raft_entry(const struct node *node, uint32_t index); /* NULL: it has none */

/* invariants.c */
void history_elected(uint32_t leader, uint32_t term);
void history_committed(const struct node *leader, uint32_t index);
void history_applied(uint32_t node, uint32_t index, const struct entry *entry);
extern const struct clew_property raft_properties[];

#endif
