/* The two executions that clew diff compares: traces or schedules, read and aligned.
 *
 * A schedule that a search saved names only the choices that are not the default. Where the session
 * has a third input, it is the system of both: they are replayed, and all of their steps compared.
 */
#ifndef CLEW_CLI_VERBS_DIFF_INPUTS_H
#define CLEW_CLI_VERBS_DIFF_INPUTS_H

#include "cli/input/spool.h"
#include "cli/session.h"
#include "order/align.h"
#include "trace/schedule.h"

/* The data of a schedule beside its choices: system, world, violation, and content of requests that
 * no choice names. */
enum about {
    ABOUT_SYSTEM,
    ABOUT_COMMAND,
    ABOUT_WORLD,
    ABOUT_NET,
    ABOUT_WITH,
    ABOUT_SEED, /* these where their runs are not known */
    ABOUT_THEN,
    ABOUT_WITHOUT,
    ABOUT_CONSTRAINTS,
    ABOUT_HASH,  /* of schedules of which not both name all steps */
    ABOUT_SHOWS, /* where it is */
    ABOUT_CONTENT,
    ABOUT_COUNT
};

struct comparison {
    struct session *session;
    struct alignment alignment; /* indices are positions in the input, from 0 */
    bool are_schedules;
    bool is_cut;      /* the budget ended before the traces did */
    bool names_all;   /* of schedules: each of their steps */
    bool is_same_run; /* of schedules that do not: both are of one execution, by its hash, and
                         nothing is aligned */
    char doubt[700];  /* of schedules with one hash: why it is not that of both; "": no reason */
    struct schedule schedule[2];
    char kept[2][SPOOL_PATH_SIZE];  /* paths of inputs that can be read only once, kept to be read
                                       again */
    const char *inputs[3];          /* the session's, with these */
    const char *const *typed;       /* the session's as they were given */
    bool is_content_unsaid;         /* only one schedule has the content of some request */
    VEC(uint32_t) step_of[2];       /* of schedules: which step of its run each choice is, from 1 */
    uint32_t about[ABOUT_COUNT][2]; /* of schedules: names of the alignment; 0: not said */
};

/* Reads the session's two inputs and aligns them. Fails when one cannot be read, when one is a
 * schedule and the other is not, and when one cannot be replayed; c is to be released either way.
 */
MUST_USE int comparison_make(struct comparison *c, struct session *s, struct err *e);
void comparison_release(struct comparison *c);

const char *about_name(enum about about);
bool comparison_is_about_same(const struct comparison *c, enum about about);

/* Whether the systems of the two sides differ, as far as that is known. */
bool comparison_is_of_two_systems(const struct comparison *c);

#endif
