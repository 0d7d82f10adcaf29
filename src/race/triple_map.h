/* A map from three 32-bit numbers to one, made for one look-up per event: key and value lie
 * together, so that a look-up touches one cache line as a rule. It is never iterated. */
#ifndef CLEW_RACE_TRIPLE_MAP_H
#define CLEW_RACE_TRIPLE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct triple {
    uint32_t a, b, c;
    uint32_t value; /* TRIPLE_ABSENT: the place is free */
};

#define TRIPLE_ABSENT UINT32_MAX
_Static_assert(sizeof(struct triple) == 16, "four to a cache line");

/* {0} is empty. */
struct triples {
    struct triple *at;
    size_t slot_count; /* a power of two */
    size_t used;
};

void triples_release(struct triples *t);

/* The place of the value of (a, b, c); TRIPLE_ABSENT there means that the key is new and the caller
 * sets its value before the next call. */
uint32_t *triples_slot(struct triples *t, uint32_t a, uint32_t b, uint32_t c);

/* The value of (a, b, c), TRIPLE_ABSENT when it has none; nothing is added. */
uint32_t triples_get(const struct triples *t, uint32_t a, uint32_t b, uint32_t c);

#endif
