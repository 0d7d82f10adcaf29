/* Plain blind updates (`sum += i`): a read whose value goes into the next write to the variable and
 * nowhere else. Another schedule may let them change places, as long as no write comes between the
 * read and the write of one.
 *
 *     struct trace settled;
 *     t = plain_updates_settle(t, &settled);
 *     ...
 *     plain_updates_release(&settled);
 *
 *     lock m   read sum (add)   write sum (add)   unlock m
 *
 * In a recording the marks come from the machine code (places_plain_update). The marks of a
 * variable hold only if all its updates are whole and in critical sections of one lock, and every
 * other write to it is in one too, or ordered before or after all updates of each other task
 * (docs/theory/races-semantics.md, Blind updates). */
#ifndef CLEW_RACE_BLIND_UPDATES_H
#define CLEW_RACE_BLIND_UPDATES_H

#include "trace/trace.h"

/* The trace without the marks that do not hold. It is t itself when all hold, else *settled, which
 * shares the tables of t. O(events * locks held). */
const struct trace *plain_updates_settle(const struct trace *t, struct trace *settled);
void plain_updates_release(struct trace *settled);

#endif
