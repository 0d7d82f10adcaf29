/* Executions side by side, and slow twins of the comparison. */
#include "order/align.h"

#include <stdio.h>
#include <string.h>

#include "test.h"
#include "wire/prng.h"

static void add(struct alignment *a, enum align_side side, const char *strand, const char *what,
                uint32_t index)
{
    alignment_add(a, side, &(struct act_made){.strand = strand, .what = what, .index = index});
}

static void add_all(struct alignment *a, enum align_side side, const char *strand, const char *acts)
{
    for (uint32_t i = 0; acts[i] != '\0'; i++) {
        add(a, side, strand, (char[2]){acts[i], '\0'}, i + 1);
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
                                 names_text(&a->names, d->act.shown));
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
    add(&a, ALIGN_FIRST, "t", "x", 1);
    add(&a, ALIGN_FIRST, "u", "y", 2);
    add(&a, ALIGN_SECOND, "u", "y", 1);
    add(&a, ALIGN_SECOND, "t", "x", 2);
    add(&a, ALIGN_SECOND, "v", "z", 3);
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
        add(&a, ALIGN_SECOND, "t", "b", i);
    }
    alignment_find(&a);
    CHECK_INT(a.differences.count, 100000);
    CHECK_INT(a.shared, 0);
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

TEST(beyond_thousands_of_differences_most_of_what_is_common_is_found)
{
    struct alignment a;
    alignment_init(&a);
    for (uint32_t i = 0; i < 20000; i++) {
        const bool is_common = i < 4000 || i >= 16000 || i % 3 == 0;
        add(&a, ALIGN_FIRST, "t", is_common ? "c" : "a", i);
        add(&a, ALIGN_SECOND, "t", is_common ? "c" : "b", i);
    }
    alignment_find(&a);
    CHECK_INT(a.common, 12000);
    CHECK_INT(a.differences.count, 2 * 8000);
    alignment_release(&a);
}

TEST(what_differs_altogether_has_nothing_in_common)
{
    struct alignment a;
    alignment_init(&a);
    for (uint32_t i = 0; i < 4000; i++) {
        add(&a, ALIGN_FIRST, "t", "a", i + 1);
        add(&a, ALIGN_SECOND, "t", "b", i + 1);
    }
    alignment_find(&a);
    CHECK_INT(a.common, 0);
    CHECK_INT(a.differences.count, 8000);
    alignment_release(&a);
}

TEST(what_brings_something_else_is_something_else)
{
    struct alignment a;
    alignment_init(&a);
    for (uint64_t i = 0; i < 3; i++) {
        const struct act_made made = {.strand = "t", .what = "put", .content = i + 1};
        alignment_add(&a, i == 1 ? ALIGN_SECOND : ALIGN_FIRST, &made);
        alignment_add(&a, ALIGN_SECOND, &made);
    }
    alignment_find(&a);
    CHECK_INT(a.common, 2);
    CHECK_INT(a.differences.count, 2);
    alignment_release(&a);
}

/* Acts as "strand what cause object", the cause being a number from 0 or "-"; a lower case object
 * is read, an upper case one written, and "-" is none. */
static void add_text(struct alignment *a, enum align_side side, const char *text)
{
    char strand[4], what[4], cause[4], object[4];
    int end = 0;
    for (uint32_t i = 0; sscanf(text, " %3s %3s %3s %3s%n", strand, what, cause, object, &end) == 4;
         i++, text += end) {
        const bool is_read = object[0] >= 'a';
        object[0] = (char)(object[0] | 0x20);
        alignment_add(a, side,
                      &(struct act_made){.strand = strand,
                                         .what = what,
                                         .index = i,
                                         .has_cause = cause[0] != '-',
                                         .cause = (uint32_t)(cause[0] - '0'),
                                         .object = object[0] == '-' ? NULL : object,
                                         .is_read = is_read});
    }
}

static void check_acts(const char *first, const char *second, const char *wanted)
{
    struct alignment a;
    alignment_init(&a);
    add_text(&a, ALIGN_FIRST, first);
    add_text(&a, ALIGN_SECOND, second);
    alignment_find(&a);
    CHECK_TEXT(differences(&a), wanted);
    alignment_release(&a);
}

TEST(a_receive_is_the_same_if_its_send_is)
{
    check_acts("m s - -  m t - -  n r 0 -", "m s - -  m t - -  n r 0 -", "");
    check_acts("m s - -  m t - -  n r 0 -", "m s - -  m t - -  n r 1 -", "-r +r");
    check_acts("m s - -  n r 0 -", "n r - -  m s - -", "-r +r");
}

