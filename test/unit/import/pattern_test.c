#include "import/http/resource_pattern.h"

#include "test.h"
#include "wire/prng.h"

static struct pattern parsed(struct arena *a, const char *text)
{
    struct pattern p;
    struct pattern_fault fault;
    CHECK(pattern_parse(&p, a, piece_of(text), NULL, &fault));
    return p;
}

/* What the names stand for, joined by commas; "-" when the text does not match. */
static void check_match(const char *pattern, const char *text, const char *wanted)
{
    struct arena a = {0};
    struct pattern p = parsed(&a, pattern);
    struct pattern_match m = {0};
    struct text got = {0};
    if (!pattern_matches(&p, piece_of(text), &m)) {
        text_add(&got, piece_of("-"));
    } else {
        for (size_t i = 0; i < p.name_count; i++) {
            text_add(&got, piece_of(i == 0 ? "" : ","));
            text_add(&got, m.values[i]);
        }
    }
    text_add_char(&got, '\0');
    CHECK_TEXT(got.chars.at, wanted);
    text_release(&got);
    arena_release(&a);
}

TEST(names_stand_for_segments)
{
    check_match("*/locks/{id}", "localhost/locks/action", "action");
    check_match("*/locks/{id}", "localhost/a/b/locks/action", "action");
    check_match("*/locks/{id}", "localhost/locks", "-");
    check_match("*/locks/{id}", "localhost/locks/a/b", "-");
    check_match("*/locks/{+id}", "localhost/locks/a/b", "a/b");
    check_match("*/b/{sb}/o/{so}/copyTo/b/{b}/o/{o}", "g/storage/v1/b/x/o/y/copyTo/b/z/o/w",
                "x,y,z,w");
    check_match("{kind}_{n}_{+rest}", "visit_2_ab/cd", "visit,2,ab/cd");
    check_match("*", "", "");
    check_match("a*b*c", "a//b-b-c", "");
}

/* The plain way: tries everything. */
static bool matches_slowly(const char *p, const char *text)
{
    if (*p == '\0') {
        return *text == '\0';
    }
    if (*p != '*' && *p != '{') {
        return *p == *text && matches_slowly(p + 1, text + 1);
    }
    const bool is_name = *p == '{';
    const bool is_path = is_name && p[1] == '+';
    const char *next = is_name ? strchr(p, '}') + 1 : p + 1;
    for (size_t size = 0;; size++) {
        if ((!is_name || size > 0) && matches_slowly(next, text + size)) {
            return true;
        }
        if (text[size] == '\0' || (is_name && !is_path && text[size] == '/')) {
            return false;
        }
    }
}

TEST(the_fast_way_equals_the_plain_one)
{
    static const char *const pieces[] = {"*", "{x}", "{+y}", "a", "/", "b", "aa"};
    struct prng prng;
    prng_init(&prng, 7);
    for (uint64_t i = test_count(20000, 2000000); i > 0; i--) {
        char pattern[64] = "";
        char text[16] = "";
        bool has[2] = {false, false};
        for (uint64_t n = 1 + prng_below(&prng, 6); n > 0; n--) {
            const size_t pick = (size_t)prng_below(&prng, 7);
            if ((pick == 1 || pick == 2) && has[pick - 1]) {
                continue;
            }
            if (pick == 1 || pick == 2) {
                has[pick - 1] = true;
            }
            (void)strncat(pattern, pieces[pick], sizeof pattern - strlen(pattern) - 1);
        }
        for (uint64_t n = prng_below(&prng, 9); n > 0; n--) {
            const char c[] = {"ab/"[prng_below(&prng, 3)], '\0'};
            (void)strncat(text, c, sizeof text - strlen(text) - 1);
        }
        if (pattern[0] != '\0') {
            struct arena a = {0};
            struct pattern p = parsed(&a, pattern);
            struct pattern_match m;
            CHECK_INT(pattern_matches(&p, piece_of(text), &m), matches_slowly(pattern, text));
            arena_release(&a);
        }
    }
}

TEST(many_stars_do_not_take_for_ever)
{
    char text[2048];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    check_match("*a*a*a*a*a*a*a*a*a*a*a*a*a*b", text, "-");
}

TEST(what_is_wrong_is_placed)
{
    static const struct {
        const char *text;
        const char *what;
        size_t at;
    } cases[] = {
        {"a/{id", "a { without its }", 2},
        {"a/id}", "a } without its {", 4},
        {"a/{}", "a name is made of letters, digits and _", 3},
        {"a/{x}/{x}", "a name that is there twice", 7},
        {"a?b", "a query, which resources' names do not have", 1},
        {"", "an empty pattern", 0},
        {"{a}{b}{c}{d}{e}{f}{g}{h}{i}", "more than 8 names", 25},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena a = {0};
        struct pattern p;
        struct pattern_fault fault;
        CHECK(!pattern_parse(&p, &a, piece_of(cases[i].text), NULL, &fault));
        CHECK_TEXT(fault.what, cases[i].what);
        CHECK_INT(fault.at, cases[i].at);
        arena_release(&a);
    }
}

TEST(a_name_is_made_from_what_matched)
{
    struct arena a = {0};
    const struct pattern known = parsed(&a, "*/b/{b}/o/{o}");
    struct pattern made;
    struct pattern_fault fault;
    struct pattern_match m;
    struct text out = {0};
    CHECK(pattern_parse(&made, &a, piece_of("{o} in {b}"), &known, &fault));
    CHECK(pattern_matches(&known, piece_of("h/b/bucket/o/atom.bib"), &m));
    pattern_fill(&made, &m, &out);
    CHECK(piece_is(text_piece(&out), "atom.bib in bucket"));
    CHECK(!pattern_parse(&made, &a, piece_of("{bb}"), &known, &fault));
    CHECK_TEXT(fault.what, "a name that the pattern does not have");
    CHECK(!pattern_parse(&made, &a, piece_of("*"), &known, &fault));
    CHECK_TEXT(fault.what, "a * where a name is made");
    text_release(&out);
    arena_release(&a);
}
