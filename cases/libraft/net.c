/* Messages of libraft as bytes, and back. Only what a message says is copied, field by field: what
 * lies between its fields differs from run to run. */
#include <string.h>

#include "server.h"

/* What all kinds of messages have, by the meaning it has there. */
struct packet {
    uint64_t term;
    uint64_t index;    /* of the last or previous entry, or the one that is rejected */
    uint64_t log_term; /* of that entry */
    uint64_t commit;   /* the leader's; in results the last entry */
    uint32_t entry_count;
    uint8_t flags[4];
    uint64_t number; /* of all that were sent this way */
};

/* Messages from one server to another that are under way, at most: what comes on top is lost, as
 * it is in libraft's own network when a peer is slow. */
enum { UNDER_WAY_MAX = 6 };

static struct {
    uint64_t sent;
    uint64_t received; /* the number of the last */
} channels[SERVERS_MAX][SERVERS_MAX];

/* Followed by its bytes, in the packet. */
struct packed_entry {
    uint64_t term;
    uint32_t type;
    uint32_t size;
};

enum {
    PACKET_MAX = sizeof(struct packet) + LOG_MAX * (sizeof(struct packed_entry) + DATA_MAX),
};

static struct packet pack_head(const struct raft_message *m)
{
    switch (m->type) {
    case RAFT_IO_REQUEST_VOTE: {
        const struct raft_request_vote *v = &m->request_vote;
        return (struct packet){.term = v->term,
                               .index = v->last_log_index,
                               .log_term = v->last_log_term,
                               .flags = {v->disrupt_leader, v->pre_vote}};
    }
    case RAFT_IO_REQUEST_VOTE_RESULT: {
        const struct raft_request_vote_result *v = &m->request_vote_result;
        return (struct packet){.term = v->term, .flags = {v->vote_granted, (uint8_t)v->pre_vote}};
    }
    case RAFT_IO_APPEND_ENTRIES: {
        const struct raft_append_entries *a = &m->append_entries;
        return (struct packet){.term = a->term,
                               .index = a->prev_log_index,
                               .log_term = a->prev_log_term,
                               .commit = a->leader_commit,
                               .entry_count = a->n_entries};
    }
    case RAFT_IO_APPEND_ENTRIES_RESULT: {
        const struct raft_append_entries_result *a = &m->append_entries_result;
        return (struct packet){.term = a->term, .index = a->rejected, .commit = a->last_log_index};
    }
    case RAFT_IO_TIMEOUT_NOW: {
        const struct raft_timeout_now *t = &m->timeout_now;
        return (struct packet){
            .term = t->term, .index = t->last_log_index, .log_term = t->last_log_term};
    }
    case RAFT_IO_INSTALL_SNAPSHOT: {
        const struct raft_install_snapshot *i = &m->install_snapshot;
        return (struct packet){.term = i->term, .index = i->last_index, .log_term = i->last_term};
    }
    default: clew_fail("a message is of a known kind"); return (struct packet){0};
    }
}

static void unpack_head(struct raft_message *m, const struct packet *p)
{
    switch (m->type) {
    case RAFT_IO_REQUEST_VOTE:
        m->request_vote = (struct raft_request_vote){.term = p->term,
                                                     .candidate_id = m->server_id,
                                                     .last_log_index = p->index,
                                                     .last_log_term = p->log_term,
                                                     .disrupt_leader = p->flags[0] != 0,
                                                     .pre_vote = p->flags[1] != 0};
        break;
    case RAFT_IO_REQUEST_VOTE_RESULT:
        m->request_vote_result =
            (struct raft_request_vote_result){.term = p->term,
                                              .vote_granted = p->flags[0] != 0,
                                              .pre_vote = (raft_tribool)p->flags[1]};
        break;
    case RAFT_IO_APPEND_ENTRIES:
        m->append_entries = (struct raft_append_entries){.term = p->term,
                                                         .prev_log_index = p->index,
                                                         .prev_log_term = p->log_term,
                                                         .leader_commit = p->commit,
                                                         .n_entries = p->entry_count};
        break;
    case RAFT_IO_APPEND_ENTRIES_RESULT:
        m->append_entries_result = (struct raft_append_entries_result){
            .term = p->term, .rejected = p->index, .last_log_index = p->commit};
        break;
    case RAFT_IO_INSTALL_SNAPSHOT:
        m->install_snapshot = (struct raft_install_snapshot){
            .term = p->term, .last_index = p->index, .last_term = p->log_term};
        break;
    default:
        m->timeout_now = (struct raft_timeout_now){
            .term = p->term, .last_log_index = p->index, .last_log_term = p->log_term};
        break;
    }
}

