/* Run records in the database. The runs of a job are one value, record after record, because a row
 * each would cost more than a short run itself. The runs of one execution are one record, because
 * small systems have few executions, and make a million runs in a few seconds. */
#ifndef CLEW_CAMPAIGN_RECORD_H
#define CLEW_CAMPAIGN_RECORD_H

#include <stdint.h>

/* Little-endian, as all files are. Words are ids in the table of words; 0: none. */
struct run_record {
    uint64_t seed; /* of the first of them */
    uint64_t execution_hash;
    uint64_t state_hash;
    uint32_t steps; /* saturates */
    uint32_t strategy;
    uint32_t outcome;
    uint32_t violation; /* its key */
    uint64_t count;     /* of runs */
};

_Static_assert(sizeof(struct run_record) == 48, "campaign version 3");

#endif
