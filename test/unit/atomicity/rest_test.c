/* Resources of REST services, from requests in columns to findings: each row of the table of what
 * versions prevent (docs/theory/http.md), locks, barriers, and resources above and below. */
#include "atomicity/atomicity.h"
#include "http_rules_of.h"
#include "import/import.h"
#include "import/text_builder.h"
#include "test.h"

#define HEADINGS "trackingId\tEvent\tResourceUri\tResponse\tETag\tIf-Match\n"

/* Requests of a task to http://h/a: a read that is told version 5, a plain write, and a write that
 * asks for version 5. */
#define R(task) task "\tGET\thttp://h/a\t200\t\"5\"\n"
#define W(task) task "\tPUT\thttp://h/a\t200\n"
#define C(task) task "\tPUT\thttp://h/a\t200\t\t\"5\"\n"
#define REFUSED(task) task "\tPUT\thttp://h/a\t412\t\t\"5\"\n"
#define DO(task, verb, path) task "\t" verb "\thttp://h" path "\t200\n"

/* The kinds of what is found in the requests, each with a blank behind; or the grades. */
static void check_found_as(const char *rules_text, const char *rows, bool wants_grades,
                           const char *wanted)
{
    struct http_rules rules;
    struct trace t;
    struct notes n = {0};
    struct err e = {0};
    struct findings f = {0};
    struct atomicity_stats stats = {0};
    struct text got = {0};
    http_rules_of(&rules, rules_text);
    trace_init(&t);
    struct cursor *c = format_open_memory(import_formats, rows, strlen(rows), &t.tables, &n, &e);
    CHECK(c != NULL);
    CHECK_INT(trace_load(&t, c, &e), 0);
    trace_seal(&t);
    CHECK_INT(
        atomicity_find(&t, &(struct atomicity_options){.skips_merged = true}, &f, &stats, &n, &e),
        0);
    vec_each (&f.list, finding) {
        text_add(&got, piece_of(wants_grades ? finding_grade_name(finding->grade)
                                             : finding_kind_name(finding->kind)));
        text_add_char(&got, ' ');
    }
    text_add_char(&got, '\0');
    CHECK_TEXT(got.chars.at, wanted);
    text_release(&got);
    findings_release(&f);
    cursor_close(c);
    notes_release(&n);
    trace_release(&t);
    http_rules_end(&rules);
}

static void check_found_by(const char *rules_text, const char *rows, const char *wanted)
{
    check_found_as(rules_text, rows, false, wanted);
}

static void check_found(const char *rows, const char *wanted)
{
    check_found_by("", rows, wanted);
}

TEST(a_version_check_prevents_the_lost_update)
{
    check_found(HEADINGS R("1") C("1") W("2"), "");
    check_found(HEADINGS R("1") C("1") R("2") C("2"), "");
}

TEST(a_version_is_compared_with_its_own_kind)
{
    const char rows[] = "trackingId\tEvent\tResourceUri\tResponse\tETag\tx-generation\n"
                        "1\tGET\thttp://h/a\t200\t\"abc\"\t17\n"
                        "1\tPUT\thttp://h/a?generation=17\t200\n" W("2");
    check_found(rows, "lost-update ");
    check_found_by("version header:If-Match | query:generation from header:x-generation", rows, "");
}

TEST(without_one_the_update_is_lost_whoever_checks)
{
    check_found(HEADINGS R("1") W("1") W("2"), "lost-update ");
    check_found(HEADINGS R("1") W("1") R("2") C("2"), "lost-update ");
}

TEST(versions_do_not_help_where_nothing_is_written_last)
{
    check_found(HEADINGS R("1") R("1") W("2"), "atomicity-single ");
    check_found(HEADINGS R("1") R("1") R("2") C("2"), "atomicity-single ");
    check_found(HEADINGS W("1") R("1") W("2"), "atomicity-single ");
}

TEST(versions_do_not_help_between_two_writes)
{
    check_found(HEADINGS W("1") W("1") R("2"), "atomicity-single ");
    check_found(HEADINGS W("1") C("1") R("2"), "atomicity-single ");
    check_found(HEADINGS W("1") W("1") W("2"), "atomicity-single ");
}

TEST(a_write_that_was_refused_is_none)
{
    check_found(HEADINGS R("1") R("1") REFUSED("2"), "");
    check_found(HEADINGS R("1") REFUSED("1") W("2"), "");
}

TEST(one_refusal_shows_that_all_writes_are_checked)
{
    check_found(HEADINGS R("1") W("1") R("2") W("2"), "lost-update ");
    check_found(HEADINGS R("1") W("1") R("2") W("2") REFUSED("3"), "");
}

TEST(a_task_that_was_refused_begins_anew)
{
    check_found(HEADINGS R("1") R("2") W("1") REFUSED("2") R("2") W("2"), "");
    check_found(HEADINGS R("1") R("2") W("1") R("2") REFUSED("2") R("2") W("2"),
                "atomicity-single ");
}

TEST(a_lock_resource_protects)
{
    check_found(HEADINGS DO("1", "POST", "/locks/a") R("1") W("1") DO("1", "DELETE", "/locks/a")
                    DO("2", "POST", "/locks/a") W("2") DO("2", "DELETE", "/locks/a"),
                "");
    check_found(HEADINGS DO("1", "POST", "/locks/a") R("1") W("1") DO("1", "DELETE", "/locks/a")
                    W("2"),
                "lost-update ");
}

TEST(a_barrier_orders)
{
    const char rows[] = HEADINGS R("1") W("1") DO("1", "POST", "/jobs/1/done")
        DO("2", "GET", "/jobs/1/result") W("2");
    check_found(rows, "lost-update ");
    check_found_by("barrier POST */jobs/{id}/done before GET */jobs/{id}/result\n"
                   "write POST */done",
                   rows, "");
}

