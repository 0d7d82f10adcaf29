/* A program and its words behind "--", as a world for explore, replay and minimize. */
#ifndef CLEW_CLI_INPUT_PROGRAM_COMMAND_H
#define CLEW_CLI_INPUT_PROGRAM_COMMAND_H

#include "cli/session.h"
#include "proc/control/program.h"

/* Its options. */
struct command_choice {
    int mode;    /* enum control_mode; -1: the fastest that works */
    int fail_on; /* 0: a status other than 0 is a violation; -1: it is not */
    bool shows_output;
    uint32_t verify_every; /* every N-th run is made twice; 0: none */
    uint64_t hang;         /* seconds that a run may take */
    uint64_t spurious;     /* waits for a condition that may end without a signal, of each thread */
    const char *property;
    const char *setup; /* a command that prepares the files of runs; NULL: none */
    int files;         /* 0: each run has its own; 1: they share those that are there */
    struct texts watch;
};

enum { COMMAND_SPURIOUS_MAX = 100, COMMAND_HANG = 10, COMMAND_HANG_MAX = 1000000 };

#define COMMAND_CHOICE_DEFAULTS                         \
    {                                                   \
        .mode = -1, .fail_on = -1, .hang = COMMAND_HANG \
    }

const char *command_mode_word(size_t index);
const char *command_fail_word(size_t index);
const char *command_files_word(size_t index);

/* Rows for a table of options of struct `owner`, whose struct command_choice is `program`. */
#define COMMAND_OPTIONS(owner)                                                                    \
    {.name = "mode",                                                                              \
     .type = OPTION_CHOICE,                                                                       \
     .argument = "MODE",                                                                          \
     .word = command_mode_word,                                                                   \
     .target = offsetof(owner, program.mode),                                                     \
     .help = "programs: how each run starts: fiber (threads become fibers; memory is restored "   \
             "after each run), fork (fibers, one fork per run), thread (real threads, one fork "  \
             "per run), exec (real threads, one exec per run) (default: the first that works)"},  \
        {.name = "fail-on",                                                                       \
         .type = OPTION_CHOICE,                                                                   \
         .argument = "WHAT",                                                                      \
         .word = command_fail_word,                                                               \
         .target = offsetof(owner, program.fail_on),                                              \
         .help = "programs: exit makes an exit status other than 0 a violation"},                 \
        {.name = "property",                                                                      \
         .type = OPTION_FILE,                                                                     \
         .argument = "FILE.c",                                                                    \
         .target = offsetof(owner, program.property),                                             \
         .help = "programs: check the properties in this C file, which clew compiles and loads "  \
                 "(man 3 clew-property)"},                                                        \
        {.name = "watch",                                                                         \
         .type = OPTION_TEXTS,                                                                    \
         .argument = "EXPR",                                                                      \
         .target = offsetof(owner, program.watch),                                                \
         .help = "programs: report a global variable or a part of one (account.balance, "         \
                 "table[3].next->key) whenever it changes; NAME=EXPR names it; may be repeated"}, \
        {.name = "spurious-wakeups",                                                              \
         .type = OPTION_NUMBER,                                                                   \
         .argument = "N",                                                                         \
         .target = offsetof(owner, program.spurious),                                             \
         .help = "programs: allow each thread up to N spurious wakeups from condition variables " \
                 "(default: 0)"},                                                                 \
        {.name = "files",                                                                         \
         .type = OPTION_CHOICE,                                                                   \
         .argument = "WHOSE",                                                                     \
         .word = command_files_word,                                                              \
         .target = offsetof(owner, program.files),                                                \
         .help = "programs: private (each run writes to its own copy of the current directory's " \
                 "files) or shared (all runs write to the real files) (default: private)"},       \
        {.name = "setup",                                                                         \
         .type = OPTION_TEXT,                                                                     \
         .argument = "COMMAND",                                                                   \
         .target = offsetof(owner, program.setup),                                                \
         .help = "programs: shell command that prepares the private files; runs once, in a copy " \
                 "of the current directory"},                                                     \
    {                                                                                             \
        .name = "hang", .type = OPTION_NUMBER, .argument = "SECONDS",                             \
        .target = offsetof(owner, program.hang),                                                  \
        .help = "programs: kill a run that takes longer than this (default: 10)"                  \
    }

/* Fails, MISUSED, where an option needs a program and there is none, and on impossible
 * combinations. */
MUST_USE int command_check(const struct session *s, const struct command_choice *choice,
                           struct err *e);

/* Opens it. */
MUST_USE int command_open(struct world **w, const struct session *s,
                          const struct command_choice *choice, const struct spec *spec,
                          struct err *e);

/* Why a finished search of the program says nothing of every execution; NULL: it does. */
const char *command_doubt(struct world *w);

/* Writes a word; one that a shell would take apart is quoted. */
void command_print_word(struct out *out, const char *word);

/* Writes the options that a replay needs besides the schedule and the system, each with a
 * blank behind it. */
void command_print_options(struct out *out, const struct command_choice *choice, const char *spec,
                           const char *config);

/* The words as they were given, "-- ./bank 3", for messages; freed with mem_free. */
MUST_USE char *command_print(const struct session *s);

/* One word, as command_print_word writes it; freed with mem_free. */
MUST_USE char *command_print_one(const char *word);

#endif
