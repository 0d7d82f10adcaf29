/* The couples and single accesses of a sketch's threads. Those that differ only in their position
 * are a group: the search tries or refuses them together.
 *
 *     struct casts c;
 *     casts_build(&c, &sites, &sorts, COUPLES_OF_X);
 *     casts_release(&c);
 */
#ifndef CLEW_ATOMICITY_CANDIDATES_H
#define CLEW_ATOMICITY_CANDIDATES_H

#include <stdint.h>

#include "atomicity/access_sites.h"
#include "base/arena.h"

/* A part of a list: [first, end). */
struct span {
    uint32_t first, end;
};

/* The number of kinds: properties of an access, or of a couple of two variables, that a pattern
 * depends on.
 */
enum { CAST_KINDS = 8 };

/* Couples or single accesses of a thread that only differ in where they stand, as parts of a list.
 * In each, events are in the order of the thread. */
struct groups {
    struct span *list;
    uint32_t kind_first[CAST_KINDS + 1]; /* the groups of a kind are list[kind_first[kind] ..) */
};

/* The couples of a thread, and its single accesses, which can interrupt couples of others. */
struct cast {
    uint32_t task;
    struct couple *couples; /* group by group, as listed in each; so are the others */
    struct groups couple_groups;
    event_id *firsts, *seconds; /* per couple */
    uint32_t *singles;          /* sites */
    struct groups single_groups;
    event_id *events; /* per single */
};

enum couple_rule { COUPLES_OF_X, COUPLES_MERGED, COUPLES_OF_BOTH };

/* Open for reading. */
struct casts {
    struct cast *list; /* per thread of the sketch */
    struct arena arena;
};

/* Couples as the rule says: of x alone, of x and y taken as one variable, or of the one and the
 * other. Couples of two attempts, between which a version check sent the task back, are left out.
 * O(accesses). */
void casts_build(struct casts *c, const struct sites *s, struct sorts *sorts,
                 enum couple_rule rule);
void casts_release(struct casts *c);

#endif
