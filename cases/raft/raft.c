/* The nodes of Raft. What a node promises is on its disk before anybody hears of it: messages wait
 * in an outbox until all writes under way are done. */
#include "raft.h"

#include <assert.h>
#include <string.h>

enum { TICK = 30, DEMI_BATCH = 5 };

struct bugs bugs;

bool has_demi_shape(void)
{
    return choices.demi != 0 || bugs.forgets_vote || bugs.begins_leading_late;
}

static uint32_t self(void)
{
    return (uint32_t)clew_self() + 1;
}

static uint32_t bit(uint32_t node)
{
    return UINT32_C(1) << node;
}

static uint32_t member_count(const struct node *node)
{
    return (uint32_t)__builtin_popcount(node->members);
}

static bool is_quorum(const struct node *node, uint32_t count)
{
    return count > member_count(node) / 2;
}

static bool is_peer(const struct node *node, uint32_t other)
{
    return other != self() && (node->members & bit(other)) != 0;
}

/* The log */

const struct entry *raft_entry(const struct node *node, uint32_t index)
{
    return index >= 1 && index <= node->durable.count ? &node->durable.log[index - 1] : NULL;
}

/* 0 before the first entry, and where there is none. */
static uint32_t term_at(const struct node *node, uint32_t index)
{
    const struct entry *entry = raft_entry(node, index);
    return entry == NULL ? 0 : entry->term;
}

/* The disk and the outbox */

static void save(struct node *node)
{
    node->is_changed = !has_demi_shape();
}

static size_t packet_size(const struct packet *p)
{
    return offsetof(struct packet, entries) + p->entry_count * sizeof p->entries[0];
}

static void post(struct node *node, uint32_t to, enum message_type type, struct packet p)
{
    p.origin = p.origin == NOBODY ? self() : p.origin;
    if (!node->is_changed && node->write_count == 0) {
        clew_send((int)to - 1, type, &p, packet_size(&p));
        return;
    }
    struct letter *letter = clew_alloc(sizeof *letter);
    *letter = (struct letter){.to = to, .type = type, .packet = p};
    *(node->outbox == NULL ? &node->outbox : &node->outbox_last->next) = letter;
    node->outbox_last = letter;
}

static void send_outbox(struct node *node)
{
    while (node->outbox != NULL) {
        struct letter *letter = node->outbox;
        clew_send((int)letter->to - 1, letter->type, &letter->packet, packet_size(&letter->packet));
        node->outbox = letter->next;
        clew_free(letter);
    }
}

/* At the end of each handler: all that changed in one write, which is there whole or not at all. */
static void settle(struct node *node)
{
    if (node->is_changed) {
        const struct durable *d = &node->durable;
        (void)clew_disk_write(0, d, offsetof(struct durable, log) + d->count * sizeof d->log[0]);
        node->write_count++;
        node->is_changed = false;
    }
}

/* Roles */

/* So many ticks without a word from a leader, and a bit more at times. */
static void await_leader(struct node *node)
{
    node->patience = choices.patience + (uint32_t)clew_random(choices.patience);
    clew_timer_set(ELECTION_TIMER, TICK + clew_random(TICK));
}

/* Commands that came while there was no leader go to it. */
static void hand_on_waiting(struct node *node)
{
    for (uint32_t i = 0; i < node->waiting_count; i++) {
        post(node, node->leader, COMMAND, (struct packet){.number = node->waiting[i]});
    }
    node->waiting_count = 0;
}

static void follow(struct node *node, uint32_t term, uint32_t leader)
{
    if (term > node->durable.term) {
        node->durable.term = term;
        node->durable.vote = NOBODY;
        save(node);
    } else if (bugs.forgets_vote && node->role == CANDIDATE) {
        node->durable.vote = NOBODY;
        save(node);
    }
    node->role = FOLLOWER;
    node->leader = leader;
    clew_timer_cancel(RESEND_TIMER);
    await_leader(node);
    if (leader != NOBODY) {
        hand_on_waiting(node);
    }
}

/* Leading */