TEST(of_equal_sends_that_is_the_same_which_is_received)
{
    /* The second lacks one of two, and which one shows in what came of it. */
    check_acts("m s - -  m s - -  n r 1 -", "m s - -  n r 0 -", "-s");
    check_acts("m s - -  m s - -  n r 0 -", "m s - -  n r 0 -", "-s");
}

TEST(what_comes_of_a_difference_is_different)
{
    check_acts("m x - -  n r 0 -  p r 1 -", "m y - -  n r 0 -  p r 1 -", "-x -r -r +y +r +r");
}

TEST(differences_come_in_an_order_that_both_allow)
{
    /* Whatever made the second's z is told before it, though its strand was met first. */
    check_acts("m a - -  n b - -", "n b - -  n y - -  m a - -  m z 1 -", "+y +z");
}

TEST(no_pair_is_before_another_on_one_side_and_behind_it_on_the_other)
{
    /* a is before b in the first, by a message of its own, and b before a in the second. */
    struct alignment a;
    alignment_init(&a);
    add_text(&a, ALIGN_FIRST, "m a - -  m s - -  n r 1 -  n b - -");
    add_text(&a, ALIGN_SECOND, "n b - -  n t - -  m q 1 -  m a - -");
    alignment_find(&a);
    CHECK_INT(a.common, 1);
    CHECK_INT(a.differences.count, 6);
    alignment_release(&a);
}

TEST(a_side_whose_causes_go_round_is_compared_all_the_same)
{
    check_acts("m a 1 -  n b 0 -", "m a 1 -  n b 0 -", "");
    check_acts("m a 1 -  n b 0 -", "m a - -  n b 0 -", "-a -b +a +b");
}

static const char *reorderings(const struct alignment *a)
{
    static char text[500];
    size_t used = 0;
    text[0] = '\0';
    vec_each (&a->reorderings, r) {
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%u,%u<%u,%u", used == 0 ? "" : " ",
                             r->earlier.index, r->earlier_index, r->later.index, r->later_index);
    }
    return text;
}

static void check_order(const char *first, const char *second, const char *wanted)
{
    struct alignment a;
    alignment_init(&a);
    add_text(&a, ALIGN_FIRST, first);
    add_text(&a, ALIGN_SECOND, second);
    alignment_find(&a);
    CHECK_INT(a.differences.count, 0);
    CHECK_TEXT(reorderings(&a), wanted);
    alignment_release(&a);
}

TEST(the_order_of_what_touches_an_object_is_told)
{
    check_order("m w - X  n w - X", "m w - X  n w - X", "");
    check_order("m w - X  n w - X", "n w - X  m w - X", "0,1<1,0");
    check_order("m w - X  n w - Y", "n w - Y  m w - X", "");
    check_order("m r - x  n r - x", "n r - x  m r - x", "");
    check_order("m r - x  n r - x  p w - X", "n r - x  p w - X  m r - x", "0,2<2,1");
}

/* ---- a slow twin: every pairing there is ---- */

enum { ACTS_MAX = 6 };

struct small {
    uint32_t count;
    struct {
        char strand[2], what[2];
        uint32_t cause; /* ALIGN_NONE: none */
    } acts[ACTS_MAX];
};

static void draw_small(struct small *s, struct prng *prng)
{
    s->count = (uint32_t)prng_below(prng, ACTS_MAX + 1);
    for (uint32_t i = 0; i < s->count; i++) {
        s->acts[i].strand[0] = (char)('m' + prng_below(prng, 3));
        s->acts[i].what[0] = (char)('a' + prng_below(prng, 2));
        s->acts[i].strand[1] = s->acts[i].what[1] = '\0';
        s->acts[i].cause =
            i > 0 && prng_below(prng, 2) == 0 ? (uint32_t)prng_below(prng, i) : ALIGN_NONE;
    }
}

/* A pairing: of each act of the first its partner. */
struct pairing {
    uint32_t partner_of[ACTS_MAX];
};

static bool may_be_pair(const struct small *s, uint32_t first, uint32_t second,
                        const struct pairing *p)
{
    if (strcmp(s[0].acts[first].strand, s[1].acts[second].strand) != 0 ||
        strcmp(s[0].acts[first].what, s[1].acts[second].what) != 0) {
        return false;
    }
    const uint32_t cause = s[0].acts[first].cause;
    const uint32_t wanted = s[1].acts[second].cause;
    if (cause == ALIGN_NONE ? wanted != ALIGN_NONE
                            : wanted == ALIGN_NONE || p->partner_of[cause] != wanted) {
        return false;
    }
    for (uint32_t i = 0; i < first; i++) {
        if (p->partner_of[i] != ALIGN_NONE && p->partner_of[i] >= second &&
            strcmp(s[0].acts[i].strand, s[0].acts[first].strand) == 0) {
            return false;
        }
    }
    return true;
}

