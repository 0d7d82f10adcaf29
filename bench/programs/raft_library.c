#include "raft_library.h"

#include <stdlib.h>
#include <string.h>

#include "raft_log.h"
#include "raft_members.h"

enum {
    ELECTION_TICKS = 10,
    HEARTBEAT_TICKS = 3,
    WINDOW_MAX = 4,     /* entries of a message */
    PIECE_SIZE = 48,    /* of a snapshot, in a message */
    LEARNER_LAG_MAX = 2 /* entries that a learner may lack when it is promoted */
};

/* With FIGURE_8 the library is as the figure of that number in the Raft paper has it, and wrong: a
 * leader commits entries of older terms by counting. It appends none of its own when it is elected,
 * and asks for no votes before an election, either of which hides the mistake. */
#ifdef FIGURE_8
static const bool counts_older_terms = true;
#else
static const bool counts_older_terms = false;
#endif

/* Entries that are applied between two snapshots. */
#ifndef SNAPSHOT_AFTER
#define SNAPSHOT_AFTER 24
#endif

enum message_type {
    MESSAGE_VOTE,
    MESSAGE_VOTE_REPLY,
    MESSAGE_APPEND,
    MESSAGE_APPEND_REPLY,
    MESSAGE_SNAPSHOT,
    MESSAGE_SNAPSHOT_REPLY,
    MESSAGE_TIMEOUT_NOW
};

struct peer {
    uint64_t next;
    uint64_t match;
    uint32_t ticks_silent;
    uint64_t read_seen;
    size_t snapshot_sent; /* bytes that it has */
};

struct reading {
    uint64_t ticket;
    uint64_t commit;
    uint64_t round;
};

/* The state machine up to the first entry of the log, and the members by then. */
struct snapshot {
    char *bytes;
    size_t size;
    struct members members;
};

/* A snapshot that is coming in, piece by piece. */
struct incoming {
    uint64_t index;
    uint64_t term;
    struct writer bytes;
};

struct raft {
    int self;
    struct raft_io io;
    struct members members; /* of the last entry that has them, committed or not */
    uint64_t members_index; /* that entry */
    struct snapshot snapshot;
    struct incoming incoming;
    uint32_t votes; /* for this candidate, a bit for each member */
    uint64_t term;
    int vote;
    struct log log;
    uint64_t commit;
    uint64_t applied;
    enum raft_role role;
    int leader;
    int transfer_to;
    uint32_t ticks;
    uint32_t timeout;
    struct peer peers[RAFT_MEMBERS_MAX];
    struct reading *readings;
    size_t reading_count;
    size_t reading_room;
    uint64_t read_round;
    uint64_t reads_done;
};

/* Members */

/* The next other member behind this one, -1 when there is none; from -1 on all are listed. */
static int next_other(const struct raft *r, int after)
{
    const int next = members_next(r->members, after);
    return next == r->self ? members_next(r->members, next) : next;
}

static bool read_members_of(const struct entry *e, struct members *m)
{
    struct reader in = reader_of(e->bytes, e->size);
    return e->kind == ENTRY_MEMBERS && members_read(m, &in);
}

/* The members up to this entry: those of the last entry that has some, else of the snapshot.
 * Returns that entry. */
static uint64_t find_members(const struct raft *r, uint64_t last, struct members *m)
{
    for (uint64_t index = last; log_has(&r->log, index); index--) {
        if (read_members_of(log_at(&r->log, index), m)) {
            return index;
        }
    }
    *m = r->snapshot.members;
    return r->log.snapshot_index;
}

/* A change is in force as soon as it is in the log, and is not when it is truncated. */
static void append(struct raft *r, const struct entry *e)
{
    log_append(&r->log, e);
    if (read_members_of(e, &r->members)) {
        r->members_index = log_last(&r->log);
    }
}

static void truncate(struct raft *r, uint64_t last)
{
    log_truncate(&r->log, last);
    if (r->members_index > last) {
        r->members_index = find_members(r, last, &r->members);
    }
}

/* What is on the disk */

