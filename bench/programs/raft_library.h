/* A Raft library in plain C for measurements: elections with a vote before the vote, a log on the
 * heap, replication with a window, snapshots that travel in pieces, changes of the members one at a
 * time, leadership transfer, reads that the leader confirms. It knows nothing of clew: memory comes
 * from malloc(), and the rest from callbacks. */
#ifndef RAFT_LIBRARY_H
#define RAFT_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RAFT_MEMBERS_MAX = 16 };

struct raft;

struct raft_io {
    void *context;
    void (*send)(void *context, int to, const void *bytes, size_t size);
    /* Returns when the bytes are on the disk; a restart gets the last of them. */
    void (*save)(void *context, const void *bytes, size_t size);
    void (*apply)(void *context, uint64_t index, const void *bytes, size_t size);
    /* The state machine: its state, which the library frees, and the way back. */
    char *(*take_snapshot)(void *context, size_t *size);
    void (*restore)(void *context, const void *bytes, size_t size);
    uint32_t (*random)(void *context, uint32_t bound);
};

enum raft_role { RAFT_FOLLOWER, RAFT_PRE_CANDIDATE, RAFT_CANDIDATE, RAFT_LEADER };

/* A member is added as a learner, which has no vote; one that has the log may be promoted. */
enum raft_change { RAFT_ADD, RAFT_PROMOTE, RAFT_DEMOTE, RAFT_REMOVE };

/* `count` voters are members at first. `saved` is what save() was last given, NULL at the first
 * start. */
struct raft *raft_new(int self, int count, const struct raft_io *io, const void *saved,
                      size_t saved_size);
void raft_free(struct raft *r);

void raft_tick(struct raft *r); /* time passes by one unit */
void raft_receive(struct raft *r, int from, const void *bytes, size_t size);
bool raft_propose(struct raft *r, const void *bytes, size_t size); /* false: is no leader */
bool raft_change(struct raft *r, enum raft_change change, int member);
bool raft_transfer(struct raft *r, int to);
bool raft_read(struct raft *r, uint64_t ticket); /* answered by raft_reads_done */
uint64_t raft_reads_done(const struct raft *r);  /* the highest ticket that is confirmed */

enum raft_role raft_role(const struct raft *r);
uint64_t raft_term(const struct raft *r);
uint64_t raft_commit(const struct raft *r);
uint64_t raft_applied(const struct raft *r);
uint64_t raft_last(const struct raft *r);
uint64_t raft_first(const struct raft *r); /* the first entry that is not in the snapshot */
uint64_t raft_entry_term(const struct raft *r, uint64_t index);
uint64_t raft_entry_hash(const struct raft *r, uint64_t index);
uint32_t raft_voters(const struct raft *r); /* a bit for each */
uint32_t raft_learners(const struct raft *r);
int raft_leader(const struct raft *r); /* -1: not known */

#endif
