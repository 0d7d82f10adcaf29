/* The work of clew atomicity: one run after the other analysed, the findings of all in one report.
 */
#ifndef CLEW_CLI_VERBS_ATOMICITY_RUN_H
#define CLEW_CLI_VERBS_ATOMICITY_RUN_H

#include "atomicity/atomicity.h"
#include "atomicity/pairs.h"
#include "base/names.h"
#include "cli/input/trace_input.h"
#include "report/findings_file.h"

struct atomicity_command {
    struct common common;
    int only; /* enum atomicity_only */
    const char *variable;
    const char *pairs;
    uint64_t top;
    bool all_pairs;
    bool merged;
    bool rounds;
    bool all;
    int compat; /* 1: spin */
    int via;    /* enum solve_way */
    bool witness;
    uint64_t explain; /* UINT64_MAX: not asked */
};

enum atomicity_only { ONLY_ALL = -1, ONLY_SINGLE, ONLY_PAIR, ONLY_REGION };

struct atomicity {
    struct session *session;
    const struct atomicity_command *command;
    struct pairs pairs; /* to look at, if any were given or several runs agree on them */
    bool has_pairs;
    struct finding_file file;
    struct atomicity_stats stats;        /* of all runs */
    struct notes notes;                  /* of all runs */
    struct names keys;                   /* of the findings, in their order: numbers from 1 */
    struct names seen;                   /* models of all runs */
    uint64_t counts[FINDING_KIND_COUNT]; /* of findings by place, before they are folded */
    uint64_t count;
    bool is_folded;
    bool is_explained;
    bool is_cut; /* the budget ended before everything was read and looked at */
};

/* Refuses impossible combinations of options: -1 and the reason, or 0. */
MUST_USE int atomicity_begin(struct atomicity *a, struct session *s,
                             const struct atomicity_command *c, struct err *e);
void atomicity_release(struct atomicity *a);

/* Chooses the pairs that correlate best over all runs, where there are several. */
MUST_USE int atomicity_choose_pairs(struct atomicity *a, struct err *e);

/* Adds the findings of one run. */
MUST_USE int atomicity_of_run(struct atomicity *a, struct reading *reading, struct err *e);

/* Prints the findings; enum exit_status or -1. */
MUST_USE int atomicity_report(struct atomicity *a, struct err *e);

#endif
