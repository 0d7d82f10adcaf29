/* A search writes its results into its campaign: runs in jobs, violations at once. */
#ifndef CLEW_EXPLORE_CAMPAIGN_LOG_H
#define CLEW_EXPLORE_CAMPAIGN_LOG_H

#include "campaign/campaign.h"
#include "explore/explore.h"
#include "explore/search.h"

/* {.campaign = c, .world = w} begins; NULL keeps no campaign, and all below does nothing. */
struct campaign_log {
    struct campaign *campaign;
    struct world *world;   /* whose code is covered */
    struct search *search; /* that is kept with each job, to be gone on with; NULL: none */
    uint64_t kept_count;   /* pieces that it has added */
    struct campaign_job job;
    uint32_t made; /* runs of the job */
    bool has_job;
    uint32_t job_size; /* of the next: so that a job takes about a tenth of a second */
    uint64_t job_ns;   /* when this one began */
};

/* Lets the search go on where one of the same campaign was stopped, if one was. */
MUST_USE int campaign_log_resume(struct campaign_log *l, struct err *e);

/* The search that is kept is another from now on, which has nothing yet to go on with. */
void campaign_log_renew(struct campaign_log *l, struct search *search);

/* The number of the run to be made next, from 0; a new job is taken when the last is done. */
MUST_USE int campaign_log_next(struct campaign_log *l, uint64_t *number, struct err *e);

/* The run was made. */
void campaign_log_run(struct campaign_log *l, const struct plan *p, const struct execution *x);

/* Around runs that are no part of the search: coverage and properties do not count them. */
void campaign_log_hold(struct campaign_log *l);
void campaign_log_go_on(struct campaign_log *l);

/* A violation that this process had not met before: its schedule and its trace become files, and it
 * is saved, unless the campaign has it already. */
MUST_USE int campaign_log_save(struct campaign_log *l, const struct violation *v,
                               const struct trace *t, struct err *e);

/* Commits the runs of the current job, and closes this process's database. */
MUST_USE int campaign_log_end(struct campaign_log *l, struct err *e);

#endif
