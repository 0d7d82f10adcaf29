/* The four promises of Raft (figure 3 of its paper), checked after each step on the server that has
 * taken it. What was ever seen is remembered here: leaders of terms, logs up to an entry, committed
 * entries, applied commands. A log up to an entry is one number, in which each entry depends on all
 * before it, so that equal numbers are equal prefixes. */
#include <stdio.h>
#include <string.h>

#include "server.h"

enum { TERMS_MAX = 64, RIVALS_MAX = 8 };

enum claim {
    NOTHING_BROKEN,
    ELECTION_SAFETY,
    LOG_MATCHING,
    LEADER_COMPLETENESS,
    STATE_MACHINE_SAFETY,
    AVAILABILITY,
    ANSWERS,
    ADDRESSES,
    CONFIGURATION,
};

struct leader {
    raft_term term;
    raft_id server;
};

/* A log up to some entry, known by that entry's term. */
struct prefix {
    raft_term term;
    uint64_t hash;
};

static struct {
    enum claim broken; /* the first that was */
    char how[120];
    struct leader leaders[TERMS_MAX];                /* of the last terms that had one */
    struct prefix prefixes[LOG_MAX + 1][RIVALS_MAX]; /* all that were seen up to an index */
    struct prefix committed[LOG_MAX + 1];            /* with the term in which it was committed */
    raft_index commit_index;
    uint64_t commands[LOG_MAX]; /* as state machines got them */
    uint32_t command_count;
} seen;

#define BREAK(claim, ...)                                           \
    do {                                                            \
        if (seen.broken == NOTHING_BROKEN) {                        \
            seen.broken = (claim);                                  \
            (void)snprintf(seen.how, sizeof seen.how, __VA_ARGS__); \
        }                                                           \
    } while (0)

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_entry(uint64_t before, const struct raft_entry *entry)
{
    uint64_t hash = mix(mix(before, entry->term), entry->type);
    for (size_t i = 0; i < entry->buf.len; i += sizeof hash) {
        const size_t left = entry->buf.len - i;
        uint64_t word = 0;
        memcpy(&word, (const char *)entry->buf.base + i, left < sizeof word ? left : sizeof word);
        hash = mix(hash, word);
    }
    return hash;
}

/* At most one leader is elected in a term. */
static void check_election(const struct server *s)
{
    const struct leader own = {.term = s->raft.current_term, .server = s->raft.id};
    struct leader *known = &seen.leaders[own.term % TERMS_MAX];
    if (known->term < own.term) {
        *known = own;
        clew_log_line("elected");
    } else if (known->term == own.term && known->server != own.server) {
        BREAK(ELECTION_SAFETY, "both %llu and %llu lead in term %llu", known->server, own.server,
              own.term);
    }
}

/* Two logs with the same entry at an index are the same up to there. */
static void check_prefix(const struct server *s, raft_index index, raft_term term, uint64_t hash)
{
    struct prefix *known = seen.prefixes[index];
    uint32_t i = 0;
    while (i < RIVALS_MAX && known[i].term != term && known[i].term != 0) {
        i++;
    }
    if (i == RIVALS_MAX) {
        return;
    }
    if (known[i].term == 0) {
        known[i] = (struct prefix){.term = term, .hash = hash};
    } else if (known[i].hash != hash) {
        BREAK(LOG_MATCHING,
              "the log of %llu up to entry %llu of term %llu is not what it was elsewhere",
              s->raft.id, index, term);
    }
}

/* What is committed is committed for ever, and everywhere the same. */
static void check_commit(const struct server *s)
{
    const raft_index index = s->raft.commit_index;
    for (raft_index i = seen.commit_index + 1; i <= index; i++) {
        seen.committed[i] = (struct prefix){.term = s->raft.current_term, .hash = s->chain[i]};
        seen.commit_index = i;
    }
    if (index > 0 && index >= s->chain_first && seen.committed[index].hash != s->chain[index]) {
        BREAK(STATE_MACHINE_SAFETY,
              "%llu has committed another entry %llu than was committed before", s->raft.id, index);
    }
}

/* A leader has all that was committed in the terms before its own. */
static void check_leader(const struct server *s, raft_index last)
{
    raft_index index = seen.commit_index;
    while (index > 0 && seen.committed[index].term >= s->raft.current_term) {
        index--;
    }
    if (index > last ||
        (index > 0 && index >= s->chain_first && s->chain[index] != seen.committed[index].hash)) {
        BREAK(LEADER_COMPLETENESS,
              "%llu leads in term %llu without entry %llu, committed in term %llu", s->raft.id,
              s->raft.current_term, index, seen.committed[index].term);
    }
}

/* Hashes the log. Of entries that a snapshot has replaced the hash is the one computed before. */
static raft_index chain_up(struct server *s)
{
    const raft_index last = server_last(s);
    const raft_index begin = s->raft.log.offset;
    s->chain_first = s->chain_first > begin ? s->chain_first : begin;
    for (raft_index i = s->chain_first + 1; i <= last; i++) {
        const struct raft_entry *entry = server_entry(s, i);
        s->chain[i] = hash_entry(s->chain[i - 1], entry);
        check_prefix(s, i, entry->term, s->chain[i]);
    }
    return last;
}

uint32_t witness_looks_at_configurations;

static bool is_in_force(const struct server *s, const struct raft_entry *entry)
{
    struct raft_buffer own;
    if (raft_configuration_encode(&s->raft.configuration, &own) != 0) {
        return true;
    }
    const bool is_same =
        own.len == entry->buf.len && memcmp(own.base, entry->buf.base, own.len) == 0;
    raft_free(own.base);
    return is_same;
}

