/* Requests in columns, and in lines of logs. */
#include "base/out.h"
#include "http_rules_of.h"
#include "reading.h"
#include "test.h"
#include "trace/kind_table.h"
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
    CHECK_INT(trace_at(&r.trace, 4)->mode, ACCESS_CONDITIONAL);
    CHECK_INT(r.trace.tables.tick_ns, 0);
    CHECK_INT(r.notes.list.count, 0);
    reading_release(&r);
    http_rules_end(&rules);
}

TEST(a_log_without_a_line_rule_is_an_access_log_or_nothing)
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
    CHECK_TEXT(e.text, "byte 0: no line is a request as access logs have them; a line rule says "
                       "how others are read: line '%t [%task] %verb %res %status' (see clew rules "
                       "--help)");
    cursor_close(c);
    trace_release(&t);
}

/* ---- access logs ---- */

/* Checks the request events of an access log: "task verb resource status second; ". */
static void check_access_log(const char *text, const char *wanted, uint64_t skipped)
{
    struct reading r = read_text(text);
    struct out out;
    CHECK_TEXT(r.error.text, "");
    out_open_memory(&out);
    trace_each (&r.trace, e) {
        if (e->kind == EVENT_RESPONSE) {
            const char *verb = mode_name(MODES_VERB, e->mode);
            out_format(&out, "%s %s %s %lld %lld; ",
                       trace_name(&r.trace, r.trace.tables.tasks.at[e->task].name),
                       verb == NULL ? "-" : verb, trace_name(&r.trace, e->object),
                       (long long)e->value, (long long)(e->time / 1000000000));
        }
    }
    out_char(&out, '\0');
    CHECK_TEXT(out.buffer, wanted);
    CHECK_INT(noted(&r.notes, "lines that are no requests: skipped"), skipped);
    out_abandon(&out);
    reading_release(&r);
}

TEST(access_logs_of_apache_and_nginx_are_read)
{
    /* common */
    check_access_log(
        "127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] \"GET /a/7 HTTP/1.0\" 200 2326\n",
        "frank GET /a/7 200 971211336; ", 0);
    /* combined, with a quote in the agent and \r\n */
    check_access_log("192.0.2.7 - - [18/Nov/2026:03:25:11 +0000] \"PUT /a/7?x=1 HTTP/1.1\" 204 - "
                     "\"-\" \"Mozilla/5.0 (\\\"x\\\") [en]\"\r\n",
                     "192.0.2.7 PUT /a/7 204 1794972311; ", 0);
    /* nginx with more behind, IPv6, HTTP/2 and an offset */
    check_access_log("2001:db8::1 - - [18/Nov/2026:04:25:11 +0100] \"PATCH /a/7 HTTP/2.0\" 200 12 "
                     "\"https://x/\" \"curl\" \"203.0.113.9\" rt=0.003 uct=\"0.000\"\n",
                     "2001:db8::1 PATCH /a/7 200 1794972311; ", 0);
    /* Apache's vhost_combined and a time with milliseconds */
    check_access_log(
        "shop:80 192.0.2.7 - - [18/Nov/2026:03:25:11.204 +0000] \"GET /a HTTP/1.1\" 304 0\n"
        "pay:80 192.0.2.7 - - [18/Nov/2026:03:25:12.204 +0000] \"GET /a HTTP/1.1\" 200 9\n",
        "192.0.2.7 GET //shop/a 304 1794972311; 192.0.2.7 GET //pay/a 200 1794972312; ", 0);
}

TEST(a_user_of_an_access_log_may_have_blanks)
{
    check_access_log("::1 - john doe [18/Nov/2026:03:25:11 +0000] \"GET /a HTTP/1.1\" 200 1\n"
                     "::1 ident - [18/Nov/2026:03:25:12 +0000] \"GET /a HTTP/1.1\" 200 1\n",
                     "john doe GET /a 200 1794972311; ::1 GET /a 200 1794972312; ", 0);
}

TEST(a_traceparent_in_an_access_log_tracks)
{
    check_access_log(
        "192.0.2.7 - - [18/Nov/2026:03:25:11 +0000] \"GET /a HTTP/1.1\" 200 1 \"-\" \"curl\" "
        "\"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\"\n",
        "4bf92f3577b34da6a3ce929d0e0e4736 GET /a 200 1794972311; ", 0);
}

TEST(a_method_of_an_extension_is_a_request_of_an_access_log)
{
    check_access_log(
        "192.0.2.9 - - [18/Nov/2026:03:25:15 +0000] \"MKCALENDAR /a HTTP/1.1\" 201 1\n",
        "192.0.2.9 - /a 201 1794972315; ", 0);
}

TEST(what_is_no_request_in_an_access_log_is_counted)
{
    check_access_log(
        "192.0.2.9 - - [18/Nov/2026:03:25:14 +0000] \"-\" 408 0 \"-\" \"-\"\n"
        "192.0.2.9 - - [18/Nov/2026:03:25:14 +0000] \"\\x16\\x03\\x01\" 400 150 \"-\" \"-\"\n"
        "192.0.2.9 - - [18/Nov/2026:03:25:14 +0000] \"GET /a HTTP/1.1\n"
        "192.0.2.9 - - [31/Foo/2026:03:25:14 +0000] \"GET /a HTTP/1.1\" 200 1\n"
        "192.0.2.9 - - [18/Nov/2026:03:25:14 +0000] \"GET /a HTTP/1.1\" 20 1\n"
        "something else\n"
        "192.0.2.9 - - [18/Nov/2026:03:25:15 +0000] \"GET /a HTTP/1.1\" 200 1\n",
        "192.0.2.9 GET /a 200 1794972315; ", 6);
}
