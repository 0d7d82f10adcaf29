/* Pairs of variables that belong together, in a text file: the output of `clew correlate`, perhaps
 * edited, or user-supplied.
 *
 *     # distance  support  x  y
 *     1.00	42	balance	total
 *     cache.empty cache.table
 *
 * A line ends in two names: separated by tabs where there is one, else by blanks. Columns before
 * them are ignored. A line that begins with # is a comment. */
#ifndef CLEW_ATOMICITY_PAIRS_H
#define CLEW_ATOMICITY_PAIRS_H

#include "atomicity/atomicity.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

/* {0} is empty. */
struct pairs {
    struct arena arena;
    VEC(struct atomicity_pair) list;
};

/* Reads the file at path ("-": standard input). Fails on a line without two names, naming it. */
MUST_USE int pairs_read(struct pairs *p, const char *path, struct err *e);

/* The same over bytes in memory. */
MUST_USE int pairs_parse(struct pairs *p, const char *bytes, size_t size, struct err *e);

void pairs_release(struct pairs *p);

#endif
