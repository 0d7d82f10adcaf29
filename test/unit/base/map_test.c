#include "base/map.h"

#include "test.h"

TEST(a_map_keeps_what_was_put_in_the_order_it_was_put)
{
    struct map m = {0};
    for (uint32_t i = 0; i < 1000; i++) {
        map_put(&m, (uint64_t)i * 7919 % 1009, i);
    }
    CHECK_INT(m.entries.count, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        CHECK_INT(m.entries.at[i].value, i);
        CHECK_INT(*map_get(&m, (uint64_t)i * 7919 % 1009), i);
    }
    CHECK(map_get(&m, 5000) == NULL);
    map_release(&m);
}
