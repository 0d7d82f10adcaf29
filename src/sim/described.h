/* Descriptions of nodes and messages by the system, as a line without its end; valid until the
 * next call. */
#ifndef CLEW_SIM_DESCRIBED_H
#define CLEW_SIM_DESCRIBED_H

#include "sim/sim_state.h"

const char *words_of_node(struct sim *s, uint32_t node);
const char *words_of_message(struct sim *s, const struct parcel *p); /* "" where it says nothing */

#endif
