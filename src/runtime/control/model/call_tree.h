/* The calls that each task of a controlled program is in, as code built by `clew cc` tells by
 * entering and leaving functions: cheap enough for blocks of memory to remember in which calls they
 * were allocated and freed.
 *
 * What called what is a tree; a task stands at one of its nodes, and a node has a number that is
 * good for as long as the process lives. */
#ifndef CLEW_RUNTIME_CONTROL_MODEL_CALL_TREE_H
#define CLEW_RUNTIME_CONTROL_MODEL_CALL_TREE_H

#include <stdint.h>

struct control_step;
struct task;

void callers_start(void);

/* The task enters a function that was called at this place, and leaves the one it is in. */
void callers_enter(const void *place);
void callers_leave(void);

/* The task jumps out of functions, nobody says out of how many: from here on its calls are known
 * from the next one on. */
void callers_forget(void);

/* The number of where the calling task is; 0 when that is not known. */
uint16_t callers_here(void);

/* The calls of the task as the next step has them: where it is, and which functions it has not left
 * since its last step. */
void callers_describe(struct task *t, struct control_step *s);

/* The same to tell two calls apart by: also where there are too many to have numbers of their own.
 */
uint64_t callers_mark(void);

/* Keeps a value of 48 bits under a number like those above, 0 when there are too many; and the
 * value of such a number. */
uint16_t callers_keep(uint64_t value);
uint64_t callers_kept(uint16_t number);

/* Puts up to `most` places of calls that led to a number into calls, the innermost first; how many.
 */
uint32_t callers_list(uint16_t number, uint64_t *calls, uint32_t most);

#endif
