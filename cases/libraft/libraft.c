/* The C Raft library that Debian ships (libraft-dev), unmodified, as a simulated cluster: 3
 * servers, or up to 5 with --set servers=5; with --set changes=N an operator changes the
 * configuration and transfers leadership. The README says what was found.
 *
 *     clew explore build/cases/libraft.so
 */
#include <stdio.h>

#include "server.h"

enum { TICK, CLIENT };
static const char *const timers[] = {"tick", "client", NULL};
static const char *const messages[] = {"append",   "append-result", "vote",    "vote-result",
                                       "snapshot", "timeout-now",   "operate", NULL};
enum { OPERATE = 6 };

enum { CLIENT_PERIOD = 30 };

static uint32_t server_count = 3;
static uint32_t voter_count; /* that the cluster begins with; 0: all */
static uint32_t patience = 4;
static uint32_t pre_vote;
static uint32_t command_max = COMMAND_MAX;
static uint32_t retries;
static uint32_t snapshot_threshold; /* 0: no snapshots */
static uint32_t snapshot_trailing = 2;
static uint32_t change_count;
static uint32_t transfers = 1;
static uint32_t skew;

/* Of this run. */
static uint32_t command_count;       /* that clients have asked for */
static uint64_t failed[COMMAND_MAX]; /* commands to be asked for again */
static uint32_t failed_count;

raft_index server_last(const struct server *s)
{
    const struct raft_log *log = &s->raft.log;
    return log->offset +
           (log->back >= log->front ? log->back - log->front : log->size - log->front + log->back);
}

const struct raft_entry *server_entry(const struct server *s, raft_index index)
{
    const struct raft_log *log = &s->raft.log;
    return &log->entries[(log->front + (size_t)(index - log->offset - 1)) % log->size];
}

/* The rest of struct raft_io */

static int io_init(struct raft_io *io, raft_id id, const char *address)
{
    (void)io;
    (void)id;
    (void)address;
    return 0;
}

static void io_close(struct raft_io *io, raft_io_close_cb cb)
{
    if (cb != NULL) {
        cb(io);
    }
}

static int io_start(struct raft_io *io, unsigned msecs, raft_io_tick_cb tick, raft_io_recv_cb recv)
{
    struct server *s = io->impl;
    (void)msecs;
    s->tick = tick;
    s->recv = recv;
    return 0;
}

static int io_recover(struct raft_io *io, const struct raft_configuration *conf)
{
    (void)io;
    (void)conf;
    return RAFT_INVALID;
}

static raft_time io_time(struct raft_io *io)
{
    (void)io;
    return clew_now();
}

static int io_random(struct raft_io *io, int min, int max)
{
    (void)io;
    return min + (max > min ? (int)clew_random((uint64_t)(max - min)) : 0);
}

static const struct raft_io io_template = {.version = 2,
                                           .init = io_init,
                                           .close = io_close,
                                           .load = store_load,
                                           .start = io_start,
                                           .bootstrap = store_bootstrap,
                                           .recover = io_recover,
                                           .set_term = store_set_term,
                                           .set_vote = store_set_vote,
                                           .send = net_send,
                                           .append = store_append,
                                           .truncate = store_truncate,
                                           .snapshot_put = store_snapshot_put,
                                           .snapshot_get = store_snapshot_get,
                                           .time = io_time,
                                           .random = io_random,
                                           .async_work = store_async_work};

/* The state machine: the witness sees what it gets, and it answers with the command. */

static int fsm_apply(struct raft_fsm *fsm, const struct raft_buffer *buf, void **result)
{
    const uint64_t command = *(const uint64_t *)buf->base;
    witness_apply(fsm->data, command);
    *result = (void *)(uintptr_t)command;
    return 0;
}

static int fsm_snapshot(struct raft_fsm *fsm, struct raft_buffer *bufs[], unsigned *n_bufs)
{
    struct server *s = fsm->data;
    witness_snapshot(s);
    *n_bufs = 1;
    *bufs = raft_malloc(sizeof **bufs);
    **bufs = (struct raft_buffer){.base = pack_machine(&s->machine), .len = sizeof s->machine};
    return 0;
}

static int fsm_restore(struct raft_fsm *fsm, struct raft_buffer *buf)
{
    struct server *s = fsm->data;
    if (buf->len != sizeof s->machine) {
        clew_fail("a snapshot is one machine");
    }
    s->machine = *(const struct machine *)buf->base;
    raft_free(buf->base);
    witness_restore(s);
    return 0;
}

/* When the next tick is due. Of those that find nothing to do most are left out, but not all: a
 * simulated timer fires however late all messages are, and a server that has to wait for some ticks
 * gives them time to come. */
