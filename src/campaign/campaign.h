/* A campaign: the results of a search, in a folder that outlives it.
 *
 *     raft.campaign/
 *         campaign.db             sqlite: runs, coverage, properties, violations
 *         lock                    held by the clew that works on it
 *         violations/1.sched      a schedule and a trace for each violation
 *         violations/1.clew
 *
 * The work is divided into jobs, each a range of run numbers. A search takes a job, makes its runs,
 * and commits all results at once when it is done. So a search that was killed repeats at most the
 * jobs in progress. A violation is durable when campaign_save returns.
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
 * Several processes share a campaign: the first opens it, calls campaign_pause and forks; parent
 * and children continue with their copies of the handle and take jobs of their own. Each closes its
 * copy; the last close releases the folder. */
#ifndef CLEW_CAMPAIGN_CAMPAIGN_H
#define CLEW_CAMPAIGN_CAMPAIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { CAMPAIGN_VERSION = 3 };

/* The subject of the campaign: texts, none NULL. A resumed campaign must have the same. */
struct campaign_about {
    const char *system; /* its name on the command line */
    const char *build;  /* id of the build */
    const char *world;  /* "sim", "process" */
    const char *strategy;
    const char *settings; /* all other settings that determine a run: net, faults, depth ... */
    const char *replay; /* options of clew replay that a schedule needs, "" or each with a space */
    uint64_t seed;      /* from which all others are derived */
};

/* One run, by its number. */
struct campaign_run {
    uint64_t number; /* of the job that was taken; ascending */
    uint64_t seed;
    const char *strategy;
    const char *outcome;   /* "passed", "property" ... */
    const char *violation; /* key of its violation, "" when it has none */
    uint64_t steps;
    uint64_t execution_hash; /* of the whole execution */
    uint64_t state_hash;     /* of the last state, 0 when unknown */
};

/* A violation, the first of its key. */
struct campaign_violation {
    const char *key;      /* the same for the same bug in other runs */
    const char *kind;     /* of finding: "property", "crash" ... */
    const char *severity; /* "error", "warning", "note" */
    const char *property; /* its name, "" when it violated none */
    const char *what;     /* one sentence */
    const char *values;   /* of the variables it reads, "" when there are none */
    uint64_t run;         /* its number */
    uint64_t step;
    const char *schedule; /* name of a file in the folder, relative to it; "" when there is none */
    const char *trace;
};

/* A block of code, by its index in the program's table. */
struct campaign_block {
    uint32_t index;
    uint64_t count; /* the number of entries ... */
    uint64_t nodes; /* ... and the nodes that entered it, a bit each (the last for all from the 64th
                       on) */
    const char *place; /* "bank.c:34 deposit", "" when unknown */
};

/* The results of one property over some runs. */
struct campaign_property {
    const char *name;
    const char *text; /* as printed */
    uint64_t checks, skips, failures;
};

/* A range of run numbers to make: first, first + 1 ... */
struct campaign_job {
    uint64_t id;
    uint64_t first;
    uint32_t count;
    bool is_again; /* begun before, by a search that was stopped */
};

struct campaign_options {
    const char *path;
    bool is_resumed; /* continue an existing campaign, instead of making one */
    struct campaign_about about;
};

struct campaign;

/* Makes the folder, or continues an existing one, and holds its lock until closed. Fails when
 * another clew uses it (naming its process), when it exists or not contrary to the option, and when
 * it is no campaign, is damaged, of a later version, or has another subject. */
MUST_USE int campaign_open(struct campaign **c, const struct campaign_options *o, struct err *e);

/* Before fork: closes the database, but keeps the lock. The next call, in any of the processes,
 * opens it again. No job may be in progress. */
void campaign_pause(struct campaign *c);

/* Drops uncommitted results, and closes. */
void campaign_close(struct campaign *c);

/* Closes, and removes a campaign without runs: a search that failed at its start leaves nothing
 * behind. One that holds a violation, or was resumed, stays. */
void campaign_discard(struct campaign *c);

/* Takes a job: one that was begun and never done, else the next `count` numbers. */
MUST_USE int campaign_take(struct campaign *c, uint32_t count, struct campaign_job *job,
                           struct err *e);

/* The first number of the next new job: the number of runs taken so far. */
MUST_USE int campaign_next(struct campaign *c, uint64_t *number, struct err *e);

/* Adds results of the current job; kept in memory until campaign_done. Counts add up. */
void campaign_run(struct campaign *c, const struct campaign_run *run);
void campaign_cover(struct campaign *c, const struct campaign_block *more);
void campaign_check(struct campaign *c, const struct campaign_property *more);

/* Stores bytes under a name for a resumed search: the memory of a strategy, a frontier. They
 * replace the earlier bytes of the name. */
void campaign_keep(struct campaign *c, const char *name, const void *bytes, size_t size);

/* Commits the results and ends the job. Numbers that were not made are left for another job. On
 * failure the results are dropped, and the job counts as never done. */
MUST_USE int campaign_done(struct campaign *c, struct err *e);

/* The bytes stored under the name, freed with mem_free; *bytes is NULL when there are none. */
MUST_USE int campaign_kept(struct campaign *c, const char *name, void **bytes, size_t *size,
                           struct err *e);

/* Whether a violation with this key is saved. */
MUST_USE int campaign_is_known(struct campaign *c, const char *key, bool *is_known, struct err *e);

/* Names for the files of a violation, without ending, relative to the folder: "violations/3"; no
 * two processes get the same. */
enum { CAMPAIGN_NAME_SIZE = 48 };
MUST_USE int campaign_name(struct campaign *c, char name[CAMPAIGN_NAME_SIZE], struct err *e);

/* Saves a violation at once. Its files must exist. One whose key is known stays unchanged, unless
 * the new one is of an earlier run. */
MUST_USE int campaign_save(struct campaign *c, const struct campaign_violation *v, struct err *e);

/* Begins to save a violation of a run, and keeps other processes from it until campaign_save or
 * campaign_save_not. Where the key was saved of this run or an earlier one, *is_wanted is false and
 * nothing is begun. Where it was saved of a later run, the name is that of its files, which the
 * caller replaces: so the files are those of the first run, whichever process was faster. */
MUST_USE int campaign_begin_save(struct campaign *c, const char *key, uint64_t run, bool *is_wanted,
                                 char name[CAMPAIGN_NAME_SIZE], struct err *e);
void campaign_save_not(struct campaign *c);

/* The folder. */
const char *campaign_path(const struct campaign *c);

#endif