static void save(struct raft *r)
{
    struct writer w = {0};
    write_number(&w, r->term);
    write_number(&w, (uint64_t)(r->vote + 1));
    write_number(&w, r->log.snapshot_index);
    write_number(&w, r->log.snapshot_term);
    members_write(r->snapshot.members, &w);
    write_block(&w, r->snapshot.bytes, r->snapshot.size);
    log_write(&r->log, r->log.snapshot_index + 1, log_last(&r->log), &w);
    r->io.save(r->io.context, w.bytes, w.used);
    free(w.bytes);
}

static void keep_snapshot(struct raft *r, const char *bytes, size_t size)
{
    free(r->snapshot.bytes);
    r->snapshot.bytes = allocate(size);
    r->snapshot.size = size;
    if (size > 0) {
        memcpy(r->snapshot.bytes, bytes, size);
    }
}

static void load(struct raft *r, const void *saved, size_t size)
{
    struct reader in = reader_of(saved, size);
    struct entry e;
    r->term = read_number(&in);
    r->vote = (int)read_number(&in) - 1;
    r->log.snapshot_index = read_number(&in);
    r->log.snapshot_term = read_number(&in);
    (void)members_read(&r->snapshot.members, &in);
    size_t snapshot_size = 0;
    const char *bytes = read_block(&in, &snapshot_size);
    if (in.is_broken) {
        abort(); /* the disk keeps what it is given */
    }
    keep_snapshot(r, bytes, snapshot_size);
    for (uint64_t left = read_number(&in); left > 0 && log_read(&in, &e); left--) {
        log_append(&r->log, &e);
    }
    r->members_index = find_members(r, log_last(&r->log), &r->members);
    r->commit = r->applied = r->log.snapshot_index;
    if (r->log.snapshot_index > 0) {
        r->io.restore(r->io.context, r->snapshot.bytes, r->snapshot.size);
    }
}

/* Roles */

static void reset_timeout(struct raft *r)
{
    r->ticks = 0;
    r->timeout = ELECTION_TICKS + r->io.random(r->io.context, ELECTION_TICKS);
}

static void become_follower(struct raft *r, uint64_t term, int leader)
{
    const bool is_new = term > r->term;
    if (is_new) {
        r->term = term;
        r->vote = -1;
    }
    r->role = RAFT_FOLLOWER;
    r->leader = leader;
    r->transfer_to = -1;
    r->reading_count = 0;
    reset_timeout(r);
    if (is_new) {
        save(r);
    }
}

static void send(struct raft *r, int to, struct writer *w)
{
    r->io.send(r->io.context, to, w->bytes, w->used);
    free(w->bytes);
}

static void begin(struct writer *w, enum message_type type, uint64_t term)
{
    write_number(w, type);
    write_number(w, term);
}

/* Elections */

static void ask_for_votes(struct raft *r, bool is_pre)
{
    const uint64_t term = is_pre ? r->term + 1 : r->term;
    r->votes = UINT32_C(1) << r->self;
    for (int i = next_other(r, -1); i >= 0; i = next_other(r, i)) {
        if (members_votes(r->members, i)) {
            struct writer w = {0};
            begin(&w, MESSAGE_VOTE, term);
            write_number(&w, is_pre);
            write_number(&w, log_last(&r->log));
            write_number(&w, log_term(&r->log, log_last(&r->log)));
            send(r, i, &w);
        }
    }
}

static void become_leader(struct raft *r);

static bool has_won(const struct raft *r)
{
    return members_is_majority(r->members, r->votes);
}

static void begin_election(struct raft *r)
{
    r->role = RAFT_CANDIDATE;
    r->term++;
    r->vote = r->self;
    r->leader = -1;
    save(r);
    reset_timeout(r);
    ask_for_votes(r, false);
    if (has_won(r)) {
        become_leader(r);
    }
}

static void begin_pre_election(struct raft *r)
{
    if (counts_older_terms) {
        begin_election(r);
        return;
    }
    r->role = RAFT_PRE_CANDIDATE;
    r->leader = -1;
    reset_timeout(r);
    ask_for_votes(r, true);
    if (has_won(r)) {
        begin_election(r);
    }
}

