#include "raft_library.h"

#include <stdlib.h>
#include <string.h>

enum {
    ELECTION_TICKS = 10,
    HEARTBEAT_TICKS = 3,
    WINDOW_MAX = 4,      /* entries of a message */
    SNAPSHOT_AFTER = 24, /* entries that are applied */
    MEMBERS_MAX = 16
};

/* With FIGURE_8 the library is as the figure of that number in the Raft paper has it, and wrong: a
 * leader commits entries of older terms by counting. It appends none of its own when it is elected,
 * and asks for no votes before an election, either of which hides the mistake. */
#ifdef FIGURE_8
static const bool counts_older_terms = true;
#else
static const bool counts_older_terms = false;
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

struct entry {
    uint64_t term;
    size_t size;
    char *bytes;
};

/* The entries behind the snapshot: index first + i is at[i]. */
struct log {
    uint64_t snapshot_index;
    uint64_t snapshot_term;
    struct entry *at;
    size_t count;
    size_t room;
};

struct peer {
    uint64_t next;
    uint64_t match;
    uint32_t ticks_silent;
    uint64_t read_seen;
    bool has_voted;
    bool has_refused;
    bool is_in_snapshot;
};

struct reading {
    uint64_t ticket;
    uint64_t commit;
    uint64_t round;
};

struct raft {
    int self;
    int count;
    struct raft_io io;
    uint64_t term;
    int vote;
    struct log log;
    uint64_t commit;
    uint64_t applied;
    uint64_t applied_hash;
    enum raft_role role;
    int leader;
    int transfer_to;
    uint32_t ticks;
    uint32_t timeout;
    struct peer *peers;
    struct reading *readings;
    size_t reading_count;
    size_t reading_room;
    uint64_t read_round;
    uint64_t reads_done;
};

/* Memory */

static void *allocate(size_t size)
{
    void *block = calloc(1, size == 0 ? 1 : size);
    if (block == NULL) {
        abort();
    }
    return block;
}

static void *grow(void *block, size_t size)
{
    void *grown = realloc(block, size);
    if (grown == NULL) {
        abort();
    }
    return grown;
}

/* Bytes that are written and read in order. */

struct writer {
    char *bytes;
    size_t used;
    size_t room;
};

static void write_bytes(struct writer *w, const void *bytes, size_t size)
{
    if (w->used + size > w->room) {
        w->room = 2 * (w->used + size) + 64;
        w->bytes = grow(w->bytes, w->room);
    }
    if (size > 0) {
        memcpy(w->bytes + w->used, bytes, size);
        w->used += size;
    }
}

static void write_number(struct writer *w, uint64_t number)
{
    char bytes[10];
    size_t size = 0;
    do {
        bytes[size] = (char)(number & 0x7f);
        number >>= 7;
        bytes[size] = (char)(bytes[size] | (number > 0 ? 0x80 : 0));
        size++;
    } while (number > 0);
    write_bytes(w, bytes, size);
}

struct reader {
    const unsigned char *at;
    const unsigned char *end;
    bool is_broken;
};

static uint64_t read_number(struct reader *r)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (r->at == r->end) {
            r->is_broken = true;
            return 0;
        }
        const unsigned char byte = *r->at++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            return number;
        }
    }
    r->is_broken = true;
    return 0;
}

static const void *read_bytes(struct reader *r, size_t size)
{
    if ((size_t)(r->end - r->at) < size) {
        r->is_broken = true;
        return NULL;
    }
    const void *bytes = r->at;
    r->at += size;
    return bytes;
}

/* The log */

static uint64_t log_last(const struct log *l)
{
    return l->snapshot_index + l->count;
}

static bool log_has(const struct log *l, uint64_t index)
{
    return index > l->snapshot_index && index <= log_last(l);
}

static struct entry *log_at(const struct log *l, uint64_t index)
{
    return &l->at[index - l->snapshot_index - 1];
}

static uint64_t log_term(const struct log *l, uint64_t index)
{
    if (index == l->snapshot_index) {
        return l->snapshot_term;
    }
    return log_has(l, index) ? log_at(l, index)->term : 0;
}

static void log_append(struct log *l, uint64_t term, const void *bytes, size_t size)
{
    if (l->count == l->room) {
        l->room = l->room == 0 ? 8 : 2 * l->room;
        l->at = grow(l->at, l->room * sizeof *l->at);
    }
    struct entry *e = &l->at[l->count++];
    e->term = term;
    e->size = size;
    e->bytes = allocate(size);
    if (size > 0) {
        memcpy(e->bytes, bytes, size);
    }
}

static void log_truncate(struct log *l, uint64_t last)
{
    while (log_last(l) > last && l->count > 0) {
        free(l->at[--l->count].bytes);
    }
}

