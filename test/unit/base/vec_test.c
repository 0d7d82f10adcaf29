#include "base/vec.h"

#include "test.h"

TEST(what_is_pushed_is_there_in_order)
{
    VEC(uint32_t) v = {0};
    for (uint32_t i = 0; i < 100000; i++) {
        vec_push(&v, i * 3);
    }
    uint32_t expected = 0;
    vec_each (&v, item) {
        CHECK_INT(*item, expected);
        expected += 3;
    }
    CHECK_INT(*vec_last(&v), 299997);
    CHECK_INT(vec_pop(&v), 299997);
    CHECK_INT(v.count, 99999);
    vec_release(&v);
    CHECK(v.at == NULL);
}
