/* Synchronization objects as variables: a lock, condition, barrier or semaphore is read by each
 * use, and written by its initialization, its destruction and the release of its memory. So a use
 * that is not ordered with the destruction is a data race, as in C and POSIX.
 *
 * A program uses its locks far more often than it destroys them. Uses of an object that is never
 * destroyed become no events. Of other objects a task's first two uses become events (the lock and
 * the unlock of its first section), and its last one. That is enough: if the last use is ordered
 * before the destruction, all are; if any use races with an initialization, the first one does.
 *
 * The first pass sees all records, row by row; the second takes them in the order of the merge.
 */
#ifndef CLEW_PROC_RECORD_SYNC_OBJECTS_H
#define CLEW_PROC_RECORD_SYNC_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/tuple_intern.h"
#include "base/vec.h"
#include "wire/segment.h"

/* An object in a block of memory; next: 1 + index of another one there. */
struct sync_member {
    uint64_t address;
    uint32_t next;
};

/* Those of one process. {0} is empty. */
struct sync_objects {
    struct map ended;    /* address that is initialized or destroyed somewhere -> 1 */
    struct tuples pairs; /* (task, address): its number */
    struct map last;     /* pair -> the least significant bits of the stamp of its last use */
    struct map lives;    /* address -> how many lives it has had */
    struct map used;     /* pair -> life << USES_BITS | uses in this life */
    struct map first_in; /* address of a block -> 1 + index of one of its objects in `members` */
    VEC(struct sync_member) members;
};

/* True for records of uses. */
bool sync_objects_is_use(const struct record *record);

/* True for records of initializations and destructions. */
bool sync_objects_is_life(const struct record *record);

/* The record of a task's row, in the order of the row. */
void sync_objects_see(struct sync_objects *o, uint32_t task, const struct record *record);

/* Whether this use, the next in the merge, becomes an event. `block` is the address of the block of
 * memory that the object lies in, 0 for none: it may be freed with it. */
bool sync_objects_take(struct sync_objects *o, uint32_t task, const struct record *record,
                       uint64_t block);

/* The object's life ends or begins here. The release of its block does not end a destroyed object
 * once more. */
void sync_objects_end(struct sync_objects *o, uint64_t address, uint64_t block);

/* The next object that lies in the block, which is freed; 0: none is left. */
uint64_t sync_objects_take_member(struct sync_objects *o, uint64_t block);

void sync_objects_release(struct sync_objects *o);

#endif