/* Forgets the first entries, which are in a snapshot. */
static void log_compact(struct log *l, uint64_t index, uint64_t term)
{
    size_t gone = 0;
    while (gone < l->count && l->snapshot_index + gone + 1 <= index) {
        free(l->at[gone++].bytes);
    }
    l->count -= gone;
    if (l->count > 0) {
        memmove(l->at, l->at + gone, l->count * sizeof *l->at);
    }
    l->snapshot_index = index;
    l->snapshot_term = term;
}

static void log_clear(struct log *l)
{
    log_truncate(l, l->snapshot_index);
    free(l->at);
    l->at = NULL;
    l->room = 0;
}

/* What is on the disk */

static void write_entries(struct writer *w, const struct log *l, uint64_t first, uint64_t last)
{
    write_number(w, last + 1 - first);
    for (uint64_t i = first; i <= last; i++) {
        const struct entry *e = log_at(l, i);
        write_number(w, e->term);
        write_number(w, e->size);
        write_bytes(w, e->bytes, e->size);
    }
}

static void save(struct raft *r)
{
    struct writer w = {0};
    write_number(&w, r->term);
    write_number(&w, (uint64_t)(r->vote + 1));
    write_number(&w, r->log.snapshot_index);
    write_number(&w, r->log.snapshot_term);
    write_number(&w, r->log.snapshot_index > 0 ? r->applied_hash : 0);
    write_entries(&w, &r->log, r->log.snapshot_index + 1, log_last(&r->log));
    r->io.save(r->io.context, w.bytes, w.used);
    free(w.bytes);
}