/* Entries from the next one of the peer on; none, when it has all, says only who leads. */
static void replicate(struct node *node, uint32_t peer)
{
    const uint32_t first = node->next[peer];
    assert(first >= 1 && first <= node->durable.count + 1);
    struct packet p = {.term = node->durable.term,
                       .first = first,
                       .index = first - 1,
                       .index_term = term_at(node, first - 1),
                       .commit = node->commit};
    if (bugs.counts_entries_from_0) {
        p.index = p.index > 0 ? p.index - 1 : 0;
    }
    const uint32_t batch = has_demi_shape() ? DEMI_BATCH : ENTRIES_MAX;
    for (uint32_t i = first; i <= node->durable.count && p.entry_count < batch; i++) {
        if (has_demi_shape() && term_at(node, i) != term_at(node, first)) {
            break;
        }
        p.entries[p.entry_count++] = *raft_entry(node, i);
    }
    post(node, peer, APPEND, p);
}

static void replicate_all(struct node *node)
{
    for (uint32_t i = 1; i <= choices.nodes; i++) {
        if (is_peer(node, i)) {
            replicate(node, i);
        }
    }
}

static void add_entry(struct node *node, uint32_t command)
{
    if (node->durable.count < LOG_MAX) {
        node->durable.log[node->durable.count++] =
            (struct entry){.term = node->durable.term, .command = command};
        save(node);
    }
}

/* All peers are taken to have everything, until they say otherwise. */
static void assume_all_replicated(struct node *node)
{
    for (uint32_t i = 1; i <= choices.nodes; i++) {
        node->next[i] = node->durable.count + 1;
        node->match[i] = 0;
    }
}

static void begin_leading(struct node *node)
{
    for (uint32_t i = 0; i < node->waiting_count; i++) {
        add_entry(node, node->waiting[i]);
    }
    node->waiting_count = 0;
    replicate_all(node);
    clew_timer_set(RESEND_TIMER, TICK);
}

static void win(struct node *node)
{
    node->role = LEADER;
    node->leader = self();
    clew_timer_cancel(ELECTION_TIMER);
    history_elected(self(), node->durable.term);
    clew_log_line("elected");
    if (!bugs.begins_leading_late) {
        assume_all_replicated(node);
    }
    if (has_demi_shape()) {
        post(node, self(), ELECTED, (struct packet){.term = node->durable.term});
    } else {
        begin_leading(node);
    }
}

static void on_elected(struct node *node, const struct packet *p)
{
    if (node->role != LEADER || p->term != node->durable.term) {
        return;
    }
    if (bugs.begins_leading_late) {
        assume_all_replicated(node);
    }
    begin_leading(node);
}

static void apply(struct node *node, uint32_t index)
{
    while (node->commit < index) {
        node->commit++;
        history_applied(self(), node->commit, raft_entry(node, node->commit));
    }
}

/* How many members match at least so far, or exactly so far. */
static uint32_t count_matching(const struct node *node, uint32_t index, bool is_exact)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i <= choices.nodes; i++) {
        const bool is_matching = is_exact ? node->match[i] == index : node->match[i] >= index;
        count += (node->members & bit(i)) != 0 && is_matching;
    }
    return count;
}

/* The last entry that a quorum has. */
static uint32_t quorum_index(const struct node *node)
{
    uint32_t index = node->durable.count;
    while (!is_quorum(node, count_matching(node, index, false))) {
        index--;
    }
    return index;
}

/* The index that most members match, the last of those. */
static uint32_t mode_index(const struct node *node)
{
    uint32_t mode = 0;
    for (uint32_t i = 1; i <= node->durable.count; i++) {
        if (count_matching(node, i, true) >= count_matching(node, mode, true)) {
            mode = i;
        }
    }
    return mode;
}

/* Only entries of the leader's own term are counted; those before them come along. */
static void advance_commit(struct node *node)
{
    node->match[self()] = node->durable.count;
    const uint32_t index = bugs.commits_the_mode ? mode_index(node) : quorum_index(node);
    if (index <= node->commit || term_at(node, index) != node->durable.term) {
        return;
    }
    for (uint32_t i = node->commit + 1; i <= index; i++) {
        history_committed(node, i);
        clew_log_line("committed");
    }
    apply(node, index);
}

static void step_back(struct node *node, uint32_t peer, uint32_t last)
{
    uint32_t next = node->next[peer] - 1;
    next = next > last + 1 ? last + 1 : next;
    node->next[peer] = next <= node->match[peer] ? node->match[peer] + 1 : next;
    replicate(node, peer);
}

