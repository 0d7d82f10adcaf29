/* Who belongs to a cluster: voters, and learners, which get the log and have no vote. */
#ifndef RAFT_MEMBERS_H
#define RAFT_MEMBERS_H

#include "raft_library.h"
#include "raft_log.h"

/* A bit for each member. No member is both. */
struct members {
    uint32_t voters;
    uint32_t learners;
};

struct members members_first(int count); /* voters 0 to count - 1 */
bool members_has(struct members m, int member);
bool members_votes(struct members m, int member);
int members_next(struct members m, int after); /* the lowest above; -1: there is none */
uint32_t members_quorum(struct members m);
bool members_is_majority(struct members m, uint32_t who);

/* The cluster after a change of one member; false: it cannot be made. The old and the new one have
 * a common member in any two of their majorities. */
bool members_change(struct members *m, enum raft_change change, int member);

void members_write(struct members m, struct writer *w);
bool members_read(struct members *m, struct reader *r);

#endif
