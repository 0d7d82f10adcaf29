#include "atomicity/correlate.h"

#include "shrink.h"
#include "test.h"
#include "trace_of.h"

/* "x y MEAN SUPPORT-OUTLIERS" of all pairs, best first. */
static const char *ranked(struct correlation *c)
{
    static char shown[1000];
    struct correlated_list list = {0};
    size_t used = 0;
    shown[0] = '\0';
    correlation_rank(c, &list);
    vec_each (&list.list, r) {
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s%s %s %.2f %u-%u",
                                 used == 0 ? "" : "; ", r->x, r->y, r->mean, (unsigned)r->support,
                                 (unsigned)r->outliers);
    }
    vec_release(&list.list);
    return shown;
}

static const char *of(const char *text)
{
    static char kept[1000];
    struct correlation *c = correlation_new();
    correlation_add(c, trace_of(text), NULL);
    (void)snprintf(kept, sizeof kept, "%s", ranked(c));
    correlation_free(c);
    return kept;
}

TEST(each_step_from_one_variable_to_the_other_is_a_distance)
{
    CHECK_TEXT(of("A w x; A w y; A w x; B r x; B r y"), "x y 1.00 3-0");
    CHECK_TEXT(of("A w x; A w x; A w y; B r y; B r x"), "x y 1.00 2-0");
}

TEST(distances_count_accesses_to_shared_variables_only)
{
    CHECK_TEXT(of("A w x; A w p; A w q; A w y; B r x; B r y"), "x y 1.00 2-0");
}

TEST(the_closest_pair_comes_first_then_the_best_supported)
{
    CHECK_TEXT(of("A w x; A w y; A w z; B r x; B r y; B r z"),
               "x y 1.00 2-0; y z 1.00 2-0; x z 2.00 2-0");
    CHECK_TEXT(of("A w y; A w z; A w y; A w x; B r y; B r z; B r x"),
               "y z 1.00 3-0; x y 1.50 2-0; x z 1.50 2-0");
}

TEST(one_far_distance_among_equal_ones_is_an_outlier)
{
    char text[2000] = "A w x; A w y; A w x; A w y; A w x";
    size_t used = strlen(text);
    for (int i = 0; i < 25; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "; A w z; A w q");
    }
    (void)snprintf(text + used, sizeof text - used, "; A w y; B r x; B r y; B r z; B r q");
    const char *result = of(text);
    CHECK(strstr(result, "x y 1.00 5-1") != NULL);
}

TEST(only_what_two_tasks_access_is_paired)
{
    CHECK_TEXT(of("A w x; A w y; A w x; B r x"), "");
    CHECK_TEXT(of("A r x; A r y; B r x; B r y"), "");
}

TEST(an_end_keeps_what_was_looked_at)
{
    const struct limit spent = {.time_ns = 1, .begin_ns = 1};
    struct trace *t = trace_of("A w x; A w y; A w x; A w y; B r x; B r y");
    struct limit_watch watch = {.limit = &spent, .steps_left = 4};
    struct correlation *c = correlation_new();
    correlation_add(c, t, &watch);
    CHECK(watch.is_over);
    CHECK_TEXT(ranked(c), "x y 1.00 2-0");
    correlation_free(c);
    watch = (struct limit_watch){.limit = &spent, .steps_left = 40};
    c = correlation_new();
    correlation_add(c, t, &watch);
    CHECK(watch.is_over);
    CHECK_TEXT(ranked(c), "");
    correlation_free(c);
    CHECK_TEXT(of("A w x; A w y; A w x; A w y; B r x; B r y"), "x y 1.00 4-0");
}

TEST(resources_are_known_by_their_templates)
{
    struct trace *t = trace_of("A r /v/1 @v; A w /b/9 @b; B w /v/1 @v");
    struct correlation *c = correlation_new();
    correlation_add(c, t, NULL);
    CHECK_TEXT(ranked(c), "/b/9 /v/1 1.00 1-0");
    correlation_free(c);
    struct trace placed;
    trace_copy_tables(&placed, t);
    trace_each (t, event) {
        struct event e = *event;
        const char *place =
            strcmp(trace_name(t, e.location), "v") == 0 ? "GET /v/{id}" : "PUT /b/{id}";
        e.location = names_intern_text(&placed.tables.names, place);
        trace_append(&placed, &e);
    }
    trace_seal(&placed);
    c = correlation_new();
    correlation_add(c, &placed, NULL);
    CHECK_TEXT(ranked(c), "/b/{id} /v/{id} 1.00 1-0");
    correlation_free(c);
    trace_release(&placed);
}

TEST(heap_memory_is_known_by_its_place_over_runs)
{
    struct correlation *c = correlation_new();
    correlation_add(c, trace_of("A w a.c:3#1+8; A w a.c:3#1+16; B r a.c:3#1+8; B r a.c:3#1+16"),
                    NULL);
    correlation_add(c, trace_of("A w a.c:3#7+8; A w a.c:3#7+16; B r a.c:3#7+8; B r a.c:3#7+16"),
                    NULL);
    CHECK_TEXT(ranked(c), "a.c:3+16 a.c:3+8 1.00 4-0");
    correlation_free(c);
}
