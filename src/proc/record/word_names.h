/* A cache of the names of words in a process's memory: 4 bytes for each word of a page in which
 * something was named. It may forget any name; the caller can then find the name otherwise. */
#ifndef CLEW_PROC_RECORD_WORD_NAMES_H
#define CLEW_PROC_RECORD_WORD_NAMES_H

#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"

/* {0} knows nothing. */
struct labels {
    struct map page_of;   /* number of a page to its place in names */
    VEC(uint32_t) names;  /* by page, then by word: name | offset in the word (3 bits); 0: none */
    uint64_t page_last;   /* asked for last ... */
    uint32_t *names_last; /* ... and its names; NULL: none */
};

/* The cached name of this address, 0 if it is not cached. */
uint32_t labels_get(struct labels *l, uint64_t address);

/* Caches the name of this address. Of several names in one word the last is kept. */
void labels_put(struct labels *l, uint64_t address, uint32_t name);

/* The memory has become something else. O(size), or O(known pages) where these are fewer. */
void labels_forget(struct labels *l, uint64_t start, uint64_t size);

void labels_release(struct labels *l);

#endif
