/* The bugs of a hunt: one for each cause, whichever stages found it, the worst first.
 *
 *     bugs_add_failure(&b, &(struct bug_failure){...});     a run that fails
 *     bugs_add_confirmed(&b, &prediction);                  a confirmed prediction
 *     bugs_rank(&b);
 *
 *     failing run  ----key---->  bug  <---failure's key---  harmful prediction
 *                                 ^ ^----variable---------  prediction without known harm
 *
 * A confirmed prediction whose harm is a failure belongs to the bug of that failure, as a cause of
 * it. One without known harm belongs to the bug that has a cause on the same variable; else it is a
 * bug of its own. */
#ifndef CLEW_HUNT_BUGS_H
#define CLEW_HUNT_BUGS_H

#include "hunt/predictions.h"
#include "report/explanation.h"

struct bug {
    enum finding_kind kind;
    enum finding_severity severity;
    enum race_harm harm; /* harmful: the run of its schedule fails */
    const char *what;    /* one sentence */
    const char *reason;  /* why it is called harmful, benign or unknown */
    const char *key;
    const char *stage;    /* that found it first */
    const char *schedule; /* its text */
    size_t schedule_size;
    bool is_repeatable; /* its schedule was run again, and failed or showed it again */
    VEC(const struct prediction *) causes; /* confirmed predictions */
    size_t shown_count; /* the first of them that its run shows, one for each variable; the others
                           only lead to it */

    /* Of later stages; texts "" until then. */
    const char *minimized; /* the text of the minimized schedule */
    size_t minimized_size;
    uint32_t steps, switches, steps_before, switches_before; /* if it was minimized */
    bool has_fewest_switches;
    const char *minimize_note; /* why it is not minimized, or not to the end */
    const char *schedule_path, *minimized_path, *page_path;
    const char *replay; /* the command that shows it */
    struct explanation explanation;
    bool is_explained;
};

/* {0} is none. Texts of bugs are in the arena. */
struct bugs {
    struct arena arena;
    VEC(struct bug) list;
};

void bugs_release(struct bugs *b);

struct bug_failure {
    enum outcome outcome;
    enum finding_severity severity;
    const char *what, *key, *schedule;
    const char *stage; /* outlives the bugs */
};

/* Adds the failing run, unless the key is known. Returns its bug, until the next call. */
struct bug *bugs_add_failure(struct bugs *b, const struct bug_failure *f);

/* Adds a prediction that is confirmed and harmful, to the bug of its failure. */
void bugs_add_harmful(struct bugs *b, const struct prediction *p);

/* Adds a confirmed prediction that has not been seen to do harm. To be called after all failures
 * are known. */
void bugs_add_harmless(struct bugs *b, const struct prediction *p);

/* Sorts: failures that damage memory, other failures, races and violations without known harm, and
 * those that are benign here. */
void bugs_rank(struct bugs *b);

/* Whether an event of each is on one variable of one node. */
bool bugs_share_variable(const struct finding *a, const struct finding *b);

/* Drops the bugs that the callback hides. */
void bugs_hide(struct bugs *b, bool (*is_hidden)(void *context, const struct bug *bug),
               void *context);

#endif
