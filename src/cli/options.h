/* Options by table: a row has an option's name, its argument, the place of its value and its text
 * in help, manual and completion.
 *
 *     struct slice_options { struct common common; const char *node; };
 *     static const struct option options[] = {
 *         COMMON_OUTPUT,
 *         {.name = "node", .type = OPTION_TEXT, .argument = "GLOB",
 *          .target = offsetof(struct slice_options, node), .help = "only these nodes"},
 *         COMMON_ALWAYS,
 *         {0},
 *     };
 */
#ifndef CLEW_CLI_OPTIONS_H
#define CLEW_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/limit.h"
#include "base/vec.h"
#include "cli/input/formats.h"
#include "report/exports.h"

enum option_type {
    OPTION_FLAG,    /* bool: --NAME */
    OPTION_SWITCH,  /* bool: --NAME and --no-NAME */
    OPTION_NUMBER,  /* uint64_t */
    OPTION_TEXT,    /* const char *, a word of the command line */
    OPTION_TEXTS,   /* struct texts: may be given several times */
    OPTION_FILE,    /* as OPTION_TEXT, completed as a path */
    OPTION_OUTPUT,  /* as OPTION_FILE: a file that is written */
    OPTION_CHOICE,  /* int: which of the words */
    OPTION_CHOICES, /* uint32_t: a bit for each of the words; may be given several times */
    OPTION_BUDGET,  /* struct limit */
    OPTION_MOMENT,  /* struct moment */
};

struct option {
    const char *name; /* without dashes; NULL ends a table */
    char letter;      /* the short form, 0 when there is none */
    enum option_type type;
    size_t target;                        /* offset in the verb's struct */
    const char *argument;                 /* as help calls it; NULL for flags and switches */
    const char *(*word)(size_t index);    /* the words of a choice, NULL after the last */
    const char *(*meaning)(size_t index); /* of each word, for a list in help; NULL: no list */
    const char *help;
};

/* The words of an option that was given several times, in their order. */
enum { TEXTS_MAX = 16 };
struct texts {
    const char *at[TEXTS_MAX];
    size_t count;
};

/* A time of a trace: as its events have it (1700000000042), or from its first time on (1.5s). {0}
 * is none. */
struct moment {
    bool is_given;
    bool is_relative;
    int64_t ticks;    /* when it is not relative */
    uint64_t time_ns; /* when it is */
};

/* The options that mean the same everywhere. A verb's struct begins with them; its table has the
 * rows it honours. */
struct common {
    bool help;
    bool quiet;
    bool json;
    bool jsonl;
    bool one_run;
    int color; /* enum color_when */
    int from;  /* formats_readable, by index; -1: by content */
    int to;    /* formats_writable, by index; -1: by the ending of the output */
    const char *output;
    const char *cluster;  /* a cluster file, in the place of a program; NULL: none */
    const char *rules;    /* a file of rules for captures of HTTP; NULL: the built-in ones */
    const char *suppress; /* a file of suppressions; NULL: none */
    const char *baseline; /* a findings file whose findings are known; NULL: none */
    const char *exports[EXPORT_FORMAT_COUNT]; /* files; NULL: none */
    bool github;                              /* annotations on standard error */
    uint64_t limit;                           /* findings shown at most */
    uint64_t jobs;
    struct limit budget;
};

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* The common defaults of a verb. */
#define COMMON_DEFAULTS                                      \
    {                                                        \
        .from = -1, .to = -1, .limit = UINT64_MAX, .jobs = 1 \
    }

const char *color_word(size_t index);

#define COMMON_ROW(field, ...)                                \
    {                                                         \
        .target = offsetof(struct common, field), __VA_ARGS__ \
    }
#define COMMON_JSON                                       \
    COMMON_ROW(json, .name = "json", .type = OPTION_FLAG, \
               .help = "print the result as one JSON object")
#define COMMON_JSONL                                        \
    COMMON_ROW(jsonl, .name = "jsonl", .type = OPTION_FLAG, \
               .help = "print each finding as a line of JSON as soon as it is known")
#define COMMON_INPUT                                                                            \
    COMMON_ROW(from, .name = "from", .type = OPTION_CHOICE, .argument = "FORMAT",               \
               .word = formats_readable_word,                                                   \
               .help = "read this format (default: recognized by content)"),                    \
        COMMON_ROW(one_run, .name = "one-run", .type = OPTION_FLAG,                             \
                   .help =                                                                      \
                       "treat the inputs as parts of one execution, such as one log per node"), \
        COMMON_ROW(rules, .name = "rules", .type = OPTION_FILE, .argument = "FILE",             \
                   .help = "rules that classify the requests of an HTTP capture (clew-rules(5))")