/* A server uses the latest configuration in its log (section 4.1 of the dissertation). A follower
 * may use the one before while the latest is on its way to the disk. */
static void check_configuration(const struct server *s, raft_index last)
{
    raft_index newest = 0;
    for (raft_index i = last; i > s->raft.log.offset; i--) {
        const struct raft_entry *entry = server_entry(s, i);
        if (entry->type != RAFT_CHANGE) {
            continue;
        }
        newest = newest == 0 ? i : newest;
        if (is_in_force(s, entry)) {
            return;
        }
        if (i <= s->raft.last_stored) {
            BREAK(CONFIGURATION, "%llu does not use the configuration of entry %llu, its latest",
                  s->raft.id, newest);
            return;
        }
    }
}

/* A server that has given up leaves its log as it happens to be. */
void witness_look(struct server *s)
{
    if (s->raft.state == RAFT_UNAVAILABLE) {
        if (!s->is_errored) {
            BREAK(AVAILABILITY, "%llu has given up: %.80s", s->raft.id, s->raft.errmsg);
        }
        return;
    }
    const raft_index last = chain_up(s);
    check_commit(s);
    if (witness_looks_at_configurations != 0) {
        check_configuration(s, last);
    }
    if (s->raft.state == RAFT_LEADER) {
        check_election(s);
        check_leader(s, last);
    }
}

/* No two state machines get different commands at the same place. */
void witness_apply(struct server *s, uint64_t command)
{
    const uint64_t place = s->machine.command_count++;
    if (place == seen.command_count && place < LOG_MAX) {
        seen.commands[seen.command_count++] = command;
        clew_log_line("applied");
    } else if (place < LOG_MAX && seen.commands[place] != command) {
        BREAK(STATE_MACHINE_SAFETY, "command %llu is %llu at %llu, and was %llu elsewhere",
              (unsigned long long)place + 1, (unsigned long long)command, s->raft.id,
              (unsigned long long)seen.commands[place]);
    }
}

void witness_snapshot(struct server *s)
{
    (void)chain_up(s);
    s->machine.index = s->raft.last_applied;
    s->machine.chain = s->chain[s->raft.last_applied];
    clew_log_line("snapshot");
}

void witness_restore(struct server *s)
{
    const struct machine *m = &s->machine;
    s->chain_first = m->index;
    s->chain[m->index] = m->chain;
    if (m->index <= seen.commit_index && seen.committed[m->index].hash != m->chain) {
        BREAK(STATE_MACHINE_SAFETY, "%llu gets another snapshot up to %llu than was committed",
              s->raft.id, (unsigned long long)m->index);
    }
    clew_log_line("restored");
}

/* What a snapshot says of the configuration is committed. */
void witness_snapshot_put(struct server *s, const struct packed_snapshot *snapshot)
{
    if (witness_looks_at_configurations != 0 && snapshot->configuration_index > snapshot->index) {
        BREAK(CONFIGURATION,
              "%llu keeps a snapshot up to %llu with the configuration of entry %llu", s->raft.id,
              (unsigned long long)snapshot->index,
              (unsigned long long)snapshot->configuration_index);
    }
    struct packed_configuration now;
    pack_configuration(&now, &s->raft.configuration);
    if (witness_looks_at_configurations != 0 &&
        s->raft.configuration_uncommitted_index > snapshot->index &&
        memcmp(&now, &snapshot->configuration, sizeof now) == 0) {
        BREAK(CONFIGURATION, "%llu keeps an uncommitted configuration in its snapshot up to %llu",
              s->raft.id, (unsigned long long)snapshot->index);
    }
}

void witness_stray(struct server *s)
{
    BREAK(ADDRESSES, "%llu answers a leader in term %llu although it follows none", s->raft.id,
          s->raft.current_term);
}

void witness_answer(struct server *s, uint64_t command, uint64_t result)
{
    if (result != command) {
        BREAK(ANSWERS, "%llu answers command %llu with the result of command %llu", s->raft.id,
              (unsigned long long)command, (unsigned long long)result);
    }
}

static bool is_kept(const struct clew_view *view, enum claim claim)
{
    return seen.broken != claim || clew_broken(view, "%s", seen.how);
}

static bool election_safety(const struct clew_view *view)
{
    return is_kept(view, ELECTION_SAFETY);
}

static bool log_matching(const struct clew_view *view)
{
    return is_kept(view, LOG_MATCHING);
}

static bool leader_completeness(const struct clew_view *view)
{
    return is_kept(view, LEADER_COMPLETENESS);
}

static bool state_machine_safety(const struct clew_view *view)
{
    return is_kept(view, STATE_MACHINE_SAFETY);
}

/* Nothing that struct raft_io does here fails, so no server has a reason to give up. */
static bool availability(const struct clew_view *view)
{
    return is_kept(view, AVAILABILITY);
}

static bool answers(const struct clew_view *view)
{
    return is_kept(view, ANSWERS);
}

static bool addresses(const struct clew_view *view)
{
    return is_kept(view, ADDRESSES);
}

static bool configuration(const struct clew_view *view)
{
    return is_kept(view, CONFIGURATION);
}

const struct clew_property witness_properties[] = {
    {.name = "election safety", .holds = election_safety},
    {.name = "log matching", .holds = log_matching},
    {.name = "leader completeness", .holds = leader_completeness},
    {.name = "state machine safety", .holds = state_machine_safety},
    {.name = "availability", .holds = availability},
    {.name = "answers", .holds = answers},
    {.name = "addresses", .holds = addresses},
    {.name = "configuration", .holds = configuration},
    {0},
};