static size_t pack_entries(unsigned char *to, const struct raft_append_entries *a)
{
    unsigned char *at = to;
    for (unsigned i = 0; i < a->n_entries; i++) {
        const struct raft_entry *entry = &a->entries[i];
        const struct packed_entry head = {
            .term = entry->term, .type = entry->type, .size = (uint32_t)entry->buf.len};
        memcpy(at, &head, sizeof head);
        memcpy(at + sizeof head, entry->buf.base, entry->buf.len);
        at += sizeof head + entry->buf.len;
    }
    return (size_t)(at - to);
}

/* All in one batch, which libraft frees with the last of them. */
static struct raft_entry *unpack_entries(const unsigned char *bytes, size_t size, unsigned count)
{
    if (count == 0) {
        return NULL;
    }
    struct raft_entry *entries = raft_calloc(count, sizeof *entries);
    unsigned char *batch = raft_malloc(size);
    unsigned char *at = memcpy(batch, bytes, size);
    for (unsigned i = 0; i < count; i++) {
        struct packed_entry head;
        memcpy(&head, at, sizeof head);
        at += sizeof head;
        entries[i] = (struct raft_entry){.term = head.term,
                                         .type = (unsigned short)head.type,
                                         .buf = {.base = at, .len = head.size},
                                         .batch = batch};
        at += head.size;
    }
    return entries;
}

static size_t pack_install(unsigned char *to, const struct raft_install_snapshot *i)
{
    struct packed_snapshot packed = {
        .index = i->last_index, .term = i->last_term, .configuration_index = i->conf_index};
    pack_configuration(&packed.configuration, &i->conf);
    memcpy(&packed.machine, i->data.base, sizeof packed.machine);
    memcpy(to, &packed, sizeof packed);
    return sizeof packed;
}

static void unpack_install(struct raft_install_snapshot *i, const unsigned char *bytes)
{
    struct packed_snapshot packed;
    memcpy(&packed, bytes, sizeof packed);
    i->conf_index = packed.configuration_index;
    unpack_configuration(&i->conf, &packed.configuration);
    i->data =
        (struct raft_buffer){.base = pack_machine(&packed.machine), .len = sizeof packed.machine};
}

uint32_t net_repairs;

/* Up to where the log agrees with the leader's, as far as its requests of this term can tell. An
 * answer that accepts claims more where older entries follow; repaired, it claims no more than
 * that. */
static void claim_matched(struct server *s, struct packet *answer)
{
    const bool is_accepting = answer->index == 0;
    if (is_accepting && s->asked > s->matched) {
        s->matched = s->asked;
    }
    s->asked = 0;
    if (net_repairs != 0 && is_accepting && answer->commit > s->matched) {
        answer->commit = s->matched;
    }
}

/* A request of the leader begins; one that is not answered at once is accepted, and answered when
 * its entries are on the disk. */
static void note_request(struct server *s, const struct packet *request)
{
    if (s->matched_term != request->term) {
        s->matched_term = request->term;
        s->matched = 0;
    }
    s->asked = request->index + request->entry_count;
}

