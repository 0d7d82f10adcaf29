/* The account of a campaign's folder, read at once; also while a search works on it.
 *
 *     struct account a = {0};
 *     if (account_read(&a, "raft.campaign", e) == 0) { ... a.run_count, a.violations ... }
 *     account_release(&a);
 */
#ifndef CLEW_CAMPAIGN_ACCOUNT_H
#define CLEW_CAMPAIGN_ACCOUNT_H

#include "base/arena.h"
#include "base/vec.h"
#include "campaign/campaign.h"

/* The number of runs of a strategy with an outcome. */
struct account_outcome {
    const char *strategy, *outcome;
    uint64_t run_count, step_count;
};

struct account_violation {
    uint64_t id;
    struct campaign_violation violation;
    uint64_t run_count; /* the number of runs that showed it */
};

/* Texts are in the arena. */
struct account {
    struct arena arena;
    struct campaign_about about;
    uint64_t session_count; /* the number of searches that worked on it */
    uint64_t run_count, step_count;
    uint64_t steps_least, steps_most;   /* of a run */
    uint64_t execution_count;           /* different ones, by hash */
    uint64_t state_count;               /* different last states, by hash */
    uint64_t job_count, job_open_count; /* done; begun and not done */
    VEC(struct account_outcome) outcomes;
    VEC(struct account_violation) violations; /* in the order they were found */
    VEC(struct campaign_property) properties;
    VEC(struct campaign_block) blocks; /* by index */
};

/* Reads the campaign at path into a, which must be {0}. Fails when it is no campaign, is damaged or
 * of a later version; a must be released either way. */
MUST_USE int account_read(struct account *a, const char *path, struct err *e);
void account_release(struct account *a);

#endif
