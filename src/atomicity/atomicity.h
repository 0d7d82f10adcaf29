/* Atomicity: which accesses that belong together could have been interleaved so that no serial
 * order explains the result.
 *
 *     struct atomicity_stats stats = {0};
 *     if (atomicity_find(t, &(struct atomicity_options){0}, &findings, &stats, &notes, e) < 0)
 *
 * Looks at each variable by itself, at pairs of correlated variables, and at regions marked as
 * atomic; memory and HTTP resources alike (docs/trace-format.md says how these stand in a trace).
 * docs/theory/atomicity.md defines violations and the decision procedure. */
#ifndef CLEW_ATOMICITY_ATOMICITY_H
#define CLEW_ATOMICITY_ATOMICITY_H

#include <stdbool.h>
#include <stdint.h>

#include "atomicity/fixed_order.h"
#include "base/err.h"
#include "base/limit.h"
#include "base/names.h"
#include "base/notes.h"
#include "solve/solve.h"
#include "trace/finding.h"
#include "trace/trace.h"

/* Two variables that belong together, by the names of their classes (variable.h). */
struct atomicity_pair {
    const char *x, *y;
};

/* {0} is the default: all variables, and the pairs that correlate best in this trace. */
struct atomicity_options {
    const struct atomicity_pair *pairs; /* these and no others; NULL: by correlation */
    size_t pair_count;
    uint32_t pair_max;    /* by correlation: at most this number of the best; 0: 200 */
    bool notes_absent;    /* notes pairs whose variables the trace does not have */
    bool wants_all_pairs; /* by correlation: all of them */
    const char *variable; /* a glob for names of variables, for pairs of either; NULL: all */
    bool skips_single, skips_pairs, skips_merged, skips_regions;
    bool skips_stale_memory; /* stale reads of memory: serializable, and mostly meant to be */

    bool wants_rounds;  /* also couples of two operations */
    bool wants_settled; /* also where the order of one conflict is settled, see settled.h */
    bool wants_all; /* report all accesses that can interrupt a couple at some places, not only the
                       first */
    bool wants_witness; /* findings carry an order that shows them */
    bool skips_grades;  /* findings are not graded */
    enum solve_way via; /* grades that need a solver; SOLVE_NATIVE or SOLVE_LIBZ3 */
    uint64_t find_max;  /* at most this number of findings; 0: all. Counts are exact all the same */
    uint32_t input;     /* which of the inputs the trace is, for the findings */
    uint32_t state_max; /* limit of states for one question; 0: 20,000 */
    uint32_t try_max;   /* questions about accesses at the same places; 0: 2,000 */
    uint32_t mark_max;  /* locks taken and released, and orders, beyond which questions are asked
                           of a part of the trace first; 0: 4,096 */

    const struct limit *budget; /* counts questions that it leaves open; NULL: no limit */
    /* Reports now and then how many variables and pairs have been looked at, of how many; NULL:
     * nobody.
     */
    void (*progress)(void *context, uint64_t done, uint64_t total);
    void *context;

    /* Models that were analysed before, shared by the traces of several runs; NULL: none. Is
     * initialized and released by the caller. */
    struct names *seen;
};

struct atomicity_stats {
    uint64_t variables; /* accessed by two tasks, one writing */
    uint64_t pairs;     /* of variables that were looked at */
    uint64_t single, two_variable, merged, stale_read, lost_update, regions; /* findings */
    uint64_t candidates; /* accesses that would match a pattern if they could be interleaved so */
    uint64_t questions;  /* of them decided by a search */
    uint64_t unknown;    /* that nobody could decide within the limits */
    uint64_t rounds;     /* couples of places left out: they belong to two operations */
    uint64_t settled[SETTLED_COUNT]; /* left out as well, by reason */
    uint64_t unseen;     /* variables and pairs that were not looked at when the budget ended */
    uint64_t unobserved; /* nodes whose accesses the trace does not have, see unobserved.h */
    uint64_t lost;       /* variables with accesses that were not recorded, see lost.h */
    bool is_cut;         /* it ended before everything was */
    uint64_t same;       /* models not analysed because an earlier run had the same */
};

/* Finds the violations that t, which is sealed, allows, and appends findings and notes. Fails on
 * pairs with names that no trace can hold. */
MUST_USE int atomicity_find(const struct trace *t, const struct atomicity_options *o,
                            struct findings *f, struct atomicity_stats *s, struct notes *n,
                            struct err *e);

#endif
