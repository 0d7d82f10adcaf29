/* The answer to one property on one history, and its finding. */
#ifndef CLEW_MONITOR_PROPERTY_ANSWER_H
#define CLEW_MONITOR_PROPERTY_ANSWER_H

#include "monitor/monitor.h"
#include "monitor/offline/decide_clause.h"
#include "monitor/offline/state_history.h"
#include "monitor/overlap.h"
#include "trace/finding.h"

struct asking {
    struct state_history *history;
    const struct decide_options *options;
    uint32_t root;   /* the formula: a cell */
    uint32_t *taken; /* per process: the cut of a YES */
};

struct monitor_answer answer_unknown(const char *reason);

/* Decides the formula: clause by clause while its clauses are few, else with libz3 as a whole.
 * UNKNOWN where clocks and missing reports leave the answer open. */
struct monitor_answer answer_decide(const struct asking *a);

/* Writes the formula to folder/name.smt2. */
MUST_USE int answer_write(const struct asking *a, const char *folder, const char *name,
                          struct err *e);

/* Of a YES in a whole history, looks for the least skew with which some cut shows it, and leaves
 * such a cut in a->taken. False where clocks say nothing, reports are missing, or the search would
 * need libz3. */
bool answer_find_least(const struct asking *a, enum method method, struct overlap_least *least);

/* The source of a finding. */
struct answer_source {
    const struct spec *spec;
    uint32_t property;
    uint32_t input;
    const struct overlap_least *least; /* NULL: not searched */
};

/* Checks the witness of the YES again and reports it as a finding. */
void answer_tell(const struct asking *a, const struct answer_source *from, struct findings *f);

#endif
