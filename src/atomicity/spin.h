/* SPIN as another judge of a model's claims, where it is installed.
 *
 *     struct spin s;
 *     if (spin_open(&s, &m, &claims, SPIN_SOON, e) < 0) { ... }      translates and compiles
 *
 *     enum decision d;
 *     if (spin_ask(&s, 3, &d, e) == 0 && d == DECIDE_YES) { ... }    claims.at[3] occurs
 *
 *     spin_close(&s);
 */
#ifndef CLEW_ATOMICITY_SPIN_H
#define CLEW_ATOMICITY_SPIN_H

#include <stdint.h>

#include "atomicity/decide_order.h"
#include "atomicity/promela.h"
#include "base/err.h"

struct spin {
    char folder[256]; /* of its own, below TMPDIR or /tmp; removed at the end */
    uint64_t ask_ns;  /* spent on questions, without compiling */
};

/* Options for compiling the program that spin makes: many claims take half a minute to optimize. */
enum spin_build { SPIN_SOON, SPIN_FAST };

/* Fails when spin or a compiler is not there, or refuses the model. */
MUST_USE int spin_open(struct spin *s, const struct model *m, const claim_list *claims,
                       enum spin_build build, struct err *e);
void spin_close(struct spin *s);

/* Whether the claim occurs in some execution; UNKNOWN when spin did not finish. Fails when it
 * cannot be run. */
MUST_USE int spin_ask(struct spin *s, size_t claim, enum decision *d, struct err *e);

#endif
