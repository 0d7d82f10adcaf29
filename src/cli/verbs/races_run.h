/* The work of clew races: one run after the other analysed, the findings of all in one report. */
#ifndef CLEW_CLI_VERBS_RACES_RUN_H
#define CLEW_CLI_VERBS_RACES_RUN_H

#include "base/names.h"
#include "cli/input/program_command.h"
#include "cli/input/trace_input.h"
#include "order/user_edges.h"
#include "race/race.h"
#include "report/findings_file.h"

enum races_only { ONLY_DATA, ONLY_MESSAGES, ONLY_DEADLOCKS };

struct races_command {
    struct common common;
    int model;  /* by its word */
    int compat; /* enum race_compat */
    int only;   /* enum races_only, -1: all */
    const char *variable;
    const char *edges;
    const char *via;
    const char *smtlib;
    struct moment since, until;
    bool all;
    bool all_pairs;
    bool witness;
    bool prune;
    uint64_t explain; /* UINT64_MAX: not asked */
    uint64_t seed;    /* of a program's run; UINT64_MAX: the default order of its tasks */
    struct command_choice program;
};

struct races {
    struct session *session;
    const struct races_command *command;
    enum race_model model;
    const char *model_name; /* or whom --compat follows */
    struct given given;
    struct finding_file file;
    struct race_stats stats; /* of all runs */
    struct notes notes;      /* assumptions of all runs */
    struct names keys;       /* of the findings, in their order: numbers from 1 */
    bool is_explained;       /* the finding that was asked for has been shown */
    bool is_cut;             /* the budget ended while a trace was read */
    bool has_children;       /* a program made other processes, which nobody controlled */
    bool has_no_accesses;    /* a run of a program that was not built to tell them */
    bool is_unsure;          /* a program's run was not controlled whole, or did not end */
};

void races_release(struct races *r);

/* Adds the races of one run. */
MUST_USE int races_of_run(struct races *r, struct reading *reading, struct err *e);

/* Runs the session's command once under control and adds the races of that execution. */
MUST_USE int races_of_command(struct races *r, struct err *e);

/* Prints the findings; enum exit_status or -1. */
MUST_USE int races_report(struct races *r, struct err *e);

#endif
