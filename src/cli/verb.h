/* A verb: one row of the table that the dispatcher, help, manual and completion all read. */
#ifndef CLEW_CLI_VERB_H
#define CLEW_CLI_VERB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "cli/options.h"

struct session;

/* What a command ends with. */
enum exit_status {
    EXIT_CLEAN = 0,
    EXIT_FOUND = 1,
    EXIT_UNABLE = 2,
    EXIT_UNKNOWN = 3,
};

/* What a verb returns instead of -1 when the command line, not the world, was wrong. */
#define MISUSED (-2)

struct example {
    const char *command;
    const char *says; /* what it is good for */
};

struct verb {
    const char *name;
    const char *summary;  /* one line */
    const char *operands; /* as in the usage line: "TRACE" */
    size_t operand_min;
    size_t operand_max;
    bool takes_command;        /* a program with its words may follow "--" in place of an operand */
    bool replaces_input;       /* --output may name the first input, of which it is made */
    bool is_stopped_softly;    /* the first Ctrl-C or SIGTERM leaves time to tell what there is */
    bool has_foreign_words;    /* all words are another program's: none is an option here */
    const char *about;         /* a paragraph for help */
    const char *exit_statuses; /* what 0, 1, 2 and 3 mean here, a line each */
    int status_unable;         /* for a misused command line; 0: EXIT_UNABLE */
    const struct option *options;
    const void *defaults; /* a struct of options_size bytes that begins with struct common */
    size_t options_size;
    const struct example *examples; /* ended by a NULL command */
    /* Runs with the filled-in copy of `defaults`; enum exit_status, or -1 or MISUSED
     * and why it could not. */
    int (*run)(struct session *s, const void *options, struct err *e);
};

/* Every verb, in the order of help; ended by NULL. */
extern const struct verb *const verbs[];

/* The verb with this name, NULL when there is none. */
const struct verb *verb_find(const char *name);

extern const struct verb verb_info;
extern const struct verb verb_convert;
extern const struct verb verb_check;
extern const struct verb verb_record;
extern const struct verb verb_cc;
extern const struct verb verb_cpp;
extern const struct verb verb_doctor;
extern const struct verb verb_slice;
extern const struct verb verb_races;
extern const struct verb verb_rules;
extern const struct verb verb_monitor;
extern const struct verb verb_spec;
extern const struct verb verb_campaign;
extern const struct verb verb_cases;
extern const struct verb verb_atomicity;
extern const struct verb verb_correlate;
extern const struct verb verb_petri;
extern const struct verb verb_demo;
extern const struct verb verb_explore;
extern const struct verb verb_replay;
extern const struct verb verb_minimize;
extern const struct verb verb_explain;
extern const struct verb verb_confirm;
extern const struct verb verb_diff;

#endif
