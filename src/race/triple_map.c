#include "race/triple_map.h"

#include "base/mem.h"
#include "wire/must.h"

/* Multiplication spreads the low bits upwards; the caller uses the high half. */
static size_t hash(const struct triples *t, uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t h = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 32 ^ c) * UINT64_C(0xd6e8feb86659fd93);
    return (size_t)(h >> 32) & (t->slot_count - 1);
}

static struct triple *find(const struct triples *t, uint32_t a, uint32_t b, uint32_t c)
{
    size_t i = hash(t, a, b, c);
    for (;;) {
        struct triple *slot = &t->at[i];
        if ((slot->a == a && slot->b == b && slot->c == c) || slot->value == TRIPLE_ABSENT) {
            return slot;
        }
        i = (i + 1) & (t->slot_count - 1);
    }
}

static void clear(struct triples *t)
{
    for (size_t i = 0; i < t->slot_count; i++) {
        t->at[i] = (struct triple){.value = TRIPLE_ABSENT};
    }
    t->used = 0;
}

void triples_release(struct triples *t)
{
    mem_free(t->at);
    *t = (struct triples){0};
}

static void grow(struct triples *t)
{
    const struct triples old = *t;
    must(old.slot_count < (size_t)1 << 31);
    t->slot_count = old.slot_count == 0 ? 64 : old.slot_count * 2;
    t->at = mem_resize(NULL, mem_product(t->slot_count, sizeof *t->at));
    clear(t);
    for (size_t i = 0; i < old.slot_count; i++) {
        const struct triple *entry = &old.at[i];
        if (entry->value != TRIPLE_ABSENT) {
            *find(t, entry->a, entry->b, entry->c) = *entry;
        }
    }
    t->used = old.used;
    must((t->slot_count & (t->slot_count - 1)) == 0);
    must((t->used + 1) * 2 <= t->slot_count);
    mem_free(old.at);
}

uint32_t *triples_slot(struct triples *t, uint32_t a, uint32_t b, uint32_t c)
{
    if ((t->used + 1) * 2 > t->slot_count) {
        grow(t);
    }
    struct triple *slot = find(t, a, b, c);
    if (slot->value == TRIPLE_ABSENT) {
        *slot = (struct triple){a, b, c, TRIPLE_ABSENT};
        t->used++;
    }
    return &slot->value;
}

uint32_t triples_get(const struct triples *t, uint32_t a, uint32_t b, uint32_t c)
{
    return t->slot_count == 0 ? TRIPLE_ABSENT : find(t, a, b, c)->value;
}
