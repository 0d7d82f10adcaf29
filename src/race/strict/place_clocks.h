/* Clocks of the latest accesses to a variable that many columns touch, place by place, laid out so
 * that one loop over numbers counts those an access has not seen.
 *
 *     variable --> list of place p     sparse: (column, clock), (column, clock) ...
 *           `----> list of place q     dense:  a clock per column, 0 where there is none
 *
 * An entry stands for one record of history.h: the latest access of one task at one place. A list
 * is sparse while few columns are in it, so memory follows records. */
#ifndef CLEW_RACE_STRICT_PLACE_CLOCKS_H
#define CLEW_RACE_STRICT_PLACE_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "race/triple_map.h"

#define PLACE_LIST_NONE UINT32_MAX

struct place_entry {
    uint32_t column, task;
};

/* The entries of one variable at one place. Dense: clocks.at[c] is column c's, and `extra` has the
 * entries of further tasks that went on in the same column. Sparse: entries and clocks in pairs. */
struct place_list {
    uint32_t place;
    uint32_t next; /* list of the same variable */
    bool is_dense;
    VEC(uint32_t) clocks;
    VEC(struct place_entry) entries; /* dense: one per column as well */
    VEC(uint32_t) extra_clocks;
    VEC(struct place_entry) extra;
};

/* {0} is empty. */
struct place_clocks {
    VEC(struct place_list) lists;
    struct triples list_of; /* (variable, place, 0) */
};

void place_clocks_release(struct place_clocks *p);

/* Forgets all entries of all variables; their first lists are PLACE_LIST_NONE again. */
void place_clocks_clear(struct place_clocks *p);

/* One access: its variable, where, and when. The clock is at least 1. */
struct place_access {
    uint32_t variable, place;
    uint32_t column, task, clock;
};

/* Sets the entry of the access's task at its place. *first is the variable's first list. O(1) in a
 * dense list, O(entries) in a sparse one. */
void place_clocks_set(struct place_clocks *p, uint32_t *first, const struct place_access *a);

/* How many entries of the list one who has seen `seen` has not seen. `seen` has a multiple of 16
 * numbers, at least one per column in use. O(entries), a few numbers at a time. */
uint64_t place_list_unseen(const struct place_list *l, const uint32_t *seen);

#endif
