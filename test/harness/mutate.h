/* Damages bytes the way disks, cut transfers and attackers do, the same way for the same seed.
 *
 *     struct mutator m;
 *     mutator_init(&m, seed);
 *     mutator_add(&m, bytes, size);                       one or more inputs to start from
 *     struct mutant mutant = mutator_next(&m);            valid until the next call
 *     mutator_release(&m);
 *
 * Each mutant is one of the inputs with one to eight changes: bits flipped, bytes set, spans
 * deleted, inserted, repeated or moved in from another input, numbers replaced by interesting ones
 * (binary and decimal), the end cut off. */
#ifndef CLEW_TEST_MUTATE_H
#define CLEW_TEST_MUTATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "wire/prng.h"

struct mutant {
    uint8_t *bytes;
    size_t size;
};

struct mutator {
    struct prng prng;
    VEC(struct mutant) inputs; /* copies */
    VEC(uint8_t) buffer;
};

void mutator_init(struct mutator *m, uint64_t seed);
void mutator_release(struct mutator *m);

/* Adds a copy of an input. */
void mutator_add(struct mutator *m, const void *bytes, size_t size);

/* Adds every file of a folder, in the order of their names; fails the test when there is none. */
void mutator_add_folder(struct mutator *m, const char *path);

/* The next mutant. Its bytes end where an allocated block ends, so that AddressSanitizer sees a
 * read behind them. */
struct mutant mutator_next(struct mutator *m);

/* Gives a fuzz entry (harness/fuzz.h) the seeds of test/fuzz/corpus/NAME, and then 2,000 mutants of
 * them; 200,000 in a long run. */
void mutate_entry(const char *name, void (*entry)(const uint8_t *bytes, size_t size));

#endif