static raft_time next_tick(const struct server *s)
{
    const struct raft *raft = &s->raft;
    const raft_time period = raft->heartbeat_timeout;
    raft_time due = clew_now() + 1;
    if (raft->state == RAFT_FOLLOWER) {
        due = raft->election_timer_start + raft->follower_state.randomized_election_timeout;
    } else if (raft->state == RAFT_CANDIDATE) {
        due = raft->election_timer_start + raft->candidate_state.randomized_election_timeout;
    }
    const raft_time wait = raft->election_timeout / patience;
    due = due > clew_now() ? due : clew_now() + 1;
    due = due < clew_now() + wait ? due : clew_now() + wait;
    return (due + period - 1) / period * period;
}

/* After each step: the operator acts, what was sent is on its way, the witness looks, timers are
 * set. */
static void settle(struct server *s)
{
    operator_act(s);
    store_settle(s);
    net_complete(s);
    witness_look(s);
    const raft_time due = next_tick(s);
    if (due != s->tick_at) {
        s->tick_at = due;
        clew_timer_set(TICK, due - clew_now());
    }
    const bool is_leader = s->raft.state == RAFT_LEADER;
    if (is_leader && !s->is_asking && (command_count < command_max || failed_count > 0)) {
        s->is_asking = true;
        clew_timer_set(CLIENT, CLIENT_PERIOD);
    }
}

static void bootstrap(struct server *s)
{
    struct raft_configuration conf;
    raft_configuration_init(&conf);
    for (uint32_t i = 1; i <= voter_count; i++) {
        char address[4] = {(char)('0' + i)};
        (void)raft_configuration_add(&conf, i, address, RAFT_VOTER);
    }
    if (raft_bootstrap(&s->raft, &conf) != 0) {
        clew_fail("raft_bootstrap() succeeds");
    }
    raft_configuration_close(&conf);
}

static void begin(struct server *s, bool is_again)
{
    raft_heap_set(&node_heap);
    s->io = io_template;
    s->io.impl = s;
    s->fsm = (struct raft_fsm){.version = 1,
                               .data = s,
                               .apply = fsm_apply,
                               .snapshot = fsm_snapshot,
                               .restore = fsm_restore};
    s->address[0] = (char)('1' + clew_self());
    if (raft_init(&s->raft, &s->io, &s->fsm, (raft_id)clew_self() + 1, s->address) != 0) {
        clew_fail("raft_init() succeeds");
    }
    raft_set_snapshot_threshold(&s->raft, snapshot_threshold == 0 ? 1u << 30 : snapshot_threshold);
    raft_set_snapshot_trailing(&s->raft, snapshot_trailing);
    raft_set_pre_vote(&s->raft, pre_vote != 0);
    if (!is_again && (uint32_t)clew_self() < voter_count) {
        bootstrap(s);
    }
    if (raft_start(&s->raft) != 0) {
        clew_fail("raft_start() succeeds");
    }
    settle(s);
}

static void start(void *state)
{
    begin(state, false);
}

static void restart(void *state)
{
    net_restart();
    begin(state, true);
}

static void message(void *state, const struct clew_message *m)
{
    if (m->type == OPERATE) {
        operator_ask(state, m);
    } else {
        net_receive(state, m);
    }
    settle(state);
}

static void written(void *state, uint32_t ticket, bool is_failed)
{
    (void)ticket;
    store_written(state, is_failed);
    settle(state);
}

/* What a client waits for. */
struct call {
    struct raft_apply request; /* first */
    struct server *server;
    uint64_t command;
};

/* A client whose command failed does not know whether it was applied, and may ask again. */
static void answer(struct raft_apply *req, int status, void *result)
{
    struct call *call = (struct call *)req;
    if (status == 0) {
        witness_answer(call->server, call->command, (uint64_t)(uintptr_t)result);
    } else if (retries != 0 && failed_count < COMMAND_MAX) {
        failed[failed_count++] = call->command;
    }
    raft_free(call);
}

/* A client asks for one more command; those who do not lead any more refuse. */
static void ask(struct server *s)
{
    struct call *call = raft_calloc(1, sizeof *call);
    struct raft_buffer buf = {.base = raft_malloc(sizeof(uint64_t)), .len = sizeof(uint64_t)};
    const bool is_again = failed_count > 0;
    call->server = s;
    call->command = is_again ? failed[failed_count - 1] : command_count + 1;
    *(uint64_t *)buf.base = call->command;
    if (raft_apply(&s->raft, &call->request, &buf, 1, answer) != 0) {
        raft_free(buf.base);
        raft_free(call);
    } else if (is_again) {
        failed_count--;
    } else {
        command_count++;
    }
}

/* A follower that is the only voter leads after its timeout, in the same term. Repaired, it begins
 * a term and votes for itself. */
