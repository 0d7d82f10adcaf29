/* Campaigns over a system of plain arithmetic: run number n does the same each time. */
#ifndef CLEW_TEST_CAMPAIGNS_H
#define CLEW_TEST_CAMPAIGNS_H

#include "campaign/account.h"
#include "campaign/campaign.h"

/* Options for a campaign at path. */
struct campaign_options campaign_for(const char *path, bool is_resumed);

/* The key of the violation in run number n, "" if there is none; a static text. */
const char *campaign_key_of(uint64_t number);

/* Makes the runs of the job, saves the new violations and, unless it is NULL, calls `saved` for
 * each; then ends the job. */
MUST_USE int campaign_work(struct campaign *c, const struct campaign_job *job,
                           void (*saved)(void *context, const char *key), void *context,
                           struct err *e);

#endif
