/* A verb: one row of the table that the dispatcher, help, manual and completion all read. */
#ifndef CLEW_CLI_VERB_H
#define CLEW_CLI_VERB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "cli/options.h"

struct session;

/* The exit status of a command. */
enum exit_status {
    EXIT_CLEAN = 0,
    EXIT_FOUND = 1,
    EXIT_UNABLE = 2,
    EXIT_UNKNOWN = 3,
};

/* Returned by a verb instead of -1 when the command line was wrong, not the environment. */
#define MISUSED (-2)

struct example {
    const char *command;
    const char *says; /* purpose */
};

struct verb {
    const char *name;
    const char *summary;  /* one line */
    const char *operands; /* as in the usage line: "TRACE" */
    size_t operand_min;
    size_t operand_max;
    bool takes_command;        /* a program with its words may follow "--" in place of an operand */
    bool replaces_input;       /* --output may name the first input, of which it is made */
    bool is_stopped_softly;    /* the first Ctrl-C or SIGTERM leaves time to print the findings */
    bool has_foreign_words;    /* all words are another program's: none is an option here */
    const char *about;         /* a paragraph for help */
    const char *exit_statuses; /* meaning of 0, 1, 2 and 3 here, a line each */
    int status_unable;         /* for a misused command line; 0: EXIT_UNABLE */
    const struct option *options;
    const void *defaults; /* a struct of options_size bytes that begins with struct common */
    size_t options_size;
    const struct example *examples; /* ended by a NULL command */
    /* Runs with the filled-in copy of `defaults`; enum exit_status, or -1 or MISUSED
     * and why it could not. */
    int (*run)(struct session *s, const void *options, struct err *e);
};

/* Every verb, in the order of help. A file verbs/cmd_##name.c defines verb_##name. */
/* clang-format off */
#define VERB_LIST(VERB) \
    VERB(info) VERB(convert) VERB(check) VERB(slice) VERB(races) VERB(petri) \
    VERB(atomicity) VERB(correlate) VERB(monitor) VERB(explore) VERB(replay) VERB(minimize) \
    VERB(explain) VERB(view) VERB(confirm) VERB(diff) VERB(record) VERB(cc) VERB(cpp) VERB(doctor) VERB(rules) \
    VERB(spec) VERB(campaign) VERB(cases) VERB(demo)
/* clang-format on */

#define VERB(name) extern const struct verb verb_##name;
VERB_LIST(VERB)
#undef VERB

/* All of them, ended by NULL. */
extern const struct verb *const verbs[];

/* The verb with this name, NULL when there is none. */
const struct verb *verb_find(const char *name);

#endif
