#include "proc/record/access_pieces.h"

#include <stddef.h>

#include "wire/must.h"

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
    must(limit <= WORD_SIZE);
    return limit;
}

static void copy_word(struct pieces *p, const struct pieces_span *s, uint64_t word, uint32_t cuts)
{
    const uint64_t offset = word * WORD_SIZE - s->from_address;
    *map_slot(&p->cuts, (s->to_address + offset) / WORD_SIZE, 0, NULL) |= cuts;
}

void pieces_copy(struct pieces *p, const struct pieces_span *s)
{
    must(s->from_address % WORD_SIZE == 0);
    must(s->to_address % WORD_SIZE == 0);
    const uint64_t first = s->from_address / WORD_SIZE;
    const uint64_t count = (s->size + WORD_SIZE - 1) / WORD_SIZE;
    if (count < s->from->cuts.entries.count) {
        for (uint64_t word = first; word < first + count; word++) {
            const uint32_t *cuts = map_get(&s->from->cuts, word);
            if (cuts != NULL) {
                copy_word(p, s, word, *cuts);
            }
        }
        return;
    }
    vec_each (&s->from->cuts.entries, entry) {
        if (entry->key - first < count) {
            copy_word(p, s, entry->key, entry->value);
        }
    }
}

void pieces_release(struct pieces *p)
{
    map_release(&p->cuts);
}