static void load(struct raft *r, const void *saved, size_t size)
{
    struct reader in = {saved, (const unsigned char *)saved + size, false};
    r->term = read_number(&in);
    r->vote = (int)read_number(&in) - 1;
    r->log.snapshot_index = read_number(&in);
    r->log.snapshot_term = read_number(&in);
    r->applied_hash = read_number(&in);
    for (uint64_t left = read_number(&in); left > 0 && !in.is_broken; left--) {
        const uint64_t term = read_number(&in);
        const size_t entry_size = (size_t)read_number(&in);
        const void *bytes = read_bytes(&in, entry_size);
        if (!in.is_broken) {
            log_append(&r->log, term, bytes, entry_size);
        }
    }
    r->commit = r->applied = r->log.snapshot_index;
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

static uint32_t quorum(const struct raft *r)
{
    return (uint32_t)r->count / 2 + 1;
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
    for (int i = 0; i < r->count; i++) {
        r->peers[i].has_voted = i == r->self;
        r->peers[i].has_refused = false;
        if (i != r->self) {
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

static uint32_t count_votes(const struct raft *r)
{
    uint32_t votes = 0;
    for (int i = 0; i < r->count; i++) {
        votes += r->peers[i].has_voted;
    }
    return votes;
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
    if (count_votes(r) >= quorum(r)) {
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
    if (count_votes(r) >= quorum(r)) {
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
    r->peers[from].has_voted = r->peers[from].has_voted || is_granted;
    r->peers[from].has_refused = !is_granted;
    if (count_votes(r) >= quorum(r)) {
        if (is_pre) {
            begin_election(r);
        } else {
            become_leader(r);
        }
    }
}

/* Applying, and snapshots */

static uint64_t mix(uint64_t hash, uint64_t more)
{
    hash = (hash ^ more) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_entry(const struct entry *e)
{
    uint64_t hash = mix(1, e->term);
    for (size_t i = 0; i < e->size; i++) {
        hash = mix(hash, (unsigned char)e->bytes[i]);
    }
    return hash;
}

static void take_snapshot(struct raft *r)
{
    if (r->applied >= r->log.snapshot_index + SNAPSHOT_AFTER) {
        const uint64_t term = log_term(&r->log, r->applied);
        log_compact(&r->log, r->applied, term);
        save(r);
    }
}

static void apply_committed(struct raft *r)
{
    while (r->applied < r->commit && log_has(&r->log, r->applied + 1)) {
        const struct entry *e = log_at(&r->log, ++r->applied);
        r->applied_hash = mix(r->applied_hash, hash_entry(e));
        r->io.apply(r->io.context, r->applied, e->bytes, e->size);
    }
    take_snapshot(r);
}

/* Replication */

static void send_snapshot(struct raft *r, int to)
{
    struct writer w = {0};
    begin(&w, MESSAGE_SNAPSHOT, r->term);
    write_number(&w, r->log.snapshot_index);
    write_number(&w, r->log.snapshot_term);
    write_number(&w, r->applied_hash);
    r->peers[to].is_in_snapshot = true;
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
    write_entries(&w, &r->log, p->next, end);
    send(r, to, &w);
}

static void send_all(struct raft *r)
{
    r->ticks = 0;
    for (int i = 0; i < r->count; i++) {
        if (i != r->self) {
            send_entries(r, i);
        }
    }
}

/* An entry of this term that a majority has is committed, with all before it. */
static void advance_commit(struct raft *r)
{
    uint64_t sorted[MEMBERS_MAX];
    for (int i = 0; i < r->count; i++) {
        const uint64_t match = i == r->self ? log_last(&r->log) : r->peers[i].match;
        int at = i;
        for (; at > 0 && sorted[at - 1] < match; at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = match;
    }
    const uint64_t index = sorted[quorum(r) - 1];
    if (index > r->commit && (counts_older_terms || log_term(&r->log, index) == r->term)) {
        r->commit = index;
        apply_committed(r);
    }
}

static void become_leader(struct raft *r)
{
    r->role = RAFT_LEADER;
    r->leader = r->self;
    r->transfer_to = -1;
    for (int i = 0; i < r->count; i++) {
        r->peers[i] = (struct peer){.next = log_last(&r->log) + 1};
    }
    if (!counts_older_terms) {
        log_append(&r->log, r->term, "", 0);
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
    for (uint64_t left = read_number(in); left > 0 && !in->is_broken; left--) {
        const uint64_t term = read_number(in);
        const size_t size = (size_t)read_number(in);
        const void *bytes = read_bytes(in, size);
        if (in->is_broken) {
            break;
        }
        index++;
        if (index <= r->log.snapshot_index || log_term(&r->log, index) == term) {
            continue;
        }
        log_truncate(&r->log, index - 1);
        log_append(&r->log, term, bytes, size);
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
        uint32_t seen = 1;
        for (int k = 0; k < r->count; k++) {
            seen += k != r->self && r->peers[k].read_seen >= r->readings[i].round;
        }
        if (seen >= quorum(r) && r->applied >= r->readings[i].commit) {
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
    finish_transfer(r, from);
    if (p->next <= log_last(&r->log)) {
        send_entries(r, from);
    }
}

static void on_snapshot(struct raft *r, int from, uint64_t term, struct reader *in)
{
    const uint64_t index = read_number(in);
    const uint64_t last_term = read_number(in);
    const uint64_t hash = read_number(in);
    if (in->is_broken || term < r->term) {
        return;
    }
    become_follower(r, term, from);
    if (index > r->commit) {
        if (log_term(&r->log, index) != last_term) {
            log_truncate(&r->log, r->log.snapshot_index);
        }
        log_compact(&r->log, index, last_term);
        r->commit = r->applied = index;
        r->applied_hash = hash;
        save(r);
    }
    struct writer w = {0};
    begin(&w, MESSAGE_SNAPSHOT_REPLY, r->term);
    write_number(&w, index);
    send(r, from, &w);
}

static void on_snapshot_reply(struct raft *r, int from, uint64_t term, struct reader *in)
{
    const uint64_t index = read_number(in);
    if (in->is_broken || term > r->term) {
        if (!in->is_broken) {
            become_follower(r, term, -1);
        }
        return;
    }
    if (r->role == RAFT_LEADER && term == r->term) {
        struct peer *p = &r->peers[from];
        p->is_in_snapshot = false;
        p->match = index > p->match ? index : p->match;
        p->next = p->match + 1;
        send_entries(r, from);
    }
}

/* From outside */

void raft_receive(struct raft *r, int from, const void *bytes, size_t size)
{
    struct reader in = {bytes, (const unsigned char *)bytes + size, false};
    const uint64_t type = read_number(&in);
    const uint64_t term = read_number(&in);
    if (in.is_broken || from < 0 || from >= r->count) {
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
        if (term == r->term && r->role == RAFT_FOLLOWER) {
            begin_election(r);
        }
        break;
    default: break;
    }
}

/* A leader that hears of no majority steps down. */
static void check_quorum(struct raft *r)
{
    uint32_t heard = 1;
    for (int i = 0; i < r->count; i++) {
        if (i != r->self) {
            r->peers[i].ticks_silent++;
            heard += r->peers[i].ticks_silent < 4 * ELECTION_TICKS;
        }
    }
    if (heard < quorum(r)) {
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
    } else if (r->ticks >= r->timeout) {
        begin_pre_election(r);
    }
}

bool raft_propose(struct raft *r, const void *bytes, size_t size)
{
    if (r->role != RAFT_LEADER || r->transfer_to >= 0) {
        return false;
    }
    log_append(&r->log, r->term, bytes, size);
    save(r);
    send_all(r);
    advance_commit(r);
    return true;
}

bool raft_transfer(struct raft *r, int to)
{
    if (r->role != RAFT_LEADER || to == r->self || to < 0 || to >= r->count) {
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
    if (count > MEMBERS_MAX) {
        return NULL;
    }
    struct raft *r = allocate(sizeof *r);
    r->self = self;
    r->count = count;
    r->io = *io;
    r->vote = -1;
    r->leader = -1;
    r->transfer_to = -1;
    r->peers = allocate((size_t)count * sizeof *r->peers);
    if (saved != NULL) {
        load(r, saved, saved_size);
    }
    reset_timeout(r);
    return r;
}

void raft_free(struct raft *r)
{
    log_clear(&r->log);
    free(r->peers);
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
    return log_has(&r->log, index) ? hash_entry(log_at(&r->log, index)) : 0;
}

int raft_leader(const struct raft *r)
{
    return r->leader;
}