static bool is_up_to_date(const struct raft *r, uint64_t index, uint64_t term)
{
    const uint64_t own = log_term(&r->log, log_last(&r->log));
    return term > own || (term == own && index >= log_last(&r->log));
}

static void on_vote(struct raft *r, int from, uint64_t term, struct reader *in)
{
    const bool is_pre = read_number(in) != 0;
    const uint64_t index = read_number(in);
    const uint64_t last_term = read_number(in);
    if (in->is_broken) {
        return;
    }
    if (!is_pre && term > r->term) {
        become_follower(r, term, -1);
    }
    const bool is_free = is_pre ? term > r->term && (r->leader < 0 || r->ticks >= ELECTION_TICKS)
                                : term == r->term && (r->vote == -1 || r->vote == from);
    const bool is_granted = is_free && is_up_to_date(r, index, last_term);
    if (is_granted && !is_pre) {
        r->vote = from;
        save(r);
        reset_timeout(r);
    }
    struct writer w = {0};
    begin(&w, MESSAGE_VOTE_REPLY, is_granted ? term : r->term);
    write_number(&w, is_pre);
    write_number(&w, is_granted);
    send(r, from, &w);
}

static void on_vote_reply(struct raft *r, int from, uint64_t term, struct reader *in)
{
    const bool is_pre = read_number(in) != 0;
    const bool is_granted = read_number(in) != 0;
    if (in->is_broken) {
        return;
    }
    if (!is_granted && term > r->term) {
        become_follower(r, term, -1);
        return;
    }
    const bool is_asked = is_pre ? r->role == RAFT_PRE_CANDIDATE && term == r->term + 1
                                 : r->role == RAFT_CANDIDATE && term == r->term;
    if (!is_asked) {
        return;
    }
    r->votes |= is_granted ? UINT32_C(1) << from : 0;
    if (has_won(r)) {
        if (is_pre) {
            begin_election(r);
        } else {
            become_leader(r);
        }
    }
}

/* Applying, and snapshots */

static void take_snapshot(struct raft *r)
{
    if (r->applied < r->log.snapshot_index + SNAPSHOT_AFTER) {
        return;
    }
    struct members members;
    (void)find_members(r, r->applied, &members);
    free(r->snapshot.bytes);
    r->snapshot.bytes = r->io.take_snapshot(r->io.context, &r->snapshot.size);
    r->snapshot.members = members;
    log_compact(&r->log, r->applied, log_term(&r->log, r->applied));
    save(r);
}

static void apply_committed(struct raft *r)
{
    while (r->applied < r->commit && log_has(&r->log, r->applied + 1)) {
        const struct entry *e = log_at(&r->log, ++r->applied);
        if (e->kind == ENTRY_COMMAND) {
            r->io.apply(r->io.context, r->applied, e->bytes, e->size);
        }
    }
    take_snapshot(r);
}

/* Replication */

/* The next piece of the snapshot; it is sent again until it is answered. */
static void send_snapshot(struct raft *r, int to)
{
    const struct snapshot *s = &r->snapshot;
    const size_t sent = r->peers[to].snapshot_sent;
    const size_t left = s->size - sent;
    const size_t size = left < PIECE_SIZE ? left : PIECE_SIZE;
    struct writer w = {0};
    begin(&w, MESSAGE_SNAPSHOT, r->term);
    write_number(&w, r->log.snapshot_index);
    write_number(&w, r->log.snapshot_term);
    members_write(s->members, &w);
    write_number(&w, sent);
    write_number(&w, size == left);
    write_block(&w, s->bytes + sent, size);
    send(r, to, &w);
}

static void send_entries(struct raft *r, int to)
{
    struct peer *p = &r->peers[to];
    if (p->next <= r->log.snapshot_index) {
        send_snapshot(r, to);
        return;
    }
    const uint64_t last = log_last(&r->log);
    const uint64_t end = p->next + WINDOW_MAX - 1 < last ? p->next + WINDOW_MAX - 1 : last;
    struct writer w = {0};
    begin(&w, MESSAGE_APPEND, r->term);
    write_number(&w, p->next - 1);
    write_number(&w, log_term(&r->log, p->next - 1));
    write_number(&w, r->commit);
    write_number(&w, r->read_round);
    log_write(&r->log, p->next, end, &w);
    send(r, to, &w);
}

