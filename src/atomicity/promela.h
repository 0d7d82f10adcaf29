/* Models in Promela, for SPIN: the way that the analysis was first published, kept for comparison
 * and for those who want to go on from there.
 *
 * A thread is a process, a lock a variable, an access sets `last` to a code of its own. For each
 * two threads, each typed order of two variables and each pattern of one is a claim (never: the
 * four come in this order), of any accesses of these kinds. The formulas do without the next-time
 * operator, which Debian's spin does not have. */
#ifndef CLEW_ATOMICITY_PROMELA_H
#define CLEW_ATOMICITY_PROMELA_H

#include "atomicity/model.h"
#include "atomicity/violation.h"
#include "base/out.h"
#include "base/vec.h"
#include "trace/format.h"

/* Accesses in an order: "never: thread 0 writes x, thread 1 ...". */
struct claim {
    uint32_t threads[2]; /* of the model */
    struct violation_access accesses[TYPED_ORDER_SIZE];
    uint32_t access_count;
    enum violation pattern;
};

typedef VEC(struct claim) claim_list;

/* Appends the claims about all threads that have the accesses for them. */
void promela_claims(const struct model *m, claim_list *claims);

/* Prints the model, and the claims by the names c0, c1 ... */
void promela_print(const struct model *m, const claim_list *claims, struct out *out);

/* The trace as the model of its best correlated pair of variables, or its first shared variable. */
extern const struct format format_promela;

#endif
