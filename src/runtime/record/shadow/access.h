/* Decides which memory accesses are recorded: those to words that more than one task uses.
 *
 * Every word of 8 bytes has a state and trails (runtime/record/shadow/shadow.h). While one task
 * owns the word, an access only leaves a trail: its site, its bytes, the task and its epoch; the
 * last write and the last read of each byte are kept, by halves of the word where whole halves are
 * used. An epoch of a task is the stretch between two stamped records.
 *
 * Another task that accesses the word
 *
 *   - takes it over, if fork and join alone order everything the owner did to it before this
 *     access (fork_join_order.h). The trails stay in place, and become late records when the new
 *     owner's trails would replace them;
 *   - else makes it shared for good, which turns all trails into records. So does every atomic
 *     operation, because a plain access may race with it (atomic.h records the operation itself).
 *
 * Memory that processes share (runtime/record/hooks/shared_memory_ids.h) is shared from the first
 * access on: the tasks of other processes are not known here, and may use the word too.
 *
 * Accesses to a shared word are recorded once for each site and epoch of their task.
 *
 * Nothing is lost in a takeover: the owner's tag names its phase, which has ended. The owner leaves
 * no trail under it any more; to use the word again it must itself change the state.
 *
 * Nothing is lost between the owner (O) and the task that makes the word shared (D):
 *
 *     O: state is mine?   t: old = trail   u: trail = new   v: state still mine?
 *     D: a: state = shared   c: reads the trails   b: every task passes a barrier   d: reads again
 *
 * The barrier b (membarrier) falls somewhere among O's steps. If u came before it, D reads the new
 * trail, or one that O left later still, at d. If u comes after it, then v does too, sees a, and O
 * records the access itself, together with `old`, which u has hidden from D. One barrier serves
 * many words, so that b and d are put off (runtime/record/shadow/publish.h). If the process is
 * killed before, an access of O that fell between a and c may be missing. Where the system has no
 * membarrier, u is an exchange, which no later load passes, and d is not needed. Both may record
 * the same access, which does no harm. A trail contains its task, so that none is ever attributed
 * to another.
 *
 * A handler of a message is an owner of its own: in another execution another message's handler may
 * run before it in the same task, so a word that both use is shared.
 *
 * Not recorded are repetitions, and the accesses of a word's only owner except the last write and
 * the last read of each byte (docs/theory/record.md). */
#ifndef CLEW_RUNTIME_RECORD_SHADOW_ACCESS_H
#define CLEW_RUNTIME_RECORD_SHADOW_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes the tables; until then, and when it fails, nothing is recorded. */
void access_start(void);

/* In a child that has just been forked: every word is as new. */
void access_forked(void);

/* The calling task has ended: its part of the shadow state is released. */
void access_task_end(void);

/* True once the process has loaded code that reports its accesses. */
bool access_is_told(void);

/* An atomic operation on these bytes, which another task may use without: makes their words shared.
 */
void access_share(const volatile void *address, size_t size);

/* Races on this memory are intended: its accesses are not recorded from now on. Only the first 256
 * calls have an effect; memory of later calls is recorded as before. */
void access_allow(uintptr_t address, size_t size);
bool access_is_allowed(uintptr_t address);

/* The memory means something new: it was allocated, or became a stack. */
void access_clear(const void *address, size_t size);

/* The memory is about to be freed: records a write to the words of it that other tasks have used.
 */
void access_end(const void *address, size_t size, const void *place);

/* The memory was freed: later uses of its first word are recorded, even by a single task. */
void access_freed(const void *address, size_t size);

#endif