static void send_all(struct raft *r)
{
    r->ticks = 0;
    for (int i = next_other(r, -1); i >= 0; i = next_other(r, i)) {
        send_entries(r, i);
    }
}

/* The last entry that a majority of the voters has. */
static uint64_t majority_index(const struct raft *r)
{
    uint64_t sorted[RAFT_MEMBERS_MAX];
    uint32_t count = 0;
    for (int i = members_next(r->members, -1); i >= 0; i = members_next(r->members, i)) {
        if (members_votes(r->members, i)) {
            const uint64_t match = i == r->self ? log_last(&r->log) : r->peers[i].match;
            uint32_t at = count++;
            for (; at > 0 && sorted[at - 1] < match; at--) {
                sorted[at] = sorted[at - 1];
            }
            sorted[at] = match;
        }
    }
    return count == 0 ? 0 : sorted[members_quorum(r->members) - 1];
}

/* An entry of this term that a majority has is committed, with all before it. A leader that a
 * committed change has taken the vote from steps down. */
static void advance_commit(struct raft *r)
{
    const uint64_t index = majority_index(r);
    if (index <= r->commit || (!counts_older_terms && log_term(&r->log, index) != r->term)) {
        return;
    }
    r->commit = index;
    apply_committed(r);
    if (!members_votes(r->members, r->self) && r->members_index <= r->commit) {
        send_all(r); /* the others hear of the commit */
        become_follower(r, r->term, -1);
    }
}

static void become_leader(struct raft *r)
{
    r->role = RAFT_LEADER;
    r->leader = r->self;
    r->transfer_to = -1;
    for (int i = 0; i < RAFT_MEMBERS_MAX; i++) {
        r->peers[i] = (struct peer){.next = log_last(&r->log) + 1};
    }
    if (!counts_older_terms) {
        append(r, &(struct entry){.term = r->term, .kind = ENTRY_NOTHING});
    }
    save(r);
    send_all(r);
    advance_commit(r);
}

struct append {
    uint64_t previous;
    uint64_t previous_term;
    uint64_t commit;
    uint64_t read_round;
};

static void answer_append(struct raft *r, int to, bool is_taken, uint64_t index, uint64_t round)
{
    struct writer w = {0};
    begin(&w, MESSAGE_APPEND_REPLY, r->term);
    write_number(&w, is_taken);
    write_number(&w, index);
    write_number(&w, round);
    send(r, to, &w);
}

/* Takes the entries that are not there; those that contradict them go. Returns the last index. */
static uint64_t take_entries(struct raft *r, uint64_t index, struct reader *in)
{
    bool has_changed = false;
    struct entry e;
    for (uint64_t left = read_number(in); left > 0 && log_read(in, &e); left--) {
        index++;
        if (index <= r->log.snapshot_index || log_term(&r->log, index) == e.term) {
            continue;
        }
        truncate(r, index - 1);
        append(r, &e);
        has_changed = true;
    }
    if (has_changed) {
        save(r);
    }
    return index;
}

/* The first index of the term that the entry has: the leader tries that next. */
static uint64_t conflict_hint(const struct raft *r, uint64_t index)
{
    if (index > log_last(&r->log)) {
        return log_last(&r->log) + 1;
    }
    const uint64_t term = log_term(&r->log, index);
    while (index > r->log.snapshot_index + 1 && log_term(&r->log, index - 1) == term) {
        index--;
    }
    return index;
}