/* Whether act a of a side is before b, by strands and causes. */
static bool is_before(const struct small *s, uint32_t a, uint32_t b)
{
    if (a >= b) {
        return false;
    }
    if (strcmp(s->acts[a].strand, s->acts[b].strand) == 0 || s->acts[b].cause == a) {
        return true;
    }
    for (uint32_t i = a + 1; i < b; i++) {
        if (is_before(s, a, i) && is_before(s, i, b)) {
            return true;
        }
    }
    return false;
}

/* Whether one step from pair to pair, on either side, leads back to where it began. */
static bool goes_round(const struct small *s, const struct pairing *p)
{
    bool leads[ACTS_MAX][ACTS_MAX] = {{false}};
    for (uint32_t i = 0; i < s[0].count; i++) {
        for (uint32_t k = 0; k < s[0].count; k++) {
            leads[i][k] =
                p->partner_of[i] != ALIGN_NONE && p->partner_of[k] != ALIGN_NONE &&
                (is_before(&s[0], i, k) || is_before(&s[1], p->partner_of[i], p->partner_of[k]));
        }
    }
    for (uint32_t by = 0; by < s[0].count; by++) {
        for (uint32_t i = 0; i < s[0].count; i++) {
            for (uint32_t k = 0; k < s[0].count; k++) {
                leads[i][k] = leads[i][k] || (leads[i][by] && leads[by][k]);
            }
        }
    }
    for (uint32_t i = 0; i < s[0].count; i++) {
        if (leads[i][i]) {
            return true;
        }
    }
    return false;
}

/* The most pairs there can be, with those of the first acts given. */
static uint32_t most_pairs(const struct small *s, uint32_t next, struct pairing *p)
{
    if (next == s[0].count) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < next; i++) {
            count += p->partner_of[i] != ALIGN_NONE;
        }
        return goes_round(s, p) ? 0 : count;
    }
    must(next < ACTS_MAX);
    p->partner_of[next] = ALIGN_NONE;
    uint32_t most = most_pairs(s, next + 1, p);
    for (uint32_t i = 0; i < s[1].count; i++) {
        if (may_be_pair(s, next, i, p)) {
            p->partner_of[next] = i;
            const uint32_t count = most_pairs(s, next + 1, p);
            most = count > most ? count : most;
            p->partner_of[next] = ALIGN_NONE;
        }
    }
    return most;
}

static void add_small(struct alignment *a, enum align_side side, const struct small *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        alignment_add(a, side,
                      &(struct act_made){.strand = s->acts[i].strand,
                                         .what = s->acts[i].what,
                                         .index = i,
                                         .has_cause = s->acts[i].cause != ALIGN_NONE,
                                         .cause = s->acts[i].cause});
    }
}

/* What was found keeps the rules. */
static void check_rules(const struct small *s, const struct alignment *a)
{
    struct pairing p;
    memset(&p, 0xff, sizeof p);
    for (uint32_t i = 0; i < s[0].count; i++) {
        const uint32_t partner = a->sides[ALIGN_FIRST].partner_of[i];
        if (partner != ALIGN_NONE) {
            CHECK(may_be_pair(s, i, partner, &p));
            CHECK_INT(a->sides[ALIGN_SECOND].partner_of[partner], i);
        }
        p.partner_of[i] = partner;
    }
    CHECK(!goes_round(s, &p));
}

TEST(pairs_keep_the_rules_and_are_nearly_as_many_as_can_be)
{
    struct prng prng;
    prng_init(&prng, 7);
    uint64_t found = 0;
    uint64_t most = 0;
    for (uint64_t i = 0; i < test_count(3000, 300000); i++) {
        struct small s[2];
        draw_small(&s[0], &prng);
        draw_small(&s[1], &prng);
        struct alignment a;
        struct pairing p;
        alignment_init(&a);
        add_small(&a, ALIGN_FIRST, &s[0]);
        add_small(&a, ALIGN_SECOND, &s[1]);
        alignment_find(&a);
        check_rules(s, &a);
        const uint32_t most_here = most_pairs(s, 0, &p);
        CHECK(a.common <= most_here);
        CHECK_INT(a.differences.count, s[0].count + s[1].count - 2 * a.common);
        found += a.common;
        most += most_here;
        alignment_release(&a);
    }
    CHECK(found * 1000 >= most * 990);
}
