/* One minimization of clew minimize, from its options to its report. */
#ifndef CLEW_CLI_VERBS_MINIMIZE_RUN_H
#define CLEW_CLI_VERBS_MINIMIZE_RUN_H

#include "cli/input/program_command.h"
#include "cli/text/search_progress.h"
#include "cli/verbs/minimize_output.h"
#include "minimize/minimize.h"
#include "world/fuzz.h"

struct minimize_command {
    struct common common;
    uint32_t stages; /* a bit each; 0: all */
    int same;
    int compat;
    bool no_diverge;
    const char *repeat;
    const char *pace;
    const char *spec;
    const char *config;
    struct command_choice program;
};

/* One minimization from beginning to end. */
struct minimization {
    struct session *session;
    const struct minimize_command *command;
    struct world *world;
    struct schedule schedule;
    struct spec spec;
    struct fuzz fuzz;
    struct minimize_options options;
    struct minimized result;
    struct searching searching;
    struct out pace;
    bool has_pace;         /* it is open */
    struct best_file file; /* where the schedule goes */
    uint64_t begin_ns;
    uint64_t elapsed_ns; /* in the end */
};

/* For minimize_options: shows how it goes. The context is the struct minimization. */
void minimization_show(void *context, const struct minimize_progress *p);

/* Prints the result, as sentences or as the JSON object, which agree. Where the schedule
 * has standard output, sentences go to standard error. */
void minimization_report(struct minimization *m);

/* Says on standard error which of its schedules the file has, where something ended the
 * minimization after that was written. */
void minimization_say_left(const struct minimization *m);

#endif
