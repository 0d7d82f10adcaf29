/* The messages a task has received so far, as far as a later one can race with them: message 2
 * could have been there first when the receive of message 1 is not before the send of message 2.
 * The receives of one task are a chain, so the latest per place and channel stands for all there
 * (see history.h). */
#ifndef CLEW_RACE_OBSERVED_MESSAGE_HISTORY_H
#define CLEW_RACE_OBSERVED_MESSAGE_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "race/triple_map.h"

#define ARRIVAL_NONE UINT32_MAX

/* A receive and its send. */
struct arrival {
    uint64_t index, send_index;
    uint32_t location, send_location;
    uint32_t send_task;
    uint32_t column, clock; /* of the receive, in its task's own time */
    uint32_t stream;        /* name of the channel of a stream, 0 for a message */
};

struct arrival_record {
    struct arrival last;   /* the latest receive here */
    struct arrival before; /* the latest of another send; its clock is 0 when there is none */
    uint32_t newer, older; /* of the task's records */
};

struct arrival_race {
    uint32_t task;                /* that received both */
    struct arrival first, second; /* in the order of receiving */
    uint64_t pair_count;
};

/* {0} is empty, with found to be set. */
struct arrivals {
    void (*found)(void *owner, const struct arrival_race *race);
    void *owner;
    bool keeps_every_receive;
    VEC(uint32_t) heads; /* by task: its latest record */
    VEC(struct arrival_record) records;
    struct triples record_of; /* (task, location, stream) */
    struct triples race_of;   /* (task, location of the send, location of the receive) */
    VEC(struct arrival_race) races;
};

void arrivals_release(struct arrivals *a);

/* The task receives: reports each earlier receive that the send had not seen (it had seen the times
 * of column c up to seen[c]): this message could have come before it. O(racing places). */
void arrivals_add(struct arrivals *a, uint32_t task, const struct arrival *arrival,
                  const uint32_t *seen);

#endif
