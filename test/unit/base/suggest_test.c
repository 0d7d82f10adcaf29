#include "base/suggest.h"

#include "test.h"
#include "wire/prng.h"

/* The definition, by recursion over what the last letters may have become. */
static size_t slow_distance(const char *a, size_t i, const char *b, size_t j)
{
    if (i == 0 || j == 0) {
        return i + j;
    }
    size_t best = slow_distance(a, i - 1, b, j) + 1;
    size_t other = slow_distance(a, i, b, j - 1) + 1;
    best = other < best ? other : best;
    other = slow_distance(a, i - 1, b, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
    best = other < best ? other : best;
    if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        other = slow_distance(a, i - 2, b, j - 2) + 1;
        best = other < best ? other : best;
    }
    return best;
}

static void random_word(struct prng *prng, char word[8])
{
    const size_t size = (size_t)prng_below(prng, 7);
    for (size_t i = 0; i < size; i++) {
        word[i] = (char)('a' + prng_below(prng, 3));
    }
    word[size] = '\0';
}

TEST(distance_is_that_of_the_definition)
{
    struct prng prng;
    prng_init(&prng, 1);
    for (uint64_t i = 0; i < test_count(2000, 50000); i++) {
        char a[8] = {0};
        char b[8] = {0};
        random_word(&prng, a);
        random_word(&prng, b);
        CHECK_INT(suggest_distance(a, b), slow_distance(a, strlen(a), b, strlen(b)));
    }
}

static const char *nearest(const char *wanted)
{
    static const char *const words[] = {"info", "convert", "check", "slice", "demo", "races"};
    struct suggest s = {.wanted = wanted};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        suggest_try(&s, words[i]);
    }
    return s.nearest == NULL ? "" : s.nearest;
}

TEST(a_slip_of_the_finger_is_understood)
{
    CHECK_TEXT(nearest("chekc"), "check");
    CHECK_TEXT(nearest("convrt"), "convert");
    CHECK_TEXT(nearest("race"), "races");
    CHECK_TEXT(nearest("inof"), "info");
    CHECK_TEXT(nearest("conv"), "convert");
}

TEST(nonsense_suggests_nothing)
{
    CHECK_TEXT(nearest("frobnicate"), "");
    CHECK_TEXT(nearest("x"), "");
    CHECK_TEXT(nearest(""), "");
    CHECK_TEXT(nearest("a-word-that-is-far-longer-than-any-verb-of-ours-will-ever-be-in-this-tool"),
               "");
}