TEST(a_resource_conflicts_with_those_below_it)
{
    check_found(HEADINGS R("1") R("1") DO("2", "PUT", "/a/b"), "atomicity-single ");
    check_found(HEADINGS R("1") R("1") DO("2", "PUT", "/ab"), "");
}

/* ---- versions: what a server refuses, and what it cannot ---- */

#define GET(task, path, told) task "\tGET\thttp://h" path "\t200\t" told "\n"
#define PUT(task, path, told) task "\tPUT\thttp://h" path "\t200\t" told "\n"
#define PUT_IF(task, path, told, asked) task "\tPUT\thttp://h" path "\t200\t" told "\t" asked "\n"

TEST(a_version_told_by_an_own_write_is_one)
{
    check_found(HEADINGS PUT("1", "/a", "1") PUT_IF("1", "/a", "2", "1") W("2"), "");
    check_found(HEADINGS PUT("1", "/a", "1") PUT("1", "/a", "2") W("2"), "atomicity-single ");
    check_found(HEADINGS R("1") PUT_IF("1", "/a", "6", "5") PUT_IF("1", "/a", "7", "6") W("2"), "");
}

/* The server must refuse the second write of b if somebody wrote b since the first; what is read of
 * the other resource before can be old all the same. */
TEST(an_own_version_prevents_what_it_checks_and_no_more)
{
    check_found(HEADINGS PUT("1", "/b", "1") PUT("1", "/x", "") PUT_IF("1", "/b", "2", "1")
                    PUT("2", "/b", "3") GET("2", "/x", ""),
                "atomicity-pair atomicity-pair ");
    check_found(HEADINGS PUT("1", "/b", "1") PUT("1", "/x", "") PUT_IF("1", "/b", "2", "1")
                    PUT("2", "/b", "3"),
                "");
}

/* Of the ten interleavings of these five requests, three cannot be serialized. In two of them the
 * server accepts all requests: task 2 writes b before task 1 does, and reads x behind its write. In
 * the third, task 2 writes b between task 1's writes of b, and the server refuses the second. */
TEST(what_ends_in_a_refusal_is_not_sound)
{
    check_found_as("",
                   HEADINGS PUT("1", "/b", "1") PUT("1", "/x", "") PUT_IF("1", "/b", "2", "1")
                       PUT("2", "/b", "3") GET("2", "/x", ""),
                   true, "may sound ");
    check_found_as(
        "", HEADINGS PUT("1", "/b", "1") PUT("1", "/x", "") PUT("2", "/b", "3") GET("2", "/x", ""),
        true, "sound sound ");
}

TEST(a_version_check_behind_the_damage_does_not_excuse_it)
{
    check_found(HEADINGS GET("1", "/visits", "1") PUT("1", "/bills", "")
                    PUT_IF("1", "/visits", "2", "1") GET("2", "/visits", "2")
                        PUT_IF("2", "/visits", "3", "2"),
                "stale-read ");
}

/* A check of one resource restricts what can happen to another: the model of /a alone would let
 * task 1 come between, and the server would refuse its write of /b. */
TEST(checks_of_other_resources_count)
{
    check_found(HEADINGS PUT("1", "/b", "2") PUT("1", "/a", "1") GET("2", "/b", "2")
                    GET("2", "/a", "1") PUT_IF("2", "/b", "3", "2") PUT("2", "/a", "2"),
                "lost-update atomicity-pair atomicity-pair stale-read ");
}

TEST(a_write_above_or_below_changes_the_version)
{
    check_found(HEADINGS R("1") C("1") DO("2", "PUT", "/a/b"), "");
    check_found(HEADINGS R("1") C("1") DO("2", "PUT", "/"), "");
    check_found(HEADINGS R("1") W("1") DO("2", "PUT", "/a/b"), "lost-update ");
}

TEST(a_lock_that_must_be_left_is_left_before_the_version_is_asked_for)
{
    check_found(HEADINGS DO("1", "POST", "/locks/l") R("1") R("1") DO("1", "DELETE", "/locks/l")
                    C("1") DO("2", "POST", "/locks/l") DO("2", "DELETE", "/locks/l") W("2"),
                "atomicity-single ");
    check_found(HEADINGS DO("1", "POST", "/locks/l") R("1") R("1") C("1")
                    DO("1", "DELETE", "/locks/l") DO("2", "POST", "/locks/l") W("2")
                        DO("2", "DELETE", "/locks/l"),
                "");
}

/* The reads of a task whose write is refused came to nothing: here task 1 is told the version
 * before both reads that task 2 comes between. */
TEST(reads_that_end_in_a_refusal_are_no_damage)
{
    check_found(HEADINGS R("1") GET("1", "/a", "") C("1") W("2"), "");
    check_found(HEADINGS R("1") GET("1", "/a", "") W("2"), "atomicity-single ");
}

TEST(create_if_absent_is_checked)
{
#define ABSENT "trackingId\tEvent\tResourceUri\tResponse\tIf-None-Match\n"
    check_found(ABSENT "1\tGET\thttp://h/a\t404\n"
                       "1\tPUT\thttp://h/a\t201\t*\n"
                       "2\tPUT\thttp://h/a\t200\n",
                "");
    check_found(ABSENT "1\tGET\thttp://h/a\t404\n"
                       "1\tPUT\thttp://h/a\t201\n"
                       "2\tPUT\thttp://h/a\t200\n",
                "lost-update ");
    check_found(ABSENT "1\tGET\thttp://h/a\t200\n"
                       "1\tPUT\thttp://h/a\t201\t*\n"
                       "2\tPUT\thttp://h/a\t200\n",
                "lost-update ");
}