/* Types of messages are those of libraft, which begin with 1, less one. */
static void put_on_way(struct server *s, const struct raft_message *message)
{
    const int to = (int)message->server_id - 1;
    unsigned char bytes[PACKET_MAX];
    struct packet head = pack_head(message);
    size_t size = sizeof head;
    if (message->type == RAFT_IO_APPEND_ENTRIES_RESULT) {
        claim_matched(s, &head);
    }
    if (channels[clew_self()][to].sent - channels[clew_self()][to].received >= UNDER_WAY_MAX) {
        return;
    }
    head.number = ++channels[clew_self()][to].sent;
    memcpy(bytes, &head, sizeof head);
    if (message->type == RAFT_IO_APPEND_ENTRIES) {
        size += pack_entries(bytes + sizeof head, &message->append_entries);
    } else if (message->type == RAFT_IO_INSTALL_SNAPSHOT) {
        size += pack_install(bytes + sizeof head, &message->install_snapshot);
    }
    clew_send(to, message->type - 1, bytes, size);
}

/* A result may be for nobody: the leader it was for is known no more. */
int net_send(struct raft_io *io, struct raft_io_send *req, const struct raft_message *message,
             raft_io_send_cb cb)
{
    struct server *s = io->impl;
    const bool is_stray =
        message->type == RAFT_IO_APPEND_ENTRIES_RESULT && message->server_id > SERVERS_MAX;
    if (is_stray && net_repairs < 6) {
        witness_stray(s);
    } else if (!is_stray && message->server_id != 0) {
        put_on_way(s, message);
    }
    if (s->sent_count == SENDS_MAX) {
        clew_fail("a step sends few messages");
    }
    req->cb = cb;
    if (cb != NULL) {
        s->sent[s->sent_count++] = req;
    }
    return 0;
}

void net_complete(struct server *s)
{
    for (uint32_t i = 0; i < s->sent_count; i++) {
        s->sent[i]->cb(s->sent[i], 0);
    }
    s->sent_count = 0;
}

/* A leader commits entries of older terms only along with one of its own (section 5.4.2 of the
 * paper). Repaired, an answer that reaches new entries but none of the leader's term is lost. */
static bool is_older_term(const struct server *s, const struct raft_message *m)
{
    const struct raft *raft = &s->raft;
    const struct raft_append_entries_result *a = &m->append_entries_result;
    const raft_index index = a->last_log_index;
    return net_repairs >= 2 && m->type == RAFT_IO_APPEND_ENTRIES_RESULT &&
           raft->state == RAFT_LEADER && a->rejected == 0 && a->term == raft->current_term &&
           index > raft->commit_index && index > raft->log.offset && index <= server_last(s) &&
           server_entry(s, index)->term != raft->current_term;
}

/* A server votes once in a term, but in the library for the target of its own transfer even if it
 * has voted for another. Repaired, it does not get such a request. */
static bool is_second_vote(const struct server *s, const struct raft_message *m)
{
    const struct raft *raft = &s->raft;
    const struct raft_request_vote *v = &m->request_vote;
    return net_repairs >= 4 && m->type == RAFT_IO_REQUEST_VOTE && !v->pre_vote &&
           v->term == raft->current_term && raft->voted_for != 0 &&
           raft->voted_for != v->candidate_id;
}

/* A follower uses a new configuration when the entry is on its disk, and not at all if it follows
 * nobody by then; but it asks for votes with that entry. Repaired, it uses the configuration as
 * soon as the entry is in its log. */
static void adopt_configuration(struct server *s)
{
    struct raft *raft = &s->raft;
    raft_index index = net_repairs >= 5 && raft->state == RAFT_FOLLOWER ? server_last(s) : 0;
    while (index > raft->log.offset && server_entry(s, index)->type != RAFT_CHANGE) {
        index--;
    }
    if (index > raft->log.offset && index > raft->configuration_index &&
        index > raft->configuration_uncommitted_index) {
        struct packed_configuration packed;
        decode_configuration(&packed, server_entry(s, index)->buf.base);
        raft_configuration_close(&raft->configuration);
        unpack_configuration(&raft->configuration, &packed);
        raft->configuration_uncommitted_index = index;
    }
}

