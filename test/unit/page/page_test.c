#include "page/page.h"

#include "fuzz.h"
#include "mutate.h"
#include "page/columns.h"
#include "test.h"
#include "trace_of.h"

FUZZ_DECLARE(page);

#define ONE_RUN(t) .runs = {{.title = "t", .trace = (t)}}, .run_count = 1

/* The page, or the error; the caller abandons it. */
static const char *page_of(const struct page *p, struct out *out)
{
    static struct err e;
    out_open_memory(out);
    if (page_write(p, out, &e) < 0) {
        return e.text;
    }
    out_char(out, '\0');
    return out->buffer;
}

static void check_has(const struct page *p, const char *text)
{
    struct out out;
    CHECK(strstr(page_of(p, &out), text) != NULL);
    out_abandon(&out);
}

/* The numbers as a column has them. */
static const char *column_of(const int64_t *numbers, size_t count, bool is_signed)
{
    static char text[200];
    struct out out;
    out_open_memory(&out);
    struct column c = column_begin(&out, 0, "x");
    for (size_t i = 0; i < count; i++) {
        if (is_signed) {
            column_add_signed(&c, numbers[i]);
        } else {
            column_add(&c, (uint64_t)numbers[i]);
        }
    }
    column_end(&c);
    (void)snprintf(text, sizeof text, "%.*s", (int)out.used, out.buffer);
    out_abandon(&out);
    return text;
}

#define COLUMN(digits) "<script type=\"text/plain\" id=\"column-0-x\">" digits "</script>\n"

TEST(columns_are_base64_of_seven_bits_a_byte)
{
    CHECK_TEXT(column_of(NULL, 0, false), COLUMN(""));
    CHECK_TEXT(column_of((const int64_t[]){3}, 1, false), COLUMN("Aw=="));
    CHECK_TEXT(column_of((const int64_t[]){1, 127, 128}, 3, false), COLUMN("AX+AAQ=="));
    CHECK_TEXT(column_of((const int64_t[]){-1, 1, INT64_MIN}, 3, true), COLUMN("AQL///////////8B"));
}

TEST(the_page_allows_only_its_own_script)
{
    const struct page p = {.title = "t", ONE_RUN(trace_of("A w x"))};
    check_has(&p, "content=\"default-src 'none'; script-src 'sha256-");
}

TEST(names_never_become_markup)
{
    const struct page p = {.title = "</title><b>",
                           .verdict = "<img src=x onerror=alert(1)>",
                           ONE_RUN(trace_of("A w </script><script>"))};
    check_has(&p, "<title>&#60;/title&#62;&#60;b&#62;</title>");
    check_has(&p, "\"verdict\":\"\\u003cimg src=x onerror=alert(1)>\"");
    check_has(&p, "\\u003c/script>\\u003cscript>");
}

TEST(any_trace_has_a_page_with_the_same_elements)
{
    mutate_entry("page", fuzz_page);
}

TEST(messages_are_edges_and_locks_are_spans)
{
    const struct page p = {
        .title = "t", ONE_RUN(trace_of("A@n snd c msg=1; B@o rcv c msg=1; A@n acq m; A@n rel m"))};
    check_has(&p, "id=\"column-0-edge-to\">AQ==<");
    check_has(&p, "id=\"column-0-edge-from\">Ag==<"); /* one event before it */
    check_has(&p, "id=\"column-0-section-begin\">Ag==<");
    check_has(&p, "id=\"column-0-section-end\">Ag==<");
}

TEST(lines_near_the_events_enter_the_page)
{
    const struct page_file file = {"a.c", "one\ntwo\nthree\n4\n5\n6\n7\nfaraway\n", 30};
    const struct page p = {
        .title = "t", ONE_RUN(trace_of("A w x @a.c:2")), .files = &file, .file_count = 1};
    check_has(&p, "\"sources\":{\"a.c\":{\"1\":\"one\",\"2\":\"two\",\"3\":\"three\"");
    struct out out;
    CHECK(strstr(page_of(&p, &out), "faraway") == NULL);
    out_abandon(&out);
}

TEST(a_finding_of_another_trace_is_refused)
{
    const struct finding_event event = {.index = 7};
    struct findings f = {0};
    findings_add(&f,
                 &(struct finding){
                     .what = "", .key = "", .events = &event, .event_count = 1, .pair_count = 1});
    const struct page p = {.title = "t", ONE_RUN(trace_of("A w x")), .findings = &f};
    struct out out;
    CHECK_TEXT(page_of(&p, &out), "t: finding 1 names event 7 of 1: the trace has changed");
    out_abandon(&out);
    findings_release(&f);
}

TEST(two_runs_are_paired_task_by_task)
{
    const struct page p = {.title = "t",
                           .runs = {{.title = "a", .trace = trace_of("A w x; A w y; A r z")},
                                    {.title = "b", .trace = trace_of("A w x; A r z; B w y")}},
                           .run_count = 2};
    check_has(&p, "id=\"column-0-partner\">AQAC<"); /* the write of y is only in the first */
    check_has(&p, "\"divergence\":1,");
    check_has(&p, "id=\"column-1-task\">AAAB<");
}
