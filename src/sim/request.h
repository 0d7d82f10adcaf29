/* Payloads of requests, which a plan may replace. */
#ifndef CLEW_SIM_REQUEST_H
#define CLEW_SIM_REQUEST_H

#include "sim/sim_state.h"

void request_begin(struct sim *s);
void request_close(struct sim *s);
/* The payload of a request that is about to be sent, in this run. */
struct clew_message request_content(struct sim *s, uint64_t name, const struct clew_message *m);
/* A system that has failed at it once is not asked again. */
int request_shrink(struct world *w, uint64_t name, uint32_t index, struct plan_content *smaller,
                   struct err *e);
size_t request_size(struct world *w, uint64_t name);

#endif
