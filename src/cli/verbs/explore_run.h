/* One exploration of clew explore, from its options to its report. */
#ifndef CLEW_CLI_VERBS_EXPLORE_RUN_H
#define CLEW_CLI_VERBS_EXPLORE_RUN_H

#include "campaign/account.h"
#include "cli/input/program_command.h"
#include "explore/explore.h"
#include "world/fuzz.h"
#include "world/recipe.h"

struct explore_command {
    struct common common;
    int strategy; /* by its word */
    const char *faults;
    const char *weights;
    const char *until;
    const char *net;
    const char *spec;
    const char *bug;
    const char *set;
    const char *config;
    uint64_t depth; /* 0: as the system says */
    uint64_t delays;
    uint64_t pct_depth;
    uint64_t seed;
    bool prune;
    bool first;
    bool require_exhaustive;
    bool allow_uncontrolled;
    bool verify;
    const char *resume;
    const char *from;
    const char *seed_schedule;
    struct texts ignore;
    bool interactive;
    struct command_choice program;
};

/* One exploration from beginning to end. */
struct exploration {
    struct session *session;
    const struct explore_command *command;
    struct spec spec;
    struct fuzz fuzz;
    struct world *world;
    struct explore_options options;
    struct recipe from;   /* of --from */
    struct recipe seeded; /* of --seed-schedule */
    struct explored found;
    bool is_unseen; /* the search ended, but code that it does not see may have shared memory */
    struct account account; /* of the campaign, after the search */
    char folder[4000];
    char *target; /* the explored system, as on the command line */
};

/* Whether a program is explored; a simulated system otherwise. */
bool exploration_is_program(const struct exploration *x);

/* For explore_options.is_known: the violation is not to be shown. */
bool exploration_is_known(void *exploration, const struct execution *x);

/* Whether nothing went past control, so that a finished search says something of every run. */
bool exploration_is_controlled(const struct exploration *x);

/* Whether tasks ran code whose accesses to memory clew does not see. */
bool exploration_has_unseen(const struct exploration *x);

/* Prints the findings, as sentences or as the JSON object; the exit status. */
int exploration_report(struct exploration *x);

#endif