static void on_append(struct raft *r, int from, uint64_t term, struct reader *in)
{
    struct append a = {0};
    a.previous = read_number(in);
    a.previous_term = read_number(in);
    a.commit = read_number(in);
    a.read_round = read_number(in);
    if (in->is_broken) {
        return;
    }
    if (term < r->term) {
        answer_append(r, from, false, log_last(&r->log) + 1, 0);
        return;
    }
    become_follower(r, term, from);
    const bool is_known =
        a.previous < r->log.snapshot_index ||
        (a.previous <= log_last(&r->log) && log_term(&r->log, a.previous) == a.previous_term);
    if (!is_known) {
        answer_append(r, from, false, conflict_hint(r, a.previous), a.read_round);
        return;
    }
    const uint64_t last = take_entries(r, a.previous, in);
    const uint64_t commit = a.commit < last ? a.commit : last;
    if (commit > r->commit) {
        r->commit = commit;
        apply_committed(r);
    }
    answer_append(r, from, true, last, a.read_round);
}

/* Reads */

static void finish_reads(struct raft *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->reading_count; i++) {
        uint32_t seen = UINT32_C(1) << r->self;
        for (int k = next_other(r, -1); k >= 0; k = next_other(r, k)) {
            seen |= r->peers[k].read_seen >= r->readings[i].round ? UINT32_C(1) << k : 0;
        }
        if (members_is_majority(r->members, seen) && r->applied >= r->readings[i].commit) {
            const uint64_t ticket = r->readings[i].ticket;
            r->reads_done = ticket > r->reads_done ? ticket : r->reads_done;
        } else {
            r->readings[kept++] = r->readings[i];
        }
    }
    r->reading_count = kept;
}

static void finish_transfer(struct raft *r, int to)
{
    if (r->transfer_to == to && r->peers[to].match == log_last(&r->log)) {
        struct writer w = {0};
        begin(&w, MESSAGE_TIMEOUT_NOW, r->term);
        send(r, to, &w);
        r->transfer_to = -1;
    }
}

static void on_append_reply(struct raft *r, int from, uint64_t term, struct reader *in)
{
    const bool is_taken = read_number(in) != 0;
    const uint64_t index = read_number(in);
    const uint64_t round = read_number(in);
    if (in->is_broken) {
        return;
    }
    if (term > r->term) {
        become_follower(r, term, -1);
        return;
    }
    if (r->role != RAFT_LEADER || term < r->term) {
        return;
    }
    struct peer *p = &r->peers[from];
    p->ticks_silent = 0;
    p->read_seen = round > p->read_seen ? round : p->read_seen;
    finish_reads(r);
    if (!is_taken) {
        p->next = index > p->match && index < p->next ? index : p->match + 1;
        send_entries(r, from);
        return;
    }
    if (index > p->match) {
        p->match = index;
        p->next = index + 1;
        advance_commit(r);
    }
    if (r->role != RAFT_LEADER) {
        return; /* the commit has taken its vote */
    }
    finish_transfer(r, from);
    if (p->next <= log_last(&r->log)) {
        send_entries(r, from);
    }
}

struct piece {
    uint64_t index;
    uint64_t term;
    struct members members;
    size_t from;
    bool is_last;
    const char *bytes;
    size_t size;
};

static bool read_piece(struct piece *p, struct reader *in)
{
    p->index = read_number(in);
    p->term = read_number(in);
    const bool has_members = members_read(&p->members, in);
    p->from = (size_t)read_number(in);
    p->is_last = read_number(in) != 0;
    p->bytes = read_block(in, &p->size);
    return has_members && !in->is_broken;
}

/* Puts the piece behind those before it. False when one of them is missing. */
static bool take_piece(struct incoming *in, const struct piece *p)
{
    if (in->index != p->index || in->term != p->term || p->from == 0) {
        in->index = p->index;
        in->term = p->term;
        in->bytes.used = 0;
    }
    if (in->bytes.used != p->from) {
        return false;
    }
    write_bytes(&in->bytes, p->bytes, p->size);
    return true;
}

/* The snapshot takes the place of the log up to its index, and of all where they differ. */
static void install(struct raft *r, const struct piece *p)
{
    if (log_term(&r->log, p->index) != p->term) {
        log_truncate(&r->log, r->log.snapshot_index);
    }
    log_compact(&r->log, p->index, p->term);
    keep_snapshot(r, r->incoming.bytes.bytes, r->incoming.bytes.used);
    r->snapshot.members = p->members;
    r->members_index = find_members(r, log_last(&r->log), &r->members);
    r->commit = r->applied = p->index;
    r->io.restore(r->io.context, r->snapshot.bytes, r->snapshot.size);
    save(r);
}

