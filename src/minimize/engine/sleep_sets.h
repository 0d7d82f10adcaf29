/* Work that the search skips. Where two operations do not conflict, their order makes no
 * difference: once every execution that begins with the first was searched, it *sleeps* while the
 * other is taken, and until a step comes that it conflicts with. A state that was entered before is
 * searched again only for operations that slept then and are awake now, or with more steps left
 * than then.
 *
 * Sleep sets leave out steps, never states (Godefroid, Partial-Order Methods for the Verification
 * of Concurrent Systems, 1996; section 5.2 has the rule for states that are entered again). */
#ifndef CLEW_MINIMIZE_ENGINE_SLEEP_SETS_H
#define CLEW_MINIMIZE_ENGINE_SLEEP_SETS_H

#include "base/map.h"
#include "pick/pick.h"

/* An operation that can be next in a state. */
struct branch {
    struct pick_operation operation;
    uint32_t choice; /* its index among all that is pending */
    uint64_t id;     /* the operation, however the state was reached ... */
    bool is_alike;   /* ... but another is just like it */
    enum { BRANCH_AWAKE, BRANCH_ASLEEP, BRANCH_LEFT_OUT } is;
};

struct branches {
    VEC(struct branch) list;
};

struct visit {
    uint32_t left; /* steps */
    uint32_t asleep_first, asleep_count;
};

/* {0} is empty. */
struct sleep_sets {
    struct map number_of; /* of a state */
    VEC(struct visit) list;
    VEC(uint64_t) asleep; /* ids */
};

void sleep_sets_clear(struct sleep_sets *v);
void sleep_sets_release(struct sleep_sets *v);

/* Gives each its id. */
void branches_identify(struct branches *b);

/* Whether the state was entered before, with as many steps left and nothing asleep. */
bool sleep_sets_has_all(const struct sleep_sets *v, uint64_t state, uint32_t left);

/* Enters the state, where some operations sleep. Where it was entered before with as many steps
 * left, only operations that slept then and are awake now are searched, and only operations that
 * slept then too sleep meanwhile. */
void sleep_sets_enter(struct sleep_sets *v, uint64_t state, uint32_t left, struct branches *b);

#endif
