#include "base/tuple_intern.h"

#include <string.h>

#include "base/mem.h"
#include "wire/must.h"

/* Two products whose high bits depend on all words; numbers are mostly small and close together. */
static size_t slot_of(const struct tuples *t, const struct tuple *tuple)
{
    uint64_t low = 0;
    uint64_t high = 0;
    memcpy(&low, tuple->words, sizeof low);
    memcpy(&high, tuple->words + 2, sizeof high);
    const uint64_t mixed = (low ^ (high << 23 | high >> 41)) * 0x9e3779b97f4a7c15u;
    return (size_t)(((mixed ^ high) * 0xbf58476d1ce4e5b9u) >> 32) & (t->slot_count - 1);
}

/* The slot that holds the tuple, or the free one where it belongs. */
static size_t find(const struct tuples *t, const struct tuple *tuple)
{
    size_t slot = slot_of(t, tuple);
    while (t->slots[slot] != 0 &&
           memcmp(&t->list.at[t->slots[slot] - 1], tuple, sizeof *tuple) != 0) {
        slot = (slot + 1) & (t->slot_count - 1);
    }
    return slot;
}

static void grow(struct tuples *t)
{
    mem_free(t->slots);
    t->slots = NULL;
    t->slot_count = t->slot_count == 0 ? 1024 : t->slot_count * 4;
    t->slots = mem_zero(t->slot_count, sizeof *t->slots);
    for (size_t i = 0; i < t->list.count; i++) {
        t->slots[find(t, &t->list.at[i])] = (uint32_t)(i + 1);
    }
    vec_reserve(&t->list, t->slot_count / 2);
}

uint32_t tuples_intern(struct tuples *t, struct tuple tuple)
{
    if ((t->list.count + 1) * 2 > t->slot_count) {
        grow(t);
    }
    const size_t slot = find(t, &tuple);
    if (t->slots[slot] == 0) {
        must(t->list.count < UINT32_MAX - 1);
        vec_push(&t->list, tuple);
        t->slots[slot] = (uint32_t)t->list.count;
    }
    return t->slots[slot];
}

void tuples_release(struct tuples *t)
{
    vec_release(&t->list);
    mem_free(t->slots);
    *t = (struct tuples){0};
}