static void on_appended(struct node *node, const struct packet *p)
{
    const uint32_t peer = p->origin;
    if (node->role != LEADER || p->term < node->durable.term) {
        return;
    }
    if (p->is_yes == 0) {
        step_back(node, peer, p->index);
        return;
    }
    if (p->index <= node->match[peer]) {
        return;
    }
    assert(node->next[peer] <= p->index + 1);
    node->match[peer] = p->index;
    node->next[peer] = p->index + 1;
    advance_commit(node);
    if (node->next[peer] <= node->durable.count) {
        replicate(node, peer);
    }
}

/* Elections */

static void count_vote(struct node *node, uint32_t voter)
{
    node->voters |= bit(voter);
    node->votes =
        bugs.counts_votes_twice ? node->votes + 1 : (uint32_t)__builtin_popcount(node->voters);
    if (is_quorum(node, node->votes)) {
        win(node);
    }
}

/* Asks all who have not voted for it; again, when answers stay away. */
static void ask_for_votes(struct node *node)
{
    const uint32_t last = node->durable.count;
    for (uint32_t i = 1; i <= choices.nodes; i++) {
        if (is_peer(node, i) && (node->voters & bit(i)) == 0) {
            post(node, i, REQUEST_VOTE,
                 (struct packet){
                     .term = node->durable.term, .index = last, .index_term = term_at(node, last)});
        }
    }
}

static void on_begin_election(struct node *node)
{
    if (node->role != CANDIDATE || (node->durable.vote != NOBODY && node->durable.vote != self())) {
        return;
    }
    if (node->durable.vote == NOBODY) {
        node->durable.vote = self();
        save(node);
        count_vote(node, self());
    }
    ask_for_votes(node);
}

/* The term goes to the disk with the vote. */
static void stand_for_election(struct node *node)
{
    node->role = CANDIDATE;
    node->leader = NOBODY;
    node->durable.term++;
    node->durable.vote = NOBODY;
    node->voters = 0;
    node->votes = 0;
    await_leader(node);
    if (has_demi_shape()) {
        post(node, self(), BEGIN_ELECTION, (struct packet){0});
    } else {
        clew_timer_set(RESEND_TIMER, TICK);
        on_begin_election(node);
    }
}

/* A log is as good as another when its last entry is of a later term, or it is as long. */
static bool is_up_to_date(const struct node *node, const struct packet *p)
{
    const uint32_t own_term = term_at(node, node->durable.count);
    return p->index_term > own_term ||
           (p->index_term == own_term && p->index >= node->durable.count);
}

static void on_request_vote(struct node *node, const struct packet *p)
{
    const bool is_free = node->durable.vote == NOBODY || node->durable.vote == p->origin;
    const bool is_granted = p->term == node->durable.term && is_free && is_up_to_date(node, p);
    if (is_granted) {
        node->durable.vote = p->origin;
        save(node);
        await_leader(node);
    }
    post(node, p->origin, VOTE, (struct packet){.term = node->durable.term, .is_yes = is_granted});
}

static void on_vote(struct node *node, const struct packet *p)
{
    const bool is_old = p->term < node->durable.term && !bugs.takes_old_votes;
    if (node->role == CANDIDATE && !is_old && p->is_yes != 0) {
        count_vote(node, p->origin);
    }
}

/* Following */

/* Whether the log has what the leader's has before the entries it sends. */
static bool fits(const struct node *node, const struct packet *p)
{
    if (bugs.counts_entries_from_0) {
        return p->index == 0 || term_at(node, p->index + 1) == p->index_term;
    }
    return p->index <= node->durable.count && term_at(node, p->index) == p->index_term;
}

/* Entries that are there already stay, with all behind them: the message may be an old one. */
static void store(struct node *node, const struct packet *p)
{
    struct durable *d = &node->durable;
    for (uint32_t i = 0; i < p->entry_count; i++) {
        const uint32_t index = p->first + i;
        const bool is_there =
            term_at(node, index) == p->entries[i].term && !bugs.overwrites_what_matches;
        if (!is_there) {
            d->count = index <= d->count ? index - 1 : d->count;
            d->log[d->count++] = p->entries[i];
            save(node);
        }
    }
}

