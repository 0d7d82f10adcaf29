/* A campaign: what a search has done, in a folder that outlives it.
 *
 *     raft.campaign/
 *         campaign.db             sqlite: runs, coverage, properties, violations
 *         lock                    held by the clew that works on it
 *         violations/1.sched      a schedule and a trace for each violation
 *         violations/1.clew
 *
 * The work is cut into jobs, each a range of run numbers. A job is taken, its runs are made, and
 * all they taught is committed at once when it is done, so that a search that was killed repeats at
 * most the jobs that were under way. A violation is saved for good when campaign_save returns.
 *
 *     struct campaign *c = NULL;
 *     campaign_open(&c, "raft.campaign", &about, e);
 *     while (!limit_is_spent(...)) {
 *         struct campaign_job job;
 *         campaign_take(c, 100, &job, e);
 *         for (i = 0; i < job.count; i++) { ... campaign_run(c, &run, e); campaign_cover(...) ... }
 *         campaign_done(c, e);
 *     }
 *     campaign_close(c, e);
 *
 * Workers share a campaign: each process opens it with campaign_join and takes jobs of its own. */
#ifndef CLEW_CAMPAIGN_CAMPAIGN_H
#define CLEW_CAMPAIGN_CAMPAIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "trace/finding.h"

/* What the campaign is about. Texts are never NULL; a resumed campaign must be about the same. */
struct campaign_about {
    const char *system; /* how the user called it */
    const char *build;  /* id of the build */
    const char *world;  /* "sim", "proc" */
    const char *strategy;
    const char *settings; /* all else that makes a run what it is: net, faults, depth ... */
    uint64_t seed;        /* that all others come from */
};

/* One run, by its number. */
struct campaign_run {
    uint64_t number; /* of the job that was taken */
    uint64_t seed;
    const char *strategy;
    int outcome;        /* enum finding_kind, or CAMPAIGN_PASSED */
    uint64_t violation; /* fingerprint of what it violated, if it did */
    uint64_t steps;
    uint64_t execution_hash; /* of what happened */
    uint64_t state_hash;     /* of the last state */
};

#define CAMPAIGN_PASSED (-1)

/* A violation, the first of its fingerprint. */
struct campaign_violation {
    uint64_t fingerprint;
    enum finding_kind kind;
    const char *property; /* its name, "" when it broke none */
    const char *what;     /* one sentence */
    const char *values;   /* of the variables it speaks of, "" when there are none */
    uint64_t run;         /* its number */
    uint64_t step;
    const char *schedule; /* name of a file in the folder, relative to it; "" when there is none */
    const char *trace;
};

/* A block of code, by its index in the program's table. */
struct campaign_block {
    uint32_t index;
    uint64_t count;    /* how often it was entered ... */
    uint64_t nodes;    /* ... and by which nodes, a bit each (the 64th for all others) */
    const char *place; /* "bank.c:34 (deposit)", "" when not known */
};

/* What became of one property in some runs. */
struct campaign_property {
    const char *name;
    const char *text; /* as printed */
    uint64_t checks, skips, failures;
};

/* A range of run numbers to be made: first, first + 1 ... */
struct campaign_job {
    uint64_t id;
    uint64_t first;
    uint32_t count;
    bool is_again; /* begun before by a search that was stopped */
};

struct campaign;

/* Makes the folder, or goes on with one that is there (is_resumed says which is wanted). Holds its
 * lock until closed. Fails when the folder is in use by another clew (naming its process), is
 * there or is not although the other was wanted, is no campaign, is damaged, of a later version, or
 * about something else. */
struct campaign_options {
    const char *path;
    bool is_resumed;
    struct campaign_about about;
};
MUST_USE int campaign_open(struct campaign **c, const struct campaign_options *o, struct err *e);

/* A second hand on a campaign that a parent process has opened: in a child, after fork. */
MUST_USE int campaign_join(struct campaign **c, const char *path, struct err *e);

/* Writes what is pending of the job under way, but does not finish the job; closes. */
void campaign_close(struct campaign *c);

/* Takes a job: one that was begun and never done, else the next `count` numbers. */
MUST_USE int campaign_take(struct campaign *c, uint32_t count, struct campaign_job *job,
                           struct err *e);

/* What the job under way taught; kept in memory until campaign_done. */
void campaign_run(struct campaign *c, const struct campaign_run *run);
void campaign_cover(struct campaign *c, const struct campaign_block *delta);
void campaign_check(struct campaign *c, const struct campaign_property *delta);

/* Bytes to be found again by a resumed search, under a name: the memory of a strategy, a frontier.
 * Written with the job. */
void campaign_keep(struct campaign *c, const char *name, const void *bytes, size_t size);

/* Commits all of it and ends the job. */
MUST_USE int campaign_done(struct campaign *c, struct err *e);

/* The blocks a program has, covered or not. Those known already keep their counts. */
MUST_USE int campaign_blocks(struct campaign *c, const struct campaign_block *blocks, size_t count,
                             struct err *e);

/* Whether a violation of this fingerprint is saved. */
MUST_USE int campaign_is_known(struct campaign *c, uint64_t fingerprint, bool *is_known,
                               struct err *e);

/* A name for the files of the next violation, unique in the campaign: "violations/3". */
MUST_USE int campaign_name(struct campaign *c, char *name, size_t size, struct err *e);

/* Saves a violation at once. The files it names must be there. One whose fingerprint is known is
 * left as it is. */
MUST_USE int campaign_save(struct campaign *c, const struct campaign_violation *v, struct err *e);

#endif
