/* Tests speak in facts: one behaviour each, the name a claim.
 *
 *     TEST(release_orders_later_acquire)
 *     {
 *         CHECK_INT(races_in("T1 w x; T1 rel m; T2 acq m; T2 w x"), 0);
 *     }
 *
 * A file of tests is a program; it prints TAP. An argument runs only the tests whose name contains
 * it. CLEW_TEST_SLICE=K/N runs the K-th of N slices, every N-th test: test/meson.build runs the
 * slices of a long program side by side. */
#ifndef CLEW_TEST_H
#define CLEW_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "wire/must.h"

void test_register(const char *name, CMUnitTestFunction run);

#define TEST(name)                                                 \
    static void name(void **state);                                \
    __attribute__((constructor)) static void register_##name(void) \
    {                                                              \
        test_register(#name, name);                                \
    }                                                              \
    static void name(__attribute__((unused)) void **state)

#ifdef __clang_analyzer__
#define CHECK(claim) must(claim) /* the analyzer does not know that cmocka's does not return */
#else
#define CHECK(claim) assert_true(claim)
#endif
#define CHECK_INT(got, wanted) assert_int_equal(got, wanted)
#define CHECK_TEXT(got, wanted) assert_string_equal(got, wanted)

/* True in `make test-long`: full counts instead of the fixed-seed slice. */
int test_is_long(void);

/* count in a normal run, count_long in a long one. */
uint64_t test_count(uint64_t count, uint64_t count_long);

/* The seed that random tests of races begin with: CLEW_TEST_SEED, 0 without it. */
uint64_t test_seed(void);

/* The path of the folder ../shared/data beside the project, NULL (with a skip) where it is not
 * there. */
const char *test_shared_data(void);

#endif
