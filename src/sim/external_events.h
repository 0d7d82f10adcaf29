/* External events of a fuzz file, one after the other. */
#ifndef CLEW_SIM_EXTERNAL_EVENTS_H
#define CLEW_SIM_EXTERNAL_EVENTS_H

#include "sim/sim_state.h"

MUST_USE int outside_open(struct sim *s, const struct sim_options *options, struct err *e);
void outside_close(struct sim *s);
const struct fuzz *outside_fuzz(const struct sim *s); /* NULL: none */
/* The condition of the index-th wait that has one, from 0; NULL: there are no more. */
const struct spec *outside_condition(const struct sim *s, size_t index);
void outside_begin(struct sim *s);            /* draws those of the run */
void outside_begin_anew(struct sim *s);       /* none of them has come; marks nodes to be started */
void outside_advance(struct sim *s);          /* lets those come that can */
bool outside_is_waiting(const struct sim *s); /* the next is a wait, which ends at rest too */
/* Where no listed operation could be next, ends a wait and lists the operations that can be next
 * then. */
void outside_end_waits(struct sim *s);
/* A requested operation behind faults and waits that have not come may come without them; false
 * when it is no such operation. */
bool outside_pass_over(struct sim *s, const struct pick_want *want);
void outside_end(const struct sim *s); /* tells the execution of those that were passed over */
/* The fault that can strike now, and whom; 0 when there is none. */
uint8_t outside_fault(const struct sim *s, uint32_t *node);
void outside_come(struct sim *s);         /* the next of them has */
void outside_set_channels(struct sim *s); /* fills is_fifo, by net and file */
void outside_settle_key(const struct sim *s, struct execution *x);

#endif
