/* The calls that the caller is in. */
#ifndef CLEW_RUNTIME_CONTROL_MODEL_CALL_STACK_H
#define CLEW_RUNTIME_CONTROL_MODEL_CALL_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* Learns where our own code lies. */
void stack_start(void);

/* Puts up to `most` places of calls into stack, the innermost first, from where the task began and
 * without our own; how many.
 * With a fault (NULL: none), which is the instruction itself, they begin there: what is before it
 * is a signal's handler. */
uint32_t stack_take(uint64_t *stack, uint32_t most, const void *fault);

/* Whether the caller is in the call that returns to `place`, or was interrupted there. */
bool stack_has(const void *place);

/* A hash of what the caller's code at `place`, which a call in progress returns to, has of its own:
 * the registers that calls preserve, and its stack from there to where the task began. Equal where
 * these are; 0: not known. O(size of the stack). */
uint64_t stack_state(const void *place);

/* Whether the code there ends a handler of a signal: the context that it returns to lies on the
 * stack. Reads no byte beyond the first that differs: what follows may not be mapped. */
bool stack_is_return_of_handler(const void *place);

/* Makes the places of the calling process's stack those of its program (control_place). */
void stack_tag(uint64_t *stack, uint32_t count);

#endif
