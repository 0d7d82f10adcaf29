/* Records the trails of a word that has just been made shared, and reads them again after every
 * task has passed a barrier (steps c, b and d of runtime/record/shadow/access.h). */
#ifndef CLEW_RUNTIME_RECORD_SHADOW_PUBLISH_H
#define CLEW_RUNTIME_RECORD_SHADOW_PUBLISH_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/record/shadow/shadow.h"

/* Asks the system for its barrier, in a child that was forked too; false when it has none. */
bool publish_start(void);

/* Records the trails of a word. One that its owner leaves meanwhile is recorded by the owner or, at
 * the latest when the calling task ends, by this task. */
void publish_reveal(struct region *region, uintptr_t word);

/* The calling task ends: completes all words that wait for the barrier. */
void publish_settle(void);

/* In a child that has just been forked: it is the parent's to settle. */
void publish_forget(void);

#endif
