#include "atomicity/violation.h"

#include "test.h"

/* An interleaving from letters: "R1x W2x W1y". */
struct interleaving {
    struct violation_access at[VIOLATION_SIZE_MAX];
    size_t count;
};

static struct interleaving of(const char *text)
{
    struct interleaving i = {.count = 0};
    for (const char *c = text; *c != '\0'; c += c[3] == '\0' ? 3 : 4) {
        i.at[i.count++] = (struct violation_access){
            .thread = (uint8_t)(c[1] - '0'), .which = c[2] == 'y', .is_write = c[0] == 'W'};
    }
    return i;
}

static bool conflicts_are_cyclic(const char *text)
{
    const struct interleaving i = of(text);
    return !violation_is_conflict_serializable(i.at, i.count);
}

TEST(three_accesses_are_unserializable_exactly_by_the_five_patterns)
{
    int found = 0;
    for (unsigned types = 0; types < 8; types++) {
        const struct violation_access a[] = {
            {1, 0, types & 1}, {2, 0, types >> 1 & 1}, {1, 0, types >> 2 & 1}};
        const enum violation p = violation_of_three(a[0].is_write, a[1].is_write, a[2].is_write);
        CHECK_INT(p != VIOLATION_NONE, !violation_is_conflict_serializable(a, 3));
        found += p != VIOLATION_NONE;
    }
    CHECK_INT(found, 5);
}

TEST(only_three_writes_are_view_serializable_among_the_five)
{
    CHECK(violation_is_view_serializable(of("W1x W2x W1x").at, 3));
    CHECK(!violation_is_view_serializable(of("R1x W2x R1x").at, 3));
    CHECK(!violation_is_view_serializable(of("W1x W2x R1x").at, 3));
    CHECK(!violation_is_view_serializable(of("R1x W2x W1x").at, 3));
    CHECK(!violation_is_view_serializable(of("W1x R2x W1x").at, 3));
}

TEST(patterns_of_two_variables_have_the_types_of_the_table)
{
    CHECK_INT(violation_of_four((struct violation_types){.x1 = 0, .x2 = 1, .y2 = 0, .y1 = 1}),
              VIOLATION_P1);
    CHECK_INT(violation_of_four((struct violation_types){.x1 = 0, .x2 = 1, .y2 = 1, .y1 = 0}),
              VIOLATION_P2);
    CHECK_INT(violation_of_four((struct violation_types){.x1 = 1, .x2 = 0, .y2 = 0, .y1 = 1}),
              VIOLATION_P3);
    CHECK_INT(violation_of_four((struct violation_types){.x1 = 1, .x2 = 0, .y2 = 1, .y1 = 0}),
              VIOLATION_P4);
    CHECK_INT(violation_of_four((struct violation_types){.x1 = 0, .x2 = 0, .y2 = 1, .y1 = 1}),
              VIOLATION_NONE);
    CHECK_INT(violation_of_four((struct violation_types){.x1 = 1, .x2 = 1, .y2 = 0, .y1 = 0}),
              VIOLATION_NONE);
}

/* Four accesses as a number, to tell orders apart. */
static unsigned code_of(const struct violation_access *a)
{
    unsigned code = 0;
    for (int i = 0; i < TYPED_ORDER_SIZE; i++) {
        code = code << 3 | (a[i].thread == 2 ? 4u : 0) | (a[i].which != 0 ? 2u : 0) |
               (a[i].is_write ? 1u : 0);
    }
    return code;
}

/* Two accesses of each thread, one of each variable, in every order and of every type. */
static bool has_each_once(const struct violation_access *a)
{
    unsigned seen = 0;
    for (int i = 0; i < TYPED_ORDER_SIZE; i++) {
        seen |= 1u << ((a[i].thread - 1) * 2 + a[i].which);
    }
    return seen == 15;
}

TEST(the_typed_orders_are_exactly_the_cyclic_ones)
{
    static bool is_listed[1 << 12];
    int counts[VIOLATION_COUNT] = {0};
    for (size_t i = 0; i < TYPED_ORDER_COUNT; i++) {
        const struct typed_order order = violation_typed_order(i);
        CHECK(!is_listed[code_of(order.accesses)]);
        is_listed[code_of(order.accesses)] = true;
        counts[order.pattern]++;
    }
    CHECK_INT(counts[VIOLATION_P1], 24);
    CHECK_INT(counts[VIOLATION_P2], 12);
    CHECK_INT(counts[VIOLATION_P3], 48);
    CHECK_INT(counts[VIOLATION_P4], 24);
    size_t all = 0;
    for (unsigned code = 0; code < 1 << 12; code++) {
        struct violation_access a[TYPED_ORDER_SIZE];
        for (int i = 0; i < TYPED_ORDER_SIZE; i++) {
            const unsigned bits = code >> (3 * (3 - i)) & 7;
            a[i] = (struct violation_access){
                .thread = bits & 4 ? 2 : 1, .which = bits >> 1 & 1, .is_write = bits & 1};
        }
        if (has_each_once(a)) {
            all++;
            CHECK_INT(is_listed[code], !violation_is_conflict_serializable(a, TYPED_ORDER_SIZE));
        }
    }
    CHECK_INT(all, 24 * 16);
}

TEST(a_stale_read_with_a_dependent_write_is_serializable)
{
    CHECK(!conflicts_are_cyclic("R1x W2x W1y"));
    CHECK(conflicts_are_cyclic("R1x W2x R2y W1y"));
}
