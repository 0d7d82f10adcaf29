/* Which variables come close to each other in some task: the pairs worth looking at. */
#ifndef CLEW_ATOMICITY_PAIRING_H
#define CLEW_ATOMICITY_PAIRING_H

#include <stdint.h>

#include "atomicity/shared_variable.h"
#include "base/limit.h"
#include "base/vec.h"
#include "trace/trace.h"

/* x is below y by class, or by number where they are of one class. */
struct pairing {
    uint32_t x, y; /* variables */
};

/* The accesses of one task that count: those to variables that several tasks access. */
struct walk {
    const uint32_t *variables; /* of the accesses, one after the other */
    uint32_t count;
};

/* {0} is empty. */
struct pairings {
    VEC(struct pairing) list; /* by the classes of x and y, then as first met */
    struct walk *walks;       /* per task */
    uint32_t task_count;
    struct arena arena;
};

enum {
    PAIRING_DEPTH =
        64, /* at most this number of other variables may come between two that are paired */
    PAIRING_PARTNERS =
        32, /* and each is paired with those it comes close to most, about this number */
};

/* O(accesses * PAIRING_DEPTH). Where the watch (NULL: none) ends it, walks end at that place. */
void pairings_build(struct pairings *p, const struct trace *t, const struct variables *v,
                    struct limit_watch *watch);
void pairings_release(struct pairings *p);

#endif
