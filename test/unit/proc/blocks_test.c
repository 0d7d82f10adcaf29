#include "proc/record/memory_blocks.h"

#include <string.h>

#include "harness/test.h"
#include "proc/record/access_pieces.h"
#include "wire/prng.h"

enum { MEMORY_SIZE = 1 << 20, STEPS = 400 };

/* The slow twin: which block each byte belongs to. */
static uint32_t owner[MEMORY_SIZE];

static uint64_t random_size(struct prng *prng)
{
    return prng_below(prng, 4) == 0 ? prng_below(prng, MEMORY_SIZE / 2) : prng_below(prng, 6000);
}

TEST(every_byte_belongs_to_the_block_added_last_there)
{
    struct prng prng;
    prng_init(&prng, 7);
    struct blocks b = {0};
    uint32_t is_gone[STEPS + 1] = {0};
    uint32_t was_gone[STEPS + 1] = {0};
    for (uint32_t step = 1; step <= STEPS; step++) {
        const uint64_t base = prng_below(&prng, MEMORY_SIZE);
        uint64_t size = random_size(&prng);
        size = size < MEMORY_SIZE - base ? size : MEMORY_SIZE - base;
        const struct block_span changed = blocks_add(&b, base, size, step);
        CHECK(changed.start <= base && base + size <= changed.start + changed.size);
        /* Whoever loses a byte is gone whole. */
        for (uint64_t at = base; at < base + (size > 0 ? size : 1); at++) {
            is_gone[owner[at]] = 1;
            owner[at] = step;
        }
        for (uint64_t at = 0; at < MEMORY_SIZE; at += 64) { /* what has changed is told */
            CHECK(owner[at] == 0 || is_gone[owner[at]] == 0 || was_gone[owner[at]] != 0 ||
                  at - changed.start < changed.size);
        }
        memcpy(was_gone, is_gone, sizeof was_gone);
        for (int look = 0; look < 100; look++) {
            const uint64_t at = prng_below(&prng, MEMORY_SIZE);
            const struct block *found = blocks_find(&b, at);
            const uint32_t wanted = is_gone[owner[at]] != 0 ? 0 : owner[at];
            CHECK_INT(found == NULL ? 0 : found->name, wanted);
        }
    }
    blocks_release(&b);
}

TEST(a_block_as_large_as_the_address_space_is_no_trouble)
{
    struct blocks b = {0};
    (void)blocks_add(&b, 4096, 8, 1);
    (void)blocks_add(&b, 0, UINT64_MAX, 2);
    CHECK_INT(blocks_find(&b, 4096)->name, 2);
    CHECK_INT(blocks_add(&b, UINT64_MAX, 8, 3).size, 0);
    CHECK_INT(blocks_find(&b, 4096)->name, 2);
    blocks_release(&b);
}

TEST(accesses_share_a_piece_just_when_they_share_a_byte)
{
    struct prng prng;
    prng_init(&prng, 8);
    for (int round = 0; round < 500; round++) {
        struct pieces p = {0};
        uint64_t first[2];
        uint64_t size[2];
        uint32_t begins[2] = {0};
        for (int i = 0; i < 2; i++) {
            first[i] = prng_below(&prng, 8);
            size[i] = 1 + prng_below(&prng, 8 - first[i]);
            pieces_see(&p, first[i], size[i]);
        }
        for (int i = 0; i < 2; i++) {
            for (uint64_t at = first[i]; at < first[i] + size[i];
                 at += pieces_first(&p, at, first[i] + size[i] - at)) {
                begins[i] |= UINT32_C(1) << at;
            }
        }
        const bool overlap = first[0] < first[1] + size[1] && first[1] < first[0] + size[0];
        CHECK((begins[0] & begins[1]) != 0 ? overlap : !overlap);
        pieces_release(&p);
    }
}
