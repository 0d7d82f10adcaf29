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
    bool runs_program;         /* a program behind "--" is enough */
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

/* Every verb, in the order of help, below the heading of its group. A file verbs/cmd_##name.c
 * defines verb_##name. */
/* clang-format off */
#define VERB_LIST(GROUP, VERB)                          \
    GROUP("drive a program or system into its bugs")    \
    VERB(hunt)                                          \
    VERB(test)                                          \
    VERB(explore)                                       \
    VERB(replay)                                        \
    VERB(minimize)                                      \
    VERB(confirm)                                       \
    VERB(reproduce)                                     \
    VERB(campaign)                                      \
    GROUP("record an execution, and predict others")    \
    VERB(record)                                        \
    VERB(races)                                         \
    VERB(atomicity)                                     \
    VERB(monitor)                                       \
    GROUP("understand a finding")                       \
    VERB(explain)                                       \
    VERB(view)                                          \
    VERB(diff)                                          \
    VERB(petri)                                         \
    VERB(correlate)                                     \
    GROUP("look at traces and convert them")            \
    VERB(info)                                          \
    VERB(check)                                         \
    VERB(convert)                                       \
    VERB(slice)                                         \
    GROUP("build programs, check files, learn")         \
    VERB(cc)                                            \
    VERB(cpp)                                           \
    VERB(doctor)                                        \
    VERB(cluster)                                       \
    VERB(rules)                                         \
    VERB(spec)                                          \
    VERB(cases)                                         \
    VERB(demo)
/* clang-format on */

#define GROUP(heading)
#define VERB(name) extern const struct verb verb_##name;
VERB_LIST(GROUP, VERB)
#undef VERB
#undef GROUP

/* All of them, ended by NULL. */
extern const struct verb *const verbs[];

/* The lines of a list of verbs: the heading of a group, or a verb. */
struct verb_line {
    const char *heading; /* NULL: a verb */
    const struct verb *verb;
};
extern const struct verb_line verb_lines[]; /* ended by a line with neither */

/* The verb with this name, NULL when there is none. */
const struct verb *verb_find(const char *name);

#endif
