/* Which memory accesses are worth a record: those to words that more than one task uses.
 *
 * Every word of 8 bytes has a cell. While one task owns the word, an access only leaves a trail
 * there: its place, its bytes and the task's epoch, the last write and the last read of each half.
 * The first access by another task makes the word shared for good and brings the owner's trails to
 * light, as late records. Accesses to a shared word are recorded once for each place, kind and
 * epoch of their task. An epoch of a task is the stretch between two stamped records.
 *
 * No access is lost between the owner (O) and the one who makes the word shared (D):
 *
 *     O: state is mine?   t: old = trail   u: trail = new   v: state still mine?
 *     D: a: state = shared   b: every task of the process passes a barrier   c: reads the trails
 *
 * The barrier b (membarrier) falls somewhere among O's steps. If u came before it, D reads the new
 * trail, or one that O left later still. If u comes after it, then v does too, sees a, and O
 * records the access itself, together with `old`, which u has hidden from D. Where the system has
 * no membarrier, u is an exchange, which no later load passes. Both may record the same access:
 * twice said is not lost. After c the trails are put to another use, with a mark of its own, so
 * that an O that comes late does not take them for its own.
 *
 * A handler of a message is an owner of its own: another message's handler may run before it in the
 * same task, and what both use is shared.
 *
 * What is lost is repetition, and, of what one task did to a word before another came, all but the
 * last write and the last read of each half of the word. */
#ifndef CLEW_RUNTIME_ACCESS_H
#define CLEW_RUNTIME_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes the tables; until then, and when it fails, nothing is recorded. */
void access_start(void);

/* In a child that has just been forked: every word is as new. */
void access_forked(void);

/* The calling task has ended: what was kept for it goes. */
void access_task_end(void);

/* True once the process is known to contain code that tells its accesses. */
bool access_is_told(void);

/* A plain access by the calling task. */
void access_note(const void *address, size_t size, bool is_write, const void *place);

/* The memory means something new: it was allocated, or became a stack. */
void access_clear(const void *address, size_t size);

/* The memory is about to be freed: a write to what other tasks have used of it. */
void access_end(const void *address, size_t size, const void *place);

#endif