static void begin_term(struct server *s)
{
    struct raft *raft = &s->raft;
    const raft_time due =
        raft->election_timer_start + raft->follower_state.randomized_election_timeout;
    struct packed_configuration configuration;
    pack_configuration(&configuration, &raft->configuration);
    if (net_repairs >= 3 && raft->state == RAFT_FOLLOWER && clew_now() >= due &&
        configuration_is_alone(&configuration, raft->id)) {
        raft->current_term++;
        raft->voted_for = raft->id;
        (void)store_set_term(&s->io, raft->current_term);
        (void)store_set_vote(&s->io, raft->id);
    }
}

static void timer(void *state, int timer)
{
    struct server *s = state;
    if (timer == TICK) {
        s->tick_at = 0;
        begin_term(s);
        s->tick(&s->io);
    } else {
        s->is_asking = false;
        ask(s);
    }
    settle(s);
}

static void describe(const void *state, char *text, size_t size)
{
    static const char *const roles[] = {"unavailable", "follower", "candidate", "leader"};
    const struct server *s = state;
    char members[2 * SERVERS_MAX + 1] = "";
    for (unsigned i = 0; i < s->raft.configuration.n && i < SERVERS_MAX; i++) {
        const struct raft_server *member = &s->raft.configuration.servers[i];
        members[2 * i] = "svp"[member->role];
        members[2 * i + 1] = (char)('0' + member->id);
    }
    (void)snprintf(text, size,
                   "%s, term %llu, vote %llu, log %llu, committed %llu, applied %llu, %s",
                   roles[s->raft.state], s->raft.current_term, s->raft.voted_for, server_last(s),
                   s->raft.commit_index, (unsigned long long)s->machine.command_count, members);
}

static const struct clew_setting settings[] = {
    {.name = "servers",
     .about = "how many servers there are",
     .value = &server_count,
     .least = 1,
     .most = SERVERS_MAX},
    {.name = "voters",
     .about = "how many of them are voters at first; 0: all",
     .value = &voter_count,
     .most = SERVERS_MAX},
    {.name = "changes",
     .about = "requests of the operator in a run",
     .value = &change_count,
     .most = 40},
    {.name = "transfers",
     .about = "0: the operator changes the configuration only",
     .value = &transfers,
     .most = 1},
    {.name = "snapshot",
     .about = "entries between two snapshots; 0: none is taken",
     .value = &snapshot_threshold,
     .most = LOG_MAX},
    {.name = "trailing",
     .about = "entries that are kept behind a snapshot",
     .value = &snapshot_trailing,
     .least = 1,
     .most = LOG_MAX},
    {.name = "retries",
     .about = "1: clients ask again for what failed",
     .value = &retries,
     .most = 1},
    {.name = "skew",
     .about = "by how many ms the clocks of servers differ at most; 0: by any",
     .value = &skew,
     .most = 100000},
    {.name = "configuration",
     .about = "1: check also that servers use the latest configuration of their logs",
     .value = &witness_looks_at_configurations,
     .most = 1},
    {.name = "commands",
     .about = "requests of clients in a run, at most",
     .value = &command_max,
     .most = COMMAND_MAX},
    {.name = "patience",
     .about = "ticks in an election timeout",
     .value = &patience,
     .least = 1,
     .most = 10},
    {.name = "pre-vote",
     .about = "1: with a round of pre-votes before each election",
     .value = &pre_vote,
     .most = 1},
    {.name = "repair",
     .about = "1: answers claim no more than was asked; 2: and leaders commit by their own term",
     .value = &net_repairs,
     .most = 12},
    {0},
};

/* Requests of the operator: what to do, with which server, in which role. */
static char config[400];

static void adjust(struct clew_system *system)
{
    voter_count = voter_count == 0 || voter_count > server_count ? server_count : voter_count;
    if (change_count == 0) {
        return;
    }
    (void)snprintf(config, sizeof config,
                   "generate:\n"
                   "  events: %u\n"
                   "  from:\n"
                   "    - {request: operate, to: any, number_size: 1, numbers: [0..%d, 1..%u, "
                   "0..2]}\n",
                   change_count, transfers != 0 ? TRANSFER : REMOVE, server_count);
    system->config = config;
}

CLEW_SYSTEM(.name = "libraft", .node_count_chosen = &server_count, .messages = messages,
            .timers = timers, .state_size = sizeof(struct server), .disk_size = STORE_SIZE,
            .start = start, .message = message, .timer = timer, .written = written,
            .restart = restart, .fingerprint = net_fingerprint, .describe = describe,
            .properties = witness_properties, .settings = settings, .adjust = adjust,
            .clock_skew_max = &skew, .faults = "crash=2,restart=2,drop=4", .net = "fifo",
            .depth = 400);
