/* Short texts met lately and the numbers they got: spares the table of names most look-ups. A slot
 * per hash, the newer text wins. */
#ifndef CLEW_IMPORT_MEMO_H
#define CLEW_IMPORT_MEMO_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MEMO_TEXT_MAX = 16, MEMO_BITS = 12 };

/* A text of up to 16 bytes as two words, which with its size say all of it. */
struct memo_key {
    uint64_t front, back;
    uint32_t size;
};

struct memo_entry {
    struct memo_key key; /* size 0: free */
    uint32_t number;
};

struct memo {
    struct memo_entry entries[1 << MEMO_BITS];
};

/* The key of 1 to 16 bytes. The words overlap where the text is shorter than both, so that no byte
 * outside it is read. */
static inline struct memo_key memo_key(const char *text, size_t size)
{
    struct memo_key key = {.size = (uint32_t)size};
    if (size >= 8) {
        memcpy(&key.front, text, 8);
        memcpy(&key.back, text + size - 8, 8);
    } else if (size >= 4) {
        uint32_t front = 0;
        uint32_t back = 0;
        memcpy(&front, text, 4);
        memcpy(&back, text + size - 4, 4);
        key.front = front;
        key.back = back;
    } else {
        key.front = (uint64_t)(unsigned char)text[0] |
                    (uint64_t)(unsigned char)text[size / 2] << 8 |
                    (uint64_t)(unsigned char)text[size - 1] << 16;
    }
    return key;
}

/* The slot where the key belongs; it holds the key if memo_holds says so. */
static inline struct memo_entry *memo_slot(struct memo *m, const struct memo_key *key)
{
    const uint64_t mixed = (key->front ^ (key->back << 24 | key->back >> 40) ^ key->size) *
                           UINT64_C(0x9e3779b97f4a7c15);
    return &m->entries[mixed >> (64 - MEMO_BITS)];
}

static inline int memo_holds(const struct memo_entry *entry, const struct memo_key *key)
{
    return entry->key.front == key->front && entry->key.back == key->back &&
           entry->key.size == key->size;
}

#endif