/* The index of the first entry that is another in the log; 0: none. */
static raft_index first_conflict(const struct server *s, const struct raft_append_entries *a)
{
    for (unsigned i = 0; i < a->n_entries; i++) {
        const raft_index index = a->prev_log_index + 1 + i;
        if (index > s->raft.log.offset && index <= server_last(s) &&
            server_entry(s, index)->term != a->entries[i].term) {
            return index;
        }
    }
    return 0;
}

/* A follower that truncates an uncommitted configuration goes back to the committed one, which it
 * looks for in its log only. Repaired, it takes it from its snapshot where the log begins later. */
static void roll_back(struct server *s, const struct raft_append_entries *a)
{
    struct raft *raft = &s->raft;
    const raft_index conflict = first_conflict(s, a);
    if (net_repairs < 7 || a->term < raft->current_term || conflict == 0 ||
        conflict > raft->configuration_uncommitted_index ||
        raft->configuration_index > raft->log.offset) {
        return;
    }
    struct packed_snapshot packed;
    store_read_snapshot(&packed);
    raft_configuration_close(&raft->configuration);
    unpack_configuration(&raft->configuration, &packed.configuration);
    raft->configuration_uncommitted_index = 0;
}

/* A follower rejects a request that begins with entries its snapshot has replaced, and gives up
 * when the leader then begins with the first of all. Repaired, it skips those entries, which are
 * committed and hence the same. */
static void skip_replaced(struct server *s, struct raft_append_entries *a)
{
    const struct raft_log *log = &s->raft.log;
    const raft_index end = log->snapshot.last_index;
    if (net_repairs < 8 || a->term < s->raft.current_term || a->prev_log_index >= log->offset) {
        return;
    }
    const raft_index before = end - a->prev_log_index;
    const unsigned skipped = before < a->n_entries ? (unsigned)before : a->n_entries;
    a->prev_log_index = end;
    a->prev_log_term = log->snapshot.last_term;
    a->n_entries -= skipped;
    memmove(a->entries, a->entries + skipped, a->n_entries * sizeof *a->entries);
    s->asked = s->asked > end ? s->asked : end;
}

void net_receive(struct server *s, const struct clew_message *m)
{
    struct packet head;
    char address[4] = {(char)('1' + m->from)};
    struct raft_message message = {.type = (unsigned short)(m->type + 1),
                                   .server_id = (raft_id)m->from + 1,
                                   .server_address = address};
    memcpy(&head, m->bytes, sizeof head);
    unpack_head(&message, &head);
    if (head.number > channels[m->from][clew_self()].received) {
        channels[m->from][clew_self()].received = head.number;
    }
    if (message.type == RAFT_IO_APPEND_ENTRIES) {
        note_request(s, &head);
        message.append_entries.entries = unpack_entries(
            (const unsigned char *)m->bytes + sizeof head, m->size - sizeof head, head.entry_count);
        roll_back(s, &message.append_entries);
        skip_replaced(s, &message.append_entries);
    } else if (message.type == RAFT_IO_INSTALL_SNAPSHOT) {
        note_request(s, &head);
        unpack_install(&message.install_snapshot, (const unsigned char *)m->bytes + sizeof head);
    }
    if (!is_older_term(s, &message) && !is_second_vote(s, &message)) {
        s->recv(&s->io, &message);
    }
    adopt_configuration(s);
    s->matched = s->asked > s->matched ? s->asked : s->matched;
    s->asked = 0;
}

/* What was under way to a server that crashed is lost, or will come: there is room again. */
void net_restart(void)
{
    for (int from = 0; from < SERVERS_MAX; from++) {
        channels[from][clew_self()].received = channels[from][clew_self()].sent;
    }
}

/* Which commands it carries does not make another message of it. */
uint64_t net_fingerprint(const struct clew_message *m)
{
    const struct packet *p = m->bytes;
    return ((p->term * 61 + p->index) * 61 + p->commit) * 61 + p->entry_count;
}
