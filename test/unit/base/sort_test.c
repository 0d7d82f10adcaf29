#include "base/sort.h"

#include "test.h"
#include "wire/prng.h"

struct item {
    uint32_t key;
    uint32_t index;
};

static int by_key(const void *left, const void *right, const void *context)
{
    const uint32_t a = ((const struct item *)left)->key;
    const uint32_t b = ((const struct item *)right)->key;
    (*(uint64_t *)context)++;
    return (a > b) - (a < b);
}

TEST(elements_are_in_order_and_equal_ones_stay_as_they_were)
{
    static struct item items[2000];
    struct prng prng;
    prng_init(&prng, 3);
    for (size_t count = 0; count <= 2000; count = count < 40 ? count + 1 : count * 3 / 2) {
        for (uint32_t i = 0; i < count; i++) {
            items[i] = (struct item){.key = (uint32_t)prng_below(&prng, 1 + count / 3), .index = i};
        }
        uint64_t comparisons = 0;
        sort_stable(items, count, sizeof *items, by_key, &comparisons);
        for (size_t i = 1; i < count; i++) {
            CHECK(items[i - 1].key < items[i].key ||
                  (items[i - 1].key == items[i].key && items[i - 1].index < items[i].index));
        }
        CHECK(comparisons < 14 * count + 1);
    }
}