#define COMMON_OUTPUT                                                                              \
    COMMON_ROW(output, .name = "output", .letter = 'o', .type = OPTION_OUTPUT, .argument = "FILE", \
               .help = "write the result to FILE; - is standard output"),                          \
        COMMON_ROW(to, .name = "to", .type = OPTION_CHOICE, .argument = "FORMAT",                  \
                   .word = formats_writable_word,                                                  \
                   .help = "write this format (default: by the output's file name extension)")
#define COMMON_LIMIT                                                           \
    COMMON_ROW(limit, .name = "limit", .type = OPTION_NUMBER, .argument = "N", \
               .help = "print at most N findings; 0 prints only their number (default: all)")
#define COMMON_SUPPRESS                                                                            \
    COMMON_ROW(suppress, .name = "suppress", .type = OPTION_FILE, .argument = "FILE",              \
               .help = "hide findings that match a line of FILE: a ThreadSanitizer suppression "   \
                       "(race:PATTERN) or key:KEY; hidden findings are counted and do not affect " \
                       "the exit status"),                                                         \
        COMMON_ROW(baseline, .name = "baseline", .type = OPTION_FILE, .argument = "FILE",          \
                   .help = "hide findings that FILE, the output of an earlier --json, already "    \
                           "has; hidden findings are counted and do not affect the exit status")
#define COMMON_EXPORTS                                                                            \
    COMMON_ROW(exports[EXPORT_SARIF], .name = "sarif", .type = OPTION_OUTPUT, .argument = "FILE", \
               .help = "write the findings to FILE as SARIF 2.1.0, for code scanning"),           \
        COMMON_ROW(exports[EXPORT_JUNIT], .name = "junit", .type = OPTION_OUTPUT,                 \
                   .argument = "FILE",                                                            \
                   .help = "write the findings to FILE as JUnit XML, a failed test case each"),   \
        COMMON_ROW(github, .name = "github", .type = OPTION_FLAG,                                 \
                   .help = "print each finding as an annotation of GitHub Actions on standard "   \
                           "error")
#define COMMON_JOBS                                                                         \
    COMMON_ROW(jobs, .name = "jobs", .letter = 'j', .type = OPTION_NUMBER, .argument = "N", \
               .help = "use N processes; the result does not depend on N")
#define COMMON_CLUSTER                                                                  \
    COMMON_ROW(cluster, .name = "cluster", .type = OPTION_FILE, .argument = "FILE",     \
               .help = "run the programs of this cluster file (man 5 clew-cluster) in " \
                       "place of one program behind --")
#define COMMON_BUDGET                                                                              \
    COMMON_ROW(budget, .name = "budget", .type = OPTION_BUDGET, .argument = "AMOUNT",              \
               .help = "stop after this much time (30s), this many runs (10000runs) or this much " \
                       "memory (2GB); separate several with commas")
#define COMMON_ALWAYS                                                                    \
    COMMON_ROW(quiet, .name = "quiet", .letter = 'q', .type = OPTION_FLAG,               \
               .help = "print no progress and no warnings"),                             \
        COMMON_ROW(color, .name = "color", .type = OPTION_CHOICE, .argument = "WHEN",    \
                   .word = color_word,                                                   \
                   .help = "colour the output: auto (on a terminal, unless NO_COLOR is " \
                           "set), always or never"),                                     \
        COMMON_ROW(help, .name = "help", .letter = 'h', .type = OPTION_FLAG,             \
                   .help = "print this help and exit")

/* The words that are no options, in order. */
struct operands {
    VEC(const char *) list;
    size_t command; /* where in it the words behind "--" begin, if has_command */
    bool has_command;
};

/* Reads the words into target, a struct the table's offsets are of. Values point into words.
 * Options and operands mix; "--" ends options; "-" is an operand; short flags join (-qj2). Fails on
 * unknown options (naming the nearest known one), missing or surplus values, and values of the
 * wrong form. */
MUST_USE int options_parse(const struct option *table, void *target, const char *const *words,
                           size_t word_count, struct operands *operands, struct err *e);

/* Reads "1700000000042", "-5", "1.5s", "200ms" or "10us". */
MUST_USE int moment_parse(struct moment *m, const char *text, struct err *e);

/* The moment in ticks of a trace whose first time and unit (nanoseconds, 0: not known) are these.
 * Fails when it is relative and there is no unit. */
MUST_USE int moment_ticks(const struct moment *m, int64_t time_first, uint64_t tick_ns,
                          int64_t *ticks, struct err *e);

/* The same for durations: rounded up, so that a duration within the limit has at most this number
 * of ticks. */
MUST_USE int moment_span(const struct moment *m, uint64_t tick_ns, int64_t *ticks, struct err *e);

#endif
