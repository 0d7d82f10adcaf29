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
 *     campaign_open(&c, &options, e);
 *     while (!limit_is_spent(...)) {
 *         struct campaign_job job;
 *         campaign_take(c, 100, &job, e);
 *         for (i = 0; i < job.count; i++) { ... campaign_run(c, &run); campaign_cover(...) ... }
 *         campaign_done(c, e);
 *     }
 *     campaign_close(c);
 *
 * Several processes share a campaign: the first opens it, calls campaign_pause and forks; each of
 * them, parent and children, goes on with its copy of the handle and takes jobs of its own. Each
 * closes its copy; the folder is free when the last has. */
#ifndef CLEW_CAMPAIGN_CAMPAIGN_H
#define CLEW_CAMPAIGN_CAMPAIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { CAMPAIGN_VERSION = 3 };

/* What the campaign is about: texts, none NULL. A resumed campaign must be about the same. */
struct campaign_about {
    const char *system; /* how the user called it */
    const char *build;  /* id of the build */
    const char *world;  /* "sim", "process" */
    const char *strategy;
    const char *settings; /* all else that makes a run what it is: net, faults, depth ... */
    const char *replay; /* options of clew replay that a schedule needs, "" or each with a space */
    uint64_t seed;      /* that all others come from */
};

/* One run, by its number. */
struct campaign_run {
    uint64_t number; /* of the job that was taken; they come in order */
    uint64_t seed;
    const char *strategy;
    const char *outcome;   /* "passed", "property" ... */
    const char *violation; /* key of what it violated, "" when it did not */
    uint64_t steps;
    uint64_t execution_hash; /* of all that happened */
    uint64_t state_hash;     /* of the last state, 0 when not known */
};

/* A violation, the first of its key. */
struct campaign_violation {
    const char *key;      /* the same for the same bug in other runs */
    const char *kind;     /* of finding: "property", "crash" ... */
    const char *severity; /* "error", "warning", "note" */
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
    uint64_t nodes;    /* ... and by which nodes, a bit each (the last for all from the 64th on) */
    const char *place; /* "bank.c:34 deposit", "" when not known */
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
    bool is_again; /* begun before, by a search that was stopped */
};

struct campaign_options {
    const char *path;
    bool is_resumed; /* go on with a campaign that is there, instead of making one */
    struct campaign_about about;
};

struct campaign;

/* Makes the folder, or goes on with one that is there, and holds its lock until closed. Fails when
 * it is in use by another clew (naming its process), is there or is not although the other was
 * wanted, is no campaign, is damaged, of a later version, or about something else. */
MUST_USE int campaign_open(struct campaign **c, const struct campaign_options *o, struct err *e);

/* Before fork: closes the database, but keeps the lock. The next call, in whichever process, opens
 * it again. No job may be under way. */
void campaign_pause(struct campaign *c);

/* Forgets what was not committed, and closes. */
void campaign_close(struct campaign *c);

/* Closes, and removes a campaign that no run was made for: a search that failed at its start leaves
 * nothing behind. One that holds a violation, or was resumed, stays. */
void campaign_discard(struct campaign *c);

/* Takes a job: one that was begun and never done, else the next `count` numbers. */
MUST_USE int campaign_take(struct campaign *c, uint32_t count, struct campaign_job *job,
                           struct err *e);

/* The number that the next new job would begin with: how many runs were taken so far. */
MUST_USE int campaign_next(struct campaign *c, uint64_t *number, struct err *e);

/* What the job under way taught; kept in memory until campaign_done. Counts add up. */
void campaign_run(struct campaign *c, const struct campaign_run *run);
void campaign_cover(struct campaign *c, const struct campaign_block *more);
void campaign_check(struct campaign *c, const struct campaign_property *more);

/* Bytes to be found again by a resumed search, under a name: the memory of a strategy, a frontier.
 * They replace what the name had. */
void campaign_keep(struct campaign *c, const char *name, const void *bytes, size_t size);

/* Commits all of it and ends the job. Numbers that were not made are left for another job. When it
 * fails, what the job taught is forgotten, and the job is one that was never done. */
MUST_USE int campaign_done(struct campaign *c, struct err *e);

/* What was kept under the name, to be given back with mem_free; *bytes is NULL when nothing was. */
MUST_USE int campaign_kept(struct campaign *c, const char *name, void **bytes, size_t *size,
                           struct err *e);

/* Whether a violation with this key is saved. */
MUST_USE int campaign_is_known(struct campaign *c, const char *key, bool *is_known, struct err *e);

/* Names for the files of a violation to be saved, without ending, relative to the folder:
 * "violations/3"; no two processes get the same. */
enum { CAMPAIGN_NAME_SIZE = 48 };
MUST_USE int campaign_name(struct campaign *c, char name[CAMPAIGN_NAME_SIZE], struct err *e);

/* Saves a violation at once. Its files must be there. One whose key is known is left as it is. */
MUST_USE int campaign_save(struct campaign *c, const struct campaign_violation *v, struct err *e);

/* The folder. */
const char *campaign_path(const struct campaign *c);

#endif
