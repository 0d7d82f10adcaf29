/* The locks that every access of a class holds (access.h): two classes that hold a lock in common,
 * one of them exclusively, have no pair of accesses side by side. Deciding that once for two
 * classes saves deciding it for each pair of their accesses.
 *
 *     class_locks_build(&l, &hb, &held, &accesses, arena);
 *     if (class_locks_exclude(&l, first, second)) { ... none of their pairs is a race ... }
 *
 *     T1 reads  at a.c:3    item_lock, cache_lock
 *     T2 writes at b.c:7    item_lock                 excluded by item_lock */
#ifndef CLEW_RACE_CLASS_LOCKSETS_H
#define CLEW_RACE_CLASS_LOCKSETS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "order/hb.h"
#include "race/access_classes.h"
#include "race/lockset.h"

/* A lock that is held, exclusively or with others. */
struct class_lock {
    uint32_t lock;
    bool is_shared;
};

struct class_locks {
    const struct accesses *accesses;
    const uint32_t *first; /* per class, and one more: its locks in `locks` */
    const struct class_lock *locks;
};

/* Of the classes of the accesses, into the arena. The program order of hb must be that of whole
 * tasks: no handler is a context of its own. O(accesses * locks held). */
void class_locks_build(struct class_locks *l, const struct hb *hb, const struct held *held,
                       const struct accesses *a, struct arena *arena);

/* Whether a lock keeps each access of one class from each of the other. O(locks * locks). */
bool class_locks_exclude(const struct class_locks *l, const struct access_class *first,
                         const struct access_class *second);

#endif