static void on_append(struct node *node, const struct packet *p)
{
    struct packet reply = {.term = node->durable.term, .index = node->durable.count};
    if (p->term == node->durable.term) {
        follow(node, p->term, p->origin);
        reply.is_yes = fits(node, p);
    }
    if (reply.is_yes != 0) {
        store(node, p);
        reply.index = p->first + p->entry_count - 1;
        apply(node, p->commit < reply.index ? p->commit : reply.index);
    }
    post(node, p->origin, APPENDED, reply);
}

/* What happens to a node */

/* Who is no member takes no part. */
static void on_bootstrap(struct node *node, const struct packet *p)
{
    if ((p->number & bit(self())) != 0) {
        node->members = p->number;
        await_leader(node);
    }
}

/* Commands that others handed on are not handed on again: they could go round and round. In DEMi's
 * shape a client is sent away when there is no leader. */
static void on_command(struct node *node, const struct packet *p, bool is_from_client)
{
    if (node->role == LEADER) {
        add_entry(node, p->number);
        replicate_all(node);
    } else if (node->leader != NOBODY && is_from_client) {
        post(node, node->leader, COMMAND, *p);
    } else if (!has_demi_shape() && node->waiting_count < LOG_MAX) {
        node->waiting[node->waiting_count++] = p->number;
    }
}

/* Messages between nodes, all of which have a term. */
static void on_packet(struct node *node, enum message_type type, const struct packet *p)
{
    if (p->term > node->durable.term) {
        follow(node, p->term, NOBODY);
        if (has_demi_shape()) {
            post(node, self(), type, *p);
            return;
        }
    }
    switch (type) {
    case REQUEST_VOTE: on_request_vote(node, p); return;
    case VOTE: on_vote(node, p); return;
    case APPEND: on_append(node, p); return;
    case APPENDED: on_appended(node, p); return;
    case BOOTSTRAP:
    case COMMAND:
    case BEGIN_ELECTION:
    case ELECTED: return;
    }
}

void raft_message(void *state, const struct clew_message *m)
{
    struct node *node = state;
    struct packet p = {0};
    memcpy(&p, m->bytes, m->size < sizeof p ? m->size : sizeof p);
    const enum message_type type = (enum message_type)m->type;
    if (type == BOOTSTRAP) {
        on_bootstrap(node, &p);
    } else if (type == COMMAND) {
        on_command(node, &p, m->from == CLEW_CLIENT);
    } else if (type == BEGIN_ELECTION) {
        on_begin_election(node);
    } else if (type == ELECTED) {
        on_elected(node, &p);
    } else if (node->members != 0) {
        on_packet(node, type, &p);
    }
    settle(node);
}

void raft_timer(void *state, int timer)
{
    struct node *node = state;
    if (timer == ELECTION_TIMER && --node->patience > 0) {
        clew_timer_set(ELECTION_TIMER, TICK);
    } else if (timer == ELECTION_TIMER) {
        stand_for_election(node);
    } else if (node->role == LEADER) {
        replicate_all(node);
        clew_timer_set(RESEND_TIMER, TICK);
    } else if (node->role == CANDIDATE) {
        ask_for_votes(node);
        clew_timer_set(RESEND_TIMER, TICK);
    }
    settle(node);
}

/* A write that fails is made again; later ones hold all that it had. */
void raft_written(void *state, uint32_t ticket, bool is_failed)
{
    struct node *node = state;
    (void)ticket;
    node->write_count--;
    if (is_failed && node->write_count == 0) {
        save(node);
        settle(node);
    } else if (node->write_count == 0) {
        send_outbox(node);
    }
}

void raft_start(void *state)
{
    struct node *node = state;
    for (uint32_t i = 1; i <= choices.nodes; i++) {
        node->next[i] = 1;
        node->members |= has_demi_shape() ? 0 : bit(i);
    }
    if (!has_demi_shape()) {
        await_leader(node);
    }
}

/* Without a disk a node does not come back: nobody tells it the members again. */
void raft_restart(void *state)
{
    struct node *node = state;
    if (!has_demi_shape()) {
        clew_disk_read(0, &node->durable, sizeof node->durable);
    }
    raft_start(state);
}
