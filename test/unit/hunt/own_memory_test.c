#include "hunt/own_memory.h"

#include "test.h"
#include "wire/kind.h"

struct access {
    uint32_t task, region, begin, end;
    bool is_access;
};

/* A character for each step: 'o' where it is an access to memory of its task alone. */
static const char *own(const struct access *accesses, size_t count)
{
    static char shown[16];
    struct execution x = {0};
    struct arena a = {0};
    CHECK(count < sizeof shown);
    for (size_t i = 0; i < count; i++) {
        const struct access *made = &accesses[i];
        vec_push(&x.steps, (struct step){.operation = {.kind = EVENT_WRITE,
                                                       .task = made->task,
                                                       .region = made->region,
                                                       .begin = made->begin,
                                                       .end = made->end,
                                                       .is_access = made->is_access}});
    }
    const struct bits found = own_memory_find(&x, &a);
    for (size_t i = 0; i < count; i++) {
        shown[i] = bits_has(found, i) ? 'o' : '-';
    }
    shown[count] = '\0';
    vec_release(&x.steps);
    arena_release(&a);
    return shown;
}

#define OWN(...)                              \
    own((const struct access[]){__VA_ARGS__}, \
        sizeof(const struct access[]){__VA_ARGS__} / sizeof(struct access))

TEST(memory_of_one_task_is_its_own)
{
    CHECK_TEXT(OWN({1, 7, 0, 4, true}, {1, 7, 0, 4, true}), "oo");
    CHECK_TEXT(OWN({1, 7, 0, 4, true}, {2, 8, 0, 4, true}), "oo");
}

TEST(memory_that_another_task_accesses_is_not)
{
    CHECK_TEXT(OWN({1, 7, 0, 4, true}, {2, 7, 0, 4, true}), "--");
    CHECK_TEXT(OWN({1, 7, 0, 16, true}, {2, 7, 8, 12, true}, {1, 7, 0, 8, true}), "--o");
}

TEST(an_operation_that_is_no_plain_access_counts_for_the_region)
{
    CHECK_TEXT(OWN({1, 7, 0, 4, true}, {2, 7, 64, 68, false}), "--");
    CHECK_TEXT(OWN({1, 7, 0, 4, true}, {1, 7, 64, 68, false}), "o-");
    CHECK_TEXT(OWN({1, 7, 0, 4, true}, {2, 7, 4096, 8192, true}), "--");
}

TEST(an_operation_without_memory_has_none)
{
    CHECK_TEXT(OWN({1, 0, 0, 0, false}), "-");
}
