/* What a search does not do twice. Where two operations do not conflict, their order makes no
 * difference: once all that begins with the first was looked at, it *sleeps* while the other is
 * taken, and until something comes that it conflicts with. And a state that was entered before is
 * looked at again only for what slept then and is awake now, or with more steps left than then.
 *
 * Sleep sets leave out steps, never states (Godefroid, Partial-Order Methods for the Verification
 * of Concurrent Systems, 1996, section 5.2, on which what is done with states entered again
 * follows). */
#ifndef CLEW_MINIMIZE_ENGINE_SLEEP_SETS_H
#define CLEW_MINIMIZE_ENGINE_SLEEP_SETS_H

#include "base/map.h"
#include "pick/pick.h"

/* Something that can be next in a state. */
struct branch {
    struct pick_operation operation;
    uint32_t choice; /* its index among all that is pending */
    uint64_t id;     /* what it is, however the state was reached ... */
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

/* Enters the state, where some of what can be next sleeps. Where it was entered before, with as
 * many steps left, only what slept then and is awake now is to be looked at, and only what slept
 * then too sleeps meanwhile. */
void sleep_sets_enter(struct sleep_sets *v, uint64_t state, uint32_t left, struct branches *b);

#endif
