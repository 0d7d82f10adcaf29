/* The slow twin of every search: all executions of a small system, one after another, with no
 * reduction. */
#ifndef CLEW_TEST_EXHAUST_H
#define CLEW_TEST_EXHAUST_H

#include "base/map.h"
#include "world/world.h"

/* {0} is nothing. */
struct exhausted {
    uint64_t executions;          /* that ended or broke */
    uint64_t violations;          /* of those, broke */
    uint64_t shortest;            /* steps of the shortest that broke; 0: none did */
    uint64_t shortest_like;       /* of the shortest that broke and is like ... */
    const struct execution *like; /* ... this one; NULL: none is */
    bool (*is_like)(const struct execution *x, const struct execution *like);
    struct map keys;     /* of violations, by hash */
    struct map classes;  /* executions up to the order of commuting steps, by hash */
    struct map outcomes; /* by the hash of the state at the end, or of the violation */
    bool is_too_much;    /* more than executions_max: given up */
};

void exhaust(struct world *w, const struct plan *p, uint64_t executions_max, struct exhausted *x);
void exhausted_release(struct exhausted *x);

/* Equal for executions that differ only in the order of commuting steps. */
uint64_t exhaust_class(const struct execution *x);

#endif
