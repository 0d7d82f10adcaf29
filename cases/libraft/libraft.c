/* The C Raft library that Debian ships (libraft-dev), unmodified, as a simulated cluster: 3
 * servers, or up to 5 with --set servers=5. The README says what was found.
 *
 *     clew explore build/cases/libraft.so
 */
#include <stdio.h>

#include "server.h"

enum { TICK, CLIENT };
static const char *const timers[] = {"tick", "client", NULL};
static const char *const messages[] = {"append",   "append-result", "vote", "vote-result",
                                       "snapshot", "timeout-now",   NULL};

enum { CLIENT_PERIOD = 30 };

static uint32_t server_count = 3;
static uint32_t patience = 4;
static uint32_t pre_vote;
static uint32_t command_max = COMMAND_MAX;
static uint32_t command_count; /* asked for by clients in this run */

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

/* The log stays far below the threshold of snapshots. */
static int io_snapshot_put(struct raft_io *io, unsigned trailing, struct raft_io_snapshot_put *req,
                           const struct raft_snapshot *snapshot, raft_io_snapshot_put_cb cb)
{
    (void)io;
    (void)trailing;
    (void)req;
    (void)snapshot;
    (void)cb;
    return RAFT_INVALID;
}

static int io_snapshot_get(struct raft_io *io, struct raft_io_snapshot_get *req,
                           raft_io_snapshot_get_cb cb)
{
    (void)io;
    (void)req;
    (void)cb;
    return RAFT_INVALID;
}

static int io_async_work(struct raft_io *io, struct raft_io_async_work *req,
                         raft_io_async_work_cb cb)
{
    (void)io;
    (void)req;
    (void)cb;
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
                                           .snapshot_put = io_snapshot_put,
                                           .snapshot_get = io_snapshot_get,
                                           .time = io_time,
                                           .random = io_random,
                                           .async_work = io_async_work};

/* The state machine: what it gets is looked at, and that is all. */

static int fsm_apply(struct raft_fsm *fsm, const struct raft_buffer *buf, void **result)
{
    witness_apply(fsm->data, *(const uint64_t *)buf->base);
    *result = NULL;
    return 0;
}

static int fsm_snapshot(struct raft_fsm *fsm, struct raft_buffer *bufs[], unsigned *n_bufs)
{
    (void)fsm;
    (void)bufs;
    (void)n_bufs;
    return RAFT_INVALID;
}

static int fsm_restore(struct raft_fsm *fsm, struct raft_buffer *buf)
{
    (void)fsm;
    (void)buf;
    return RAFT_INVALID;
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

/* After each step: what was sent is on its way, the witness looks, timers are set. */
static void settle(struct server *s)
{
    net_complete(s);
    witness_look(s);
    const raft_time due = next_tick(s);
    if (due != s->tick_at) {
        s->tick_at = due;
        clew_timer_set(TICK, due - clew_now());
    }
    const bool is_leader = s->raft.state == RAFT_LEADER;
    if (is_leader && !s->is_asking && command_count < command_max) {
        s->is_asking = true;
        clew_timer_set(CLIENT, CLIENT_PERIOD);
    }
}

static void bootstrap(struct server *s)
{
    struct raft_configuration conf;
    raft_configuration_init(&conf);
    for (uint32_t i = 1; i <= server_count; i++) {
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
    raft_set_snapshot_threshold(&s->raft, 1u << 30);
    raft_set_pre_vote(&s->raft, pre_vote != 0);
    if (!is_again) {
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
    net_receive(state, m);
    settle(state);
}

static void written(void *state, uint32_t ticket, bool is_failed)
{
    (void)ticket;
    store_written(state, is_failed);
    settle(state);
}

static void applied(struct raft_apply *req, int status, void *result)
{
    (void)status;
    (void)result;
    raft_free(req);
}

/* A client asks for one more command; those who do not lead any more refuse. */
static void ask(struct server *s)
{
    struct raft_apply *req = raft_malloc(sizeof *req);
    struct raft_buffer buf = {.base = raft_malloc(sizeof(uint64_t)), .len = sizeof(uint64_t)};
    *(uint64_t *)buf.base = command_count + 1;
    if (raft_apply(&s->raft, req, &buf, 1, applied) == 0) {
        command_count++;
    } else {
        raft_free(buf.base);
        raft_free(req);
    }
}

static void timer(void *state, int timer)
{
    struct server *s = state;
    if (timer == TICK) {
        s->tick_at = 0;
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
    (void)snprintf(text, size, "%s, term %llu, vote %llu, log %llu, committed %llu, applied %u",
                   roles[s->raft.state], s->raft.current_term, s->raft.voted_for, server_last(s),
                   s->raft.commit_index, s->applied);
}

static const struct clew_setting settings[] = {
    {.name = "servers",
     .about = "how many servers there are",
     .value = &server_count,
     .least = 1,
     .most = SERVERS_MAX},
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
     .about = "1: answers claim no more than the request asked for (see the README)",
     .value = &net_repairs,
     .most = 1},
    {0},
};

CLEW_SYSTEM(.name = "libraft", .node_count_chosen = &server_count, .messages = messages,
            .timers = timers, .state_size = sizeof(struct server), .disk_size = STORE_SIZE,
            .start = start, .message = message, .timer = timer, .written = written,
            .restart = restart, .fingerprint = net_fingerprint, .describe = describe,
            .properties = witness_properties, .settings = settings,
            .faults = "crash=2,restart=2,drop=4", .net = "fifo", .depth = 400);
