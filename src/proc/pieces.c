#include "proc/pieces.h"

#include <stddef.h>

enum { WORD_SIZE = 8 };

void pieces_see(struct pieces *p, uint64_t address, uint64_t size)
{
    const uint64_t first = address % WORD_SIZE;
    const uint64_t end = first + size;
    uint32_t *cuts = map_slot(&p->cuts, address / WORD_SIZE, 0, NULL);
    *cuts |= UINT32_C(1) << first;
    if (end < WORD_SIZE) {
        *cuts |= UINT32_C(1) << end;
    }
}

uint64_t pieces_first(const struct pieces *p, uint64_t address, uint64_t size)
{
    const uint64_t first = address % WORD_SIZE;
    const uint32_t *cuts = map_get(&p->cuts, address / WORD_SIZE);
    const uint64_t limit = size < WORD_SIZE - first ? size : WORD_SIZE - first;
    for (uint64_t length = 1; length < limit; length++) {
        if (cuts != NULL && (*cuts >> (first + length) & 1) != 0) {
            return length;
        }
    }
    return limit;
}

void pieces_release(struct pieces *p)
{
    map_release(&p->cuts);
}
