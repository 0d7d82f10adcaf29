/* Properties; a violation ends the run. */
#ifndef CLEW_SIM_PROPERTIES_H
#define CLEW_SIM_PROPERTIES_H

#include "sim/sim_state.h"

MUST_USE int claims_open(struct sim *s, const struct spec *spec, struct err *e);
void claims_close(struct sim *s);
void claims_begin(struct sim *s);
void claims_set(struct sim *s, uint32_t node, uint32_t variable, int64_t value);
void claims_forget(struct sim *s, uint32_t node); /* the node is down */
void claims_check(struct sim *s);                 /* after a step */
void claims_end(struct sim *s, bool is_at_rest);
void claims_note_order(struct sim *s, enum world_order why); /* that of all steps matters */
void claims_loop(struct sim *s, uint32_t repeats); /* as if the steps after this one went on */
uint32_t claims_tell(struct world *w, const struct world_property **properties);
enum { SIM_TICK_NS = 1000000 };                               /* one unit of the nodes' clocks */
void claims_count_messages(struct sim *s, struct checker *c); /* into their slots */
uint64_t claims_now(const struct sim *s);                     /* the latest clock, in ns */

#endif
