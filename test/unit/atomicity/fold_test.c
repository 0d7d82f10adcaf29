#include "atomicity/merge_findings.h"

#include "atomicity/atomicity.h"
#include "test.h"
#include "trace_of.h"

/* What is kept, as "PATTERN places xCOUNT", with "; " between. */
static const char *folded_with(const char *text, struct atomicity_options o)
{
    static char shown[1000];
    struct findings f = {0};
    struct notes n = {0};
    struct err e = {0};
    struct atomicity_stats stats = {0};
    size_t used = 0;
    shown[0] = '\0';
    o.skips_merged = true;
    o.wants_all = true;
    CHECK_INT(atomicity_find(trace_of(text), &o, &f, &stats, &n, &e), 0);
    fold_findings(&f);
    vec_each (&f.list, finding) {
        const char *pattern = strchr(finding->key, '|') + 1;
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s%.*s", used == 0 ? "" : "; ",
                                 (int)strcspn(pattern, "|"), pattern);
        for (size_t i = 0; i < finding->event_count; i++) {
            used += (size_t)snprintf(shown + used, sizeof shown - used, " %s",
                                     finding->events[i].location);
        }
        used += (size_t)snprintf(shown + used, sizeof shown - used, " x%llu",
                                 (unsigned long long)finding->pair_count);
    }
    findings_release(&f);
    notes_release(&n);
    return shown;
}

static const char *folded(const char *text)
{
    return folded_with(text, (struct atomicity_options){0});
}

static const char *folded_singles(const char *text)
{
    return folded_with(text, (struct atomicity_options){.skips_pairs = true});
}

TEST(findings_about_the_same_variables_are_one)
{
    CHECK_TEXT(folded("A w x @a; A w y @b; B r x @c; B r y @d"), "P3 a c d b x2");
    CHECK_TEXT(folded("A r x @a; A w x @b; B w x @c; C w x @d"), "RWW a c b x2");
}

TEST(findings_about_elements_of_an_array_are_one)
{
    CHECK_TEXT(folded_singles("A r x[1].n @a; A w x[1].n @b; A r x[2].n @c; A w x[2].n @d; "
                              "B w x[1].n @e; B w x[2].n @f"),
               "RWW a e b x2");
    CHECK_TEXT(folded_singles("A r x[1].n @a; A w x[1].n @b; A r x[2].k @c; A w x[2].k @d; "
                              "B w x[1].n @e; B w x[2].k @f"),
               "RWW a e b x1; RWW c f d x1");
}

#define PART(n) "A r p.c:1#1+" n " @r" n "; A w p.c:1#1+" n " @w" n "; B w p.c:1#1+" n " @o" n "; "

TEST(very_many_findings_about_blocks_of_one_place_are_one)
{
    CHECK_TEXT(folded_singles(PART("0") PART("8") PART("16") PART("24")),
               "RWW r0 o0 w0 x1; RWW r8 o8 w8 x1; RWW r16 o16 w16 x1; RWW r24 o24 w24 x1");
    CHECK_TEXT(folded_singles(PART("0") PART("8") PART("16") PART("24") PART("32")),
               "RWW r0 o0 w0 x5");
}

TEST(findings_at_the_same_places_are_one)
{
    CHECK_TEXT(
        folded_singles("A r x+0 @a; A w x+0 @b; A r x+8 @a; A w x+8 @b; B w x+0 @c; B w x+8 @d"),
        "RWW a c b x2");
}

TEST(the_most_severe_is_kept)
{
    CHECK_TEXT(folded("A w x @a; A w x @b; A r x @c; A w x @d; B w x @e"), "RWW c e d x3");
}

TEST(one_variable_comes_before_two)
{
    CHECK_TEXT(folded("A w x @a; A w x @b; B r x @c; B r x @d"), "WRW a c b x4");
    CHECK_TEXT(folded("A r x @a; A r y @b; A r x @c; B w x @d; B w y @e"),
               "RWR a d c x1; P2 a d e b x4");
}

TEST(one_call_comes_before_several)
{
    CHECK_TEXT(folded_singles("A scope count=0 size=1 value=0; A r x @a; "
                              "A scope count=0 size=1 value=0; A r x @b; A r y @d; A r y @e; "
                              "B w x @c; B w y @f"),
               "RWR d f e x1; RWR a c b x1");
}

TEST(other_variables_at_other_places_are_another_bug)
{
    CHECK_TEXT(folded_singles("A r x @a; A w x @b; B w x @c; A r p @d; A w p @e; C w p @f"),
               "RWW a c b x1; RWW d f e x1");
}

TEST(regions_are_left_alone)
{
    CHECK_TEXT(folded_singles("A atomic-begin p @a; A w x @b; B r x @c; B w x @d; A r x @e; "
                              "A atomic-end p @f"),
               "p a d e x1; WWR b d e x2");
}
