/* The calls of the system that libc would serve (src/runtime/sim). */
#ifndef CLEW_SIM_ROUTED_CALLS_H
#define CLEW_SIM_ROUTED_CALLS_H

#include "sim/sim_state.h"

void *routed_take(size_t size, size_t alignment);
void *routed_resize(void *block, size_t size);
void routed_give(void *block);
size_t routed_size(void *block);
uint64_t routed_time_ns(void);
uint64_t routed_draw(void);
int routed_process(void);

#endif
