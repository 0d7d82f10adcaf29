/* Campaigns over a system that is only arithmetic: what run number n does follows from n. */
#ifndef CLEW_TEST_CAMPAIGNS_H
#define CLEW_TEST_CAMPAIGNS_H

#include "campaign/account.h"
#include "campaign/campaign.h"

/* Options for a campaign at path. */
struct campaign_options campaign_for(const char *path, bool is_resumed);

/* The key of what run number n violates, "" when it violates nothing; a static text. */
const char *campaign_key_of(uint64_t number);

/* Makes the runs of the job, saves the violations that are new and, unless it is NULL, tells of
 * each that is saved; then ends the job. */
MUST_USE int campaign_work(struct campaign *c, const struct campaign_job *job,
                           void (*saved)(void *context, const char *key), void *context,
                           struct err *e);

#endif
