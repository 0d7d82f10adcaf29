#include "proc/pieces.h"

#include <stddef.h>

enum { WORD_SIZE = 8 };

/* Words begin with a piece anyway. */
static void cut(struct pieces *p, uint64_t address)
{
    if (address % WORD_SIZE != 0) {
        *map_slot(&p->cuts, address / WORD_SIZE, 0, NULL) |= UINT32_C(1) << address % WORD_SIZE;
    }
}

void pieces_see(struct pieces *p, uint64_t address, uint64_t size)
{
    cut(p, address);
    cut(p, address + size);
}

uint64_t pieces_first(const struct pieces *p, uint64_t address, uint64_t size)
{
    const uint64_t first = address % WORD_SIZE;
    const uint64_t limit = size < WORD_SIZE - first ? size : WORD_SIZE - first;
    const uint32_t *cuts = map_get(&p->cuts, address / WORD_SIZE);
    for (uint64_t length = 1; cuts != NULL && length < limit; length++) {
        if ((*cuts >> (first + length) & 1) != 0) {
            return length;
        }
    }
    return limit;
}

void pieces_release(struct pieces *p)
{
    map_release(&p->cuts);
}
