/* Executions side by side, and a slow twin of the comparison. */
#include "trace/align.h"

#include <stdio.h>
#include <string.h>

#include "test.h"
#include "wire/prng.h"

static void add_all(struct alignment *a, enum align_side side, const char *strand, const char *acts)
{
    for (uint32_t i = 0; acts[i] != '\0'; i++) {
        alignment_add(a, side, strand, (char[2]){acts[i], '\0'}, i + 1);
    }
}

/* The differences as "-a +b". */
static const char *differences(const struct alignment *a)
{
    static char text[500];
    size_t used = 0;
    text[0] = '\0';
    vec_each (&a->differences, d) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%c%s", used == 0 ? "" : " ",
                                 d->side == ALIGN_FIRST ? '-' : '+',
                                 names_text(&a->names, d->act.what));
    }
    return text;
}

static void check(const char *first, const char *second, const char *wanted)
{
    struct alignment a;
    alignment_init(&a);
    add_all(&a, ALIGN_FIRST, "t", first);
    add_all(&a, ALIGN_SECOND, "t", second);
    alignment_find(&a);
    CHECK_TEXT(differences(&a), wanted);
    alignment_release(&a);
}

TEST(one_strand)
{
    check("", "", "");
    check("abc", "abc", "");
    check("abc", "ac", "-b");
    check("ac", "abc", "+b");
    check("", "ab", "+a +b");
    check("ab", "", "-a -b");
    check("abcd", "axcd", "-b +x");
    check("ab", "ba", "-a +a");
}

TEST(how_strands_are_interleaved_does_not_matter)
{
    struct alignment a;
    alignment_init(&a);
    alignment_add(&a, ALIGN_FIRST, "t", "x", 1);
    alignment_add(&a, ALIGN_FIRST, "u", "y", 2);
    alignment_add(&a, ALIGN_SECOND, "u", "y", 1);
    alignment_add(&a, ALIGN_SECOND, "t", "x", 2);
    alignment_add(&a, ALIGN_SECOND, "v", "z", 3);
    alignment_find(&a);
    CHECK_TEXT(differences(&a), "+z");
    CHECK_INT(a.common, 2);
    alignment_release(&a);
}

TEST(what_differs_is_between_what_both_have)
{
    struct alignment a;
    alignment_init(&a);
    add_all(&a, ALIGN_FIRST, "t", "zabcd");
    add_all(&a, ALIGN_SECOND, "t", "axcef");
    add_all(&a, ALIGN_SECOND, "u", "y");
    alignment_find(&a);
    CHECK_TEXT(differences(&a), "-z -b +x -d +e +f +y");
    const struct {
        struct meeting after, before;
    } wanted[] = {
        {{{ALIGN_NONE, ALIGN_NONE}}, {{2, 1}}},
        {{{2, 1}}, {{4, 3}}},
        {{{2, 1}}, {{4, 3}}},
        {{{4, 3}}, {{ALIGN_NONE, ALIGN_NONE}}},
        {{{4, 3}}, {{ALIGN_NONE, ALIGN_NONE}}},
        {{{4, 3}}, {{ALIGN_NONE, ALIGN_NONE}}},
        {{{ALIGN_NONE, ALIGN_NONE}}, {{ALIGN_NONE, ALIGN_NONE}}},
    };
    for (size_t i = 0; i < a.differences.count; i++) {
        const struct difference *d = &a.differences.at[i];
        for (int side = 0; side < 2; side++) {
            CHECK_INT(d->after.index[side], wanted[i].after.index[side]);
            CHECK_INT(d->before.index[side], wanted[i].before.index[side]);
        }
    }
    CHECK_INT(a.shared, 1);
    alignment_release(&a);
}

TEST(a_strand_that_one_side_lacks_is_no_work)
{
    struct alignment a;
    alignment_init(&a);
    for (uint32_t i = 0; i < 100000; i++) {
        alignment_add(&a, ALIGN_SECOND, "t", "b", i);
    }
    alignment_find(&a);
    CHECK_INT(a.differences.count, 100000);
    CHECK_INT(a.shared, 0);
    CHECK_INT(a.unaligned, 0);
    alignment_release(&a);
}

/* The length of the longest common subsequence, by the table. */
static size_t longest_common(const char *a, const char *b)
{
    size_t table[40][40] = {{0}};
    const size_t m = strlen(a);
    const size_t n = strlen(b);
    for (size_t i = m; i-- > 0;) {
        for (size_t k = n; k-- > 0;) {
            const size_t skipped =
                table[i + 1][k] > table[i][k + 1] ? table[i + 1][k] : table[i][k + 1];
            table[i][k] = a[i] == b[k] ? table[i + 1][k + 1] + 1 : skipped;
        }
    }
    return table[0][0];
}

TEST(as_much_as_possible_is_common)
{
    struct prng prng;
    prng_init(&prng, 1);
    for (uint64_t i = 0; i < test_count(2000, 100000); i++) {
        char text[2][32];
        for (int side = 0; side < 2; side++) {
            const uint64_t size = prng_below(&prng, 31);
            for (uint64_t k = 0; k < size; k++) {
                text[side][k] = (char)('a' + prng_below(&prng, 3));
            }
            text[side][size] = '\0';
        }
        struct alignment a;
        alignment_init(&a);
        add_all(&a, ALIGN_FIRST, "t", text[0]);
        add_all(&a, ALIGN_SECOND, "t", text[1]);
        alignment_find(&a);
        CHECK_INT(a.common, longest_common(text[0], text[1]));
        CHECK_INT(a.differences.count, strlen(text[0]) + strlen(text[1]) - 2 * a.common);
        alignment_release(&a);
    }
}

TEST(what_differs_too_much_differs_altogether)
{
    struct alignment a;
    alignment_init(&a);
    for (uint32_t i = 0; i < 4000; i++) {
        alignment_add(&a, ALIGN_FIRST, "t", "a", i + 1);
        alignment_add(&a, ALIGN_SECOND, "t", "b", i + 1);
    }
    alignment_find(&a);
    CHECK_INT(a.common, 0);
    CHECK_INT(a.differences.count, 8000);
    CHECK_INT(a.unaligned, 1);
    alignment_release(&a);
}
