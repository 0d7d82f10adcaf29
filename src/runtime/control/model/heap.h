/* The heap of a controlled program, as the calls of the program use it
 * (runtime/control/sched/run_control.h has the rest). */
#ifndef CLEW_RUNTIME_CONTROL_MODEL_HEAP_H
#define CLEW_RUNTIME_CONTROL_MODEL_HEAP_H

#include "runtime/control/sched/run_control.h"

/* A block of zeros, its name from the place; NULL and ENOMEM when there is no room. */
void *heap_take(size_t size, size_t alignment, const void *place);

enum heap_put { HEAP_FREED_NOW, HEAP_FREED_BEFORE, HEAP_FOREIGN };

/* Takes the block back, if it is one and was not taken back before. */
enum heap_put heap_put(void *block, const void *place);

/* The bytes of the block, 0 when it is none. */
size_t heap_size(const void *block);

#endif
