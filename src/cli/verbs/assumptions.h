/* Assumptions of the answer of a search over a program, besides the explored schedules:
 * sequential consistency, no spurious wake-ups, the random numbers of one seed. */
#ifndef CLEW_CLI_VERBS_ASSUMPTIONS_H
#define CLEW_CLI_VERBS_ASSUMPTIONS_H

#include "cli/session.h"
#include "report/findings_file.h"
#include "world/world.h"

/* The search that makes the assumptions. */
struct assumed_search {
    struct world *world;
    bool is_program;     /* a simulated system otherwise */
    bool is_complete;    /* it saw all executions */
    bool has_data_races; /* a complete search saw some */
    uint64_t seed;
};

/* Whether an execution that the search leaves out could go otherwise: a search that ended then
 * answers `unknown`, not `clean`. */
bool assumptions_are_made(const struct assumed_search *x);

/* Adds each to the list of the result, with its remedy if there is one. */
void assumptions_add(const struct assumed_search *x, struct finding_file *f);

/* Adds the code that the search does not control or see. */
void assumptions_add_uncontrolled(const struct assumed_search *x, struct finding_file *f);

/* Writes them behind "all N executions explored": " under sequential consistency". */
void assumptions_print(const struct assumed_search *x, struct out *out);

/* Whether nothing went past control, so that a finished search says something of every run. */
bool assumptions_leave_control(const struct assumed_search *x);

/* The index-th reason why a search without findings proves nothing, with the remedy; NULL: there
 * are no more. */
const char *assumptions_hindrance(const struct assumed_search *x, bool allows_uncontrolled,
                                  size_t index);

#endif
