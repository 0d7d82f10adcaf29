/* Requests in columns, and in lines of logs. */
#include "http_rules_of.h"
#include "reading.h"
#include "test.h"
#include "wire/kind.h"

TEST(columns_may_stand_in_any_order)
{
    struct reading r = read_text("Response\tResourceUri\tEvent\ttrackingId\n"
                                 "200 OK\thttp://h/a\tHttpPut\t1 2\n");
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(trace_at(&r.trace, 1)->kind, EVENT_WRITE);
    CHECK_TEXT(trace_name(&r.trace, r.trace.tables.tasks.at[0].name), "1 2");
    reading_release(&r);
}

TEST(a_row_that_lacks_columns_is_counted)
{
    struct reading r = read_text("\xef\xbb\xbftrackingId Event ResourceUri Response\r\n\r\n"
                                 "1 HttpPut http://h/a 200 OK\r\n1 HttpGet\r\n");
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(r.trace.events.count, 3);
    CHECK_INT(noted(&r.notes, "requests without a verb or a URI"), 1);
    reading_release(&r);
}

TEST(a_missing_column_is_named)
{
    const char text[] = "trackingId\tResourceUri\tResponse\n";
    check_refused(text, strlen(text), "byte 0: there is no column Event");
}

TEST(lines_of_a_log_are_read_by_the_rules)
{
    struct http_rules rules;
    http_rules_of(&rules, "line '%t %level [%task] %verb %res %status'");
    struct reading r = read_text("2024-05-01 10:00:00,000 INFO starting\n"
                                 "2024-05-01 10:00:00,000 INFO [main] listening on 8080\n"
                                 "2024-05-01 10:00:00,000 INFO [main] GET the door\n"
                                 "2024-05-01 10:00:01,000 INFO [a] GET /x 200\r\n"
                                 "\n"
                                 "2024-05-01 10:00:02,000 INFO [a] PUT /x 200\n");
    CHECK_TEXT(r.error.text, "");
    check_text(&r.trace, "clew-text 1 order=node tick=1 source=http-log\n"
                         "a request /x mode=GET msg=request-1 t=1714557601000000000\n"
                         "a read /x @\"GET /x\" t=1714557601000000000\n"
                         "a response /x mode=GET msg=request-1 value=200 t=1714557601000000000\n"
                         "a request /x mode=PUT msg=request-2 t=1714557602000000000\n"
                         "a write /x @\"PUT /x\" t=1714557602000000000\n"
                         "a response /x mode=PUT msg=request-2 value=200 t=1714557602000000000\n");
    CHECK_INT(noted(&r.notes, "lines that are no requests"), 3);
    reading_release(&r);
    http_rules_end(&rules);
}

TEST(a_log_may_have_no_times_and_no_statuses)
{
    struct http_rules rules;
    http_rules_of(&rules, "line '%task %verb %res v=%version'\nline '%task %verb %res e=%etag'");
    struct reading r = read_text("1 GET /x e=5\n1 PUT /x v=5\n");
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(r.trace.events.count, 6);
    CHECK_INT(trace_at(&r.trace, 4)->mode, CONDITION_VERSION);
    CHECK_INT(r.trace.tables.tick_ns, 0);
    CHECK_INT(r.notes.list.count, 0);
    reading_release(&r);
    http_rules_end(&rules);
}

TEST(without_a_line_rule_a_log_cannot_be_read)
{
    struct trace t;
    struct notes n = {0};
    struct err e = {0};
    struct in in;
    struct batch b;
    trace_init(&t);
    in_open_memory(&in, "x", 1);
    struct cursor *c = format_http_log.open(&in, &t.tables, &n, &e);
    CHECK_INT(cursor_next(c, &b, &e), -1);
    CHECK_TEXT(e.text, "byte 0: a log is read by the rules' line pattern, and there is none: line "
                       "'%t [%task] %verb %res %status' (see clew rules --help)");
    cursor_close(c);
    trace_release(&t);
}
