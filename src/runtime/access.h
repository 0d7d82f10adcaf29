/* Which memory accesses are worth a record: those to words that more than one task uses.
 *
 * Every word of 8 bytes has a cell. While one task owns the word, an access only leaves its place
 * and the task's epoch there; the first access by another task makes the word shared for good and
 * brings the owner's last write and last read to light, as late records. Accesses to a shared word
 * are recorded once for each place, kind and epoch of their task. What is lost is repetition: every
 * pair of places that meets on a word is still there.
 *
 * An epoch of a task is the stretch between two stamped records. */
#ifndef CLEW_RUNTIME_ACCESS_H
#define CLEW_RUNTIME_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A plain access by the calling task. */
void access_note(const void *address, size_t size, bool is_write, const void *place);

/* The memory means something new: it was allocated, freed or became a stack. */
void access_clear(const void *address, size_t size);

#endif
