/* How the words of a process's memory are divided among its accesses: two accesses that share a
 * byte must meet under one name, and two fields side by side must not.
 *
 * Each word of 8 bytes is cut wherever some access to it begins or ends. All accesses are seen
 * first; then each is taken apart into the pieces it covers. */
#ifndef CLEW_PROC_RECORD_ACCESS_PIECES_H
#define CLEW_PROC_RECORD_ACCESS_PIECES_H

#include <stdint.h>

#include "base/map.h"

/* {0} is uncut. */
struct pieces {
    struct map cuts; /* word to a bit for each of its bytes where a piece begins */
};

/* Cuts where this access, which lies in one word, begins and ends. */
void pieces_see(struct pieces *p, uint64_t address, uint64_t size);

/* The size of the piece that begins at the address, at most `size`. */
uint64_t pieces_first(const struct pieces *p, uint64_t address, uint64_t size);

/* Cuts the size bytes at `to_address` as those at `from_address` of another are cut; both addresses
 * begin a word. O(words that are cut in `from`), or O(size) where that is less. */
struct pieces_span {
    const struct pieces *from;
    uint64_t from_address, to_address, size;
};
void pieces_copy(struct pieces *p, const struct pieces_span *span);

void pieces_release(struct pieces *p);

#endif
