#include "place/program_frame.h"

#include "harness/test.h"

#define COUNT_OF(array) (uint32_t)(sizeof(array) / sizeof *(array))
#define HEADER "/usr/include/c++/12/bits/new_allocator.h"

TEST(a_block_is_named_by_the_first_line_of_the_program)
{
    const struct frame frames[] = {{.function = "operator new", .is_system = true},
                                   {.function = "allocate", .file = HEADER, .line = 137},
                                   {.function = "push_back", .file = HEADER, .line = 1286},
                                   {.function = "add_order", .file = "/shop/shop.cc", .line = 40},
                                   {.function = "main", .file = "/shop/shop.cc", .line = 50}};
    CHECK_INT(frame_choose(frames, COUNT_OF(frames), FRAME_OF_BLOCK), 3);
    CHECK_INT(frame_choose(frames, COUNT_OF(frames), FRAME_OF_EVENT), 3);
}

TEST(allocation_functions_name_no_blocks_but_say_where_something_happened)
{
    static const char *const names[] = {
        "xmalloc",        "safe_malloc",    "g_malloc0",      "g_malloc_n",
        "zcalloc",        "my_realloc",     "pool_alloc",     "xstrdup",
        "xmemdup",        "xasprintf",      "alloc",          "allocate",
        "operator new[]", "xmalloc_or_die", "Allocate<item>", "xcalloc_array"};
    for (uint32_t i = 0; i < COUNT_OF(names); i++) {
        const struct frame frames[] = {{.function = names[i], .file = "/shop/util.c", .line = 7},
                                       {.function = "main", .file = "/shop/shop.c", .line = 9}};
        CHECK_INT(frame_choose(frames, 2, FRAME_OF_BLOCK), 1);
        CHECK_INT(frame_choose(frames, 2, FRAME_OF_EVENT), 0);
    }
}

TEST(other_functions_name_blocks)
{
    static const char *const names[] = {"main", "alloc_node", "add", "malloc_test", "new_item"};
    for (uint32_t i = 0; i < COUNT_OF(names); i++) {
        const struct frame frames[] = {{.function = names[i], .file = "/shop/util.c", .line = 7},
                                       {.function = "main", .file = "/shop/shop.c", .line = 9}};
        CHECK_INT(frame_choose(frames, 2, FRAME_OF_BLOCK), 0);
    }
}

TEST(an_allocation_function_that_nobody_is_known_to_call_names_the_block)
{
    const struct frame frames[] = {{.function = "malloc", .is_system = true},
                                   {.function = "xmalloc", .file = "/shop/util.c", .line = 7},
                                   {.function = "main"}};
    CHECK_INT(frame_choose(frames, COUNT_OF(frames), FRAME_OF_BLOCK), 1);
}

TEST(without_debug_information_a_function_of_the_program_names_the_block)
{
    const struct frame frames[] = {{.function = "getdelim", .is_system = true},
                                   {.function = "xmalloc"},
                                   {.function = "read_all"}};
    CHECK_INT(frame_choose(frames, COUNT_OF(frames), FRAME_OF_BLOCK), 2);
    CHECK(frame_choose(frames, COUNT_OF(frames), FRAME_OF_EVENT) == FRAME_NONE);
    CHECK(frame_choose(frames, 1, FRAME_OF_BLOCK) == FRAME_NONE);
}

TEST(headers_of_libstdcxx_are_known_as_both_compilers_spell_them)
{
    CHECK(frame_is_system_header("/usr/include/x86_64-linux-gnu/c++/12/bits/gthr-default.h"));
    CHECK(frame_is_system_header("/usr/bin/../lib/gcc/x86_64-linux-gnu/12/../../../../include/"
                                 "x86_64-linux-gnu/c++/12/bits/gthr-default.h"));
    CHECK(!frame_is_system_header("/shop/include/shop.h"));
}

TEST(libraries_of_the_system_are_known_by_folder_and_name)
{
    static const char *const of_system[] = {"/lib/x86_64-linux-gnu/libz.so.1", "/opt/libc.so.6",
                                            "/usr/lib/libfoo.so", "/x/libstdc++.so.6",
                                            "/lib64/ld-linux-x86-64.so.2"};
    static const char *const of_program[] = {"/shop/shop", "/usr/bin/shop", "/shop/lib/libshop.so"};
    for (uint32_t i = 0; i < COUNT_OF(of_system); i++) {
        CHECK(frame_is_system_module(of_system[i]));
    }
    for (uint32_t i = 0; i < COUNT_OF(of_program); i++) {
        CHECK(!frame_is_system_module(of_program[i]));
    }
}
