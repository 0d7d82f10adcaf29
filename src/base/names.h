/* Interned text: equal bytes get equal numbers, in the order of first appearance. Number 0 is the
 * empty text, which stands for "none" everywhere. Texts may hold any bytes and always end in a 0
 * byte. */
#ifndef CLEW_BASE_NAMES_H
#define CLEW_BASE_NAMES_H

#include <stdint.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/vec.h"

struct name {
    const char *text; /* NULL: forgotten */
    uint32_t size;
    uint32_t hash;
};

struct names {
    struct arena arena;
    VEC(struct name) list;
    uint32_t *slots;
    size_t slot_count;
    VEC(uint32_t) spare; /* numbers of names that were forgotten */
};

void names_init(struct names *n);
void names_release(struct names *n);

/* The number of this text, which is copied when new. */
uint32_t names_intern(struct names *n, const char *text, size_t size);
uint32_t names_intern_text(struct names *n, const char *text);

/* Forgets all names but these and the empty one, for streams with unbounded names. New texts may
 * reuse the numbers of the others. O(names). */
void names_keep(struct names *n, struct bits is_kept);

/* The number of names. */
static inline size_t names_count(const struct names *n)
{
    return n->list.count - n->spare.count;
}

/* The number of this text, or 0 when it was never interned. */
uint32_t names_find(const struct names *n, const char *text, size_t size);

static inline const char *names_text(const struct names *n, uint32_t id)
{
    must(id < n->list.count);
    return n->list.at[id].text;
}

static inline uint32_t names_size(const struct names *n, uint32_t id)
{
    must(id < n->list.count);
    return n->list.at[id].size;
}

#endif