static void on_snapshot(struct raft *r, int from, uint64_t term, struct reader *in)
{
    struct piece p = {0};
    if (!read_piece(&p, in) || term < r->term) {
        return;
    }
    become_follower(r, term, from);
    bool is_done = p.index <= r->commit;
    if (!is_done && take_piece(&r->incoming, &p) && p.is_last) {
        install(r, &p);
        is_done = true;
    }
    struct writer w = {0};
    begin(&w, MESSAGE_SNAPSHOT_REPLY, r->term);
    write_number(&w, p.index);
    write_number(&w, is_done);
    write_number(&w, r->incoming.bytes.used);
    send(r, from, &w);
}

static void on_snapshot_reply(struct raft *r, int from, uint64_t term, struct reader *in)
{
    const uint64_t index = read_number(in);
    const bool is_done = read_number(in) != 0;
    const size_t taken = (size_t)read_number(in);
    if (in->is_broken) {
        return;
    }
    if (term > r->term) {
        become_follower(r, term, -1);
        return;
    }
    if (r->role != RAFT_LEADER || term < r->term) {
        return;
    }
    struct peer *p = &r->peers[from];
    p->ticks_silent = 0;
    p->snapshot_sent = 0;
    if (is_done) {
        p->match = index > p->match ? index : p->match;
        p->next = p->match + 1;
    } else if (index == r->log.snapshot_index && taken <= r->snapshot.size) {
        p->snapshot_sent = taken;
    }
    send_entries(r, from);
}

/* From outside */

void raft_receive(struct raft *r, int from, const void *bytes, size_t size)
{
    struct reader in = reader_of(bytes, size);
    const uint64_t type = read_number(&in);
    const uint64_t term = read_number(&in);
    if (in.is_broken || from < 0 || from >= RAFT_MEMBERS_MAX) {
        return;
    }
    switch (type) {
    case MESSAGE_VOTE: on_vote(r, from, term, &in); break;
    case MESSAGE_VOTE_REPLY: on_vote_reply(r, from, term, &in); break;
    case MESSAGE_APPEND: on_append(r, from, term, &in); break;
    case MESSAGE_APPEND_REPLY: on_append_reply(r, from, term, &in); break;
    case MESSAGE_SNAPSHOT: on_snapshot(r, from, term, &in); break;
    case MESSAGE_SNAPSHOT_REPLY: on_snapshot_reply(r, from, term, &in); break;
    case MESSAGE_TIMEOUT_NOW:
        if (term == r->term && r->role == RAFT_FOLLOWER && members_votes(r->members, r->self)) {
            begin_election(r);
        }
        break;
    default: break;
    }
}

/* A leader that hears of no majority steps down. */
static void check_quorum(struct raft *r)
{
    uint32_t heard = UINT32_C(1) << r->self;
    for (int i = next_other(r, -1); i >= 0; i = next_other(r, i)) {
        r->peers[i].ticks_silent++;
        heard |= r->peers[i].ticks_silent < 4 * ELECTION_TICKS ? UINT32_C(1) << i : 0;
    }
    if (!members_is_majority(r->members, heard)) {
        become_follower(r, r->term, -1);
    }
}

void raft_tick(struct raft *r)
{
    r->ticks++;
    if (r->role == RAFT_LEADER) {
        check_quorum(r);
        if (r->role == RAFT_LEADER && r->ticks >= HEARTBEAT_TICKS) {
            send_all(r);
        }
    } else if (r->ticks >= r->timeout && members_votes(r->members, r->self)) {
        begin_pre_election(r);
    }
}

bool raft_propose(struct raft *r, const void *bytes, size_t size)
{
    if (r->role != RAFT_LEADER || r->transfer_to >= 0) {
        return false;
    }
    append(r, &(struct entry){.term = r->term,
                              .kind = ENTRY_COMMAND,
                              .size = size,
                              .bytes = (char *)(uintptr_t)bytes});
    save(r);
    send_all(r);
    advance_commit(r);
    return true;
}

