#include "sim/memory_hash.h"

#include <stdbool.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "pick/operation_name.h"
#include "sim/net.h"
#include "sim/state_hash.h"

/* A block has the size up to which xxhash takes its short way. */
enum { BLOCK_SIZE = 128, PAGE_SIZE = 4096 };

/* Of memory that a step may have changed in a few places: compared at once. */
enum { CHUNK_SIZE = 8 * BLOCK_SIZE };

_Static_assert(BLOCK_SIZE % sizeof(uint64_t) == 0, "blocks are compared word by word");
_Static_assert(PAGE_SIZE % BLOCK_SIZE == 0, "pages have whole blocks");

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The first bytes of the rest, the last word filled up with zeros. */
static inline uint64_t word_at(const char *bytes, size_t left)
{
    uint64_t word = 0;
    if (left >= sizeof word) {
        memcpy(&word, bytes, sizeof word); /* of a size that the compiler knows: one load */
    } else {
        memcpy(&word, bytes, left);
    }
    return word;
}

/* Of the words that are not as they were, each with its place; the first is at `place`. */
static uint64_t hash_changes(const char *bytes, const char *fresh, size_t size, size_t place)
{
    uint64_t hash = 0;
    for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
        const uint64_t word = word_at(bytes + at, size - at);
        if (word != word_at(fresh + at, size - at)) {
            hash += name_join(place + at, word);
        }
    }
    return hash;
}

/* Memory to be hashed. */
struct stretch {
    const char *bytes;
    const char *fresh;
    size_t size;
};

static size_t block_size(const struct stretch *s, size_t block)
{
    return smaller(s->size - block * BLOCK_SIZE, BLOCK_SIZE);
}

static void take_block(struct image *m, const struct stretch *s, size_t block)
{
    const size_t at = block * BLOCK_SIZE;
    const size_t size = block_size(s, block);
    const uint64_t hash = s->fresh == NULL ? XXH3_64bits_withSeed(s->bytes + at, size, block)
                                           : hash_changes(s->bytes + at, s->fresh + at, size, at);
    m->sum += hash - m->hashes.at[block];
    m->hashes.at[block] = hash;
    if (size == BLOCK_SIZE) {
        memcpy(m->bytes.at + at, s->bytes + at, BLOCK_SIZE); /* a size that the compiler knows */
    } else {
        memcpy(m->bytes.at + at, s->bytes + at, size);
    }
}

/* A whole block is compared in place, without branches: it is less work than a call. */
static bool is_same(const char *a, const char *b, size_t size)
{
    if (size < BLOCK_SIZE) {
        return memcmp(a, b, size) == 0;
    }
    uint64_t difference = 0;
    for (size_t at = 0; at < BLOCK_SIZE; at += sizeof(uint64_t)) {
        difference |= word_at(a + at, sizeof(uint64_t)) ^ word_at(b + at, sizeof(uint64_t));
    }
    return difference == 0;
}

static bool is_block_same(const struct image *m, const struct stretch *s, size_t block)
{
    const size_t at = block * BLOCK_SIZE;
    return is_same(m->bytes.at + at, s->bytes + at, block_size(s, block));
}

/* Takes the first blocks where they have changed. */
static void refresh(struct image *m, const struct stretch *s, size_t block_count)
{
    const size_t size = smaller(block_count * BLOCK_SIZE, s->size);
    for (size_t at = 0; at < size; at += PAGE_SIZE) {
        const size_t page_size = smaller(size - at, PAGE_SIZE);
        const bool is_block = page_size <= BLOCK_SIZE; /* which is compared below */
        if (!is_block && memcmp(m->bytes.at + at, s->bytes + at, page_size) == 0) {
            continue;
        }
        for (size_t i = at / BLOCK_SIZE; i * BLOCK_SIZE < at + page_size; i++) {
            if (!is_block_same(m, s, i)) {
                take_block(m, s, i);
            }
        }
    }
}

/* The image becomes larger or smaller: blocks that are whole before and after stay, the rest is
 * hashed again. */
static void resize(struct image *m, const struct stretch *s)
{
    const size_t kept_count = smaller(m->bytes.count, s->size) / BLOCK_SIZE;
    while (m->hashes.count > kept_count) {
        m->sum -= vec_pop(&m->hashes);
    }
    vec_reserve(&m->bytes, s->size);
    m->bytes.count = s->size;
    for (size_t i = kept_count; i * BLOCK_SIZE < s->size; i++) {
        vec_push(&m->hashes, 0);
        take_block(m, s, i);
    }
    must(m->hashes.count == (s->size + BLOCK_SIZE - 1) / BLOCK_SIZE);
    refresh(m, s, kept_count);
}

uint64_t image_hash(struct image *m, const char *bytes, size_t size, const char *fresh)
{
    const struct stretch s = {.bytes = bytes, .fresh = fresh, .size = size};
    if (size == m->bytes.count) {
        refresh(m, &s, m->hashes.count);
    } else {
        resize(m, &s);
    }
    return m->sum;
}

/* From a place on, a block at most. */
static size_t size_from(const struct image_bytes *b, size_t at)
{
    return at < b->size ? smaller(b->size - at, BLOCK_SIZE) : 0;
}

uint64_t image_change(const struct image_bytes *before, const struct image_bytes *now,
                      uint32_t whose)
{
    uint64_t sum = 0;
    const size_t common = smaller(before->size, now->size);
    for (size_t at = 0; at < before->size || at < now->size; at += BLOCK_SIZE) {
        while (at % CHUNK_SIZE == 0 && at + CHUNK_SIZE <= common &&
               memcmp(before->at + at, now->at + at, CHUNK_SIZE) == 0) {
            at += CHUNK_SIZE;
        }
        const size_t old_size = size_from(before, at);
        const size_t size = size_from(now, at);
        if (size == old_size && is_same(before->at + at, now->at + at, size)) {
            continue;
        }
        const uint64_t seed = (uint64_t)whose << 48 | at;
        sum += size == 0 ? 0 : XXH3_64bits_withSeed(now->at + at, size, seed);
        sum -= old_size == 0 ? 0 : XXH3_64bits_withSeed(before->at + at, old_size, seed);
    }
    return sum;
}

void image_release(struct image *m)
{
    vec_release(&m->bytes);
    vec_release(&m->hashes);
}
