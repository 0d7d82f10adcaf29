/* A Raft library in plain C for measurements: elections with a vote before the vote, a log on the
 * heap, replication with a window, snapshots, leadership transfer, reads that the leader confirms.
 * It knows nothing of clew: memory comes from malloc(), and the rest from callbacks. */
#ifndef RAFT_LIBRARY_H
#define RAFT_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct raft;

struct raft_io {
    void *context;
    void (*send)(void *context, int to, const void *bytes, size_t size);
    /* Returns when the bytes are on the disk; a restart gets the last of them. */
    void (*save)(void *context, const void *bytes, size_t size);
    void (*apply)(void *context, uint64_t index, const void *bytes, size_t size);
    uint32_t (*random)(void *context, uint32_t bound);
};

enum raft_role { RAFT_FOLLOWER, RAFT_PRE_CANDIDATE, RAFT_CANDIDATE, RAFT_LEADER };

/* `saved` is what save() was last given, NULL at the first start. */
struct raft *raft_new(int self, int count, const struct raft_io *io, const void *saved,
                      size_t saved_size);
void raft_free(struct raft *r);

void raft_tick(struct raft *r); /* time passes by one unit */
void raft_receive(struct raft *r, int from, const void *bytes, size_t size);
bool raft_propose(struct raft *r, const void *bytes, size_t size); /* false: is no leader */
bool raft_transfer(struct raft *r, int to);
bool raft_read(struct raft *r, uint64_t ticket); /* answered by raft_reads_done */
uint64_t raft_reads_done(const struct raft *r);  /* the highest ticket that is confirmed */

enum raft_role raft_role(const struct raft *r);
uint64_t raft_term(const struct raft *r);
uint64_t raft_commit(const struct raft *r);
uint64_t raft_last(const struct raft *r);
uint64_t raft_first(const struct raft *r); /* the first entry that is not in the snapshot */
uint64_t raft_entry_term(const struct raft *r, uint64_t index);
uint64_t raft_entry_hash(const struct raft *r, uint64_t index);
int raft_leader(const struct raft *r); /* -1: not known */

#endif