/* One change at a time, and none before an entry of the leader's own term is committed: else two
 * leaders could change the same members in different ways. */
static bool may_change(const struct raft *r)
{
    return r->role == RAFT_LEADER && r->transfer_to < 0 && r->members_index <= r->commit &&
           log_term(&r->log, r->commit) == r->term;
}

bool raft_change(struct raft *r, enum raft_change change, int member)
{
    struct members changed = r->members;
    if (!may_change(r) || !members_change(&changed, change, member)) {
        return false;
    }
    const bool is_new = change == RAFT_ADD;
    if (change == RAFT_PROMOTE && r->peers[member].match + LEARNER_LAG_MAX < log_last(&r->log)) {
        return false;
    }
    if (is_new) {
        r->peers[member] = (struct peer){.next = log_last(&r->log) + 1};
    }
    struct writer w = {0};
    members_write(changed, &w);
    append(r, &(struct entry){
                  .term = r->term, .kind = ENTRY_MEMBERS, .size = w.used, .bytes = w.bytes});
    free(w.bytes);
    save(r);
    send_all(r);
    advance_commit(r);
    return true;
}

bool raft_transfer(struct raft *r, int to)
{
    if (r->role != RAFT_LEADER || to == r->self || !members_votes(r->members, to)) {
        return false;
    }
    r->transfer_to = to;
    finish_transfer(r, to);
    return true;
}

bool raft_read(struct raft *r, uint64_t ticket)
{
    if (r->role != RAFT_LEADER || log_term(&r->log, r->commit) != r->term) {
        return false;
    }
    if (r->reading_count == r->reading_room) {
        r->reading_room = r->reading_room == 0 ? 4 : 2 * r->reading_room;
        r->readings = grow(r->readings, r->reading_room * sizeof *r->readings);
    }
    r->read_round++;
    r->readings[r->reading_count++] =
        (struct reading){.ticket = ticket, .commit = r->commit, .round = r->read_round};
    send_all(r);
    finish_reads(r);
    return true;
}

uint64_t raft_reads_done(const struct raft *r)
{
    return r->reads_done;
}

struct raft *raft_new(int self, int count, const struct raft_io *io, const void *saved,
                      size_t saved_size)
{
    if (count < 1 || count > RAFT_MEMBERS_MAX || self < 0 || self >= RAFT_MEMBERS_MAX) {
        return NULL;
    }
    struct raft *r = allocate(sizeof *r);
    r->self = self;
    r->io = *io;
    r->vote = -1;
    r->leader = -1;
    r->transfer_to = -1;
    r->members = members_first(count);
    r->snapshot.members = r->members;
    if (saved != NULL) {
        load(r, saved, saved_size);
    }
    reset_timeout(r);
    return r;
}

void raft_free(struct raft *r)
{
    log_clear(&r->log);
    free(r->snapshot.bytes);
    free(r->incoming.bytes.bytes);
    free(r->readings);
    free(r);
}

enum raft_role raft_role(const struct raft *r)
{
    return r->role;
}

uint64_t raft_term(const struct raft *r)
{
    return r->term;
}

uint64_t raft_commit(const struct raft *r)
{
    return r->commit;
}

uint64_t raft_applied(const struct raft *r)
{
    return r->applied;
}

uint64_t raft_last(const struct raft *r)
{
    return log_last(&r->log);
}

uint64_t raft_first(const struct raft *r)
{
    return r->log.snapshot_index + 1;
}

uint64_t raft_entry_term(const struct raft *r, uint64_t index)
{
    return log_term(&r->log, index);
}

uint64_t raft_entry_hash(const struct raft *r, uint64_t index)
{
    return log_has(&r->log, index) ? entry_hash(log_at(&r->log, index)) : 0;
}

uint32_t raft_voters(const struct raft *r)
{
    return r->members.voters;
}

uint32_t raft_learners(const struct raft *r)
{
    return r->members.learners;
}

int raft_leader(const struct raft *r)
{
    return r->leader;
}
