#include "mutate.h"

#include "test.h"

static void add_inputs(struct mutator *m)
{
    mutator_add(m, "clew-text 1\nmain write x t=12345\n", 33);
    mutator_add(m, "\x01\x02\x03\x04\x05\x06\x07\x08", 8);
    mutator_add(m, "", 0);
}

TEST(the_same_seed_gives_the_same_mutants)
{
    struct mutator a, b;
    mutator_init(&a, 7);
    mutator_init(&b, 7);
    add_inputs(&a);
    add_inputs(&b);
    for (int i = 0; i < 500; i++) {
        const struct mutant from_a = mutator_next(&a);
        const struct mutant from_b = mutator_next(&b);
        CHECK_INT(from_a.size, from_b.size);
        CHECK(memcmp(from_a.bytes, from_b.bytes, from_a.size) == 0);
    }
    mutator_release(&a);
    mutator_release(&b);
}

TEST(most_mutants_differ_from_their_input)
{
    struct mutator m;
    mutator_init(&m, 1);
    mutator_add(&m, "0123456789abcdef", 16);
    int different = 0;
    for (int i = 0; i < 1000; i++) {
        const struct mutant mutant = mutator_next(&m);
        different += mutant.size != 16 || memcmp(mutant.bytes, "0123456789abcdef", 16) != 0;
    }
    CHECK(different > 900);
    mutator_release(&m);
}
