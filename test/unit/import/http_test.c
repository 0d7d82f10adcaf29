/* What a request becomes, by the built-in rules and by others: each row of the REST table, and the
 * figures that the analysis must find or leave alone, as events. */
#include "import/http/http_log.h"

#include "http_rules_of.h"
#include "reading.h"
#include "test.h"
#include "wire/kind.h"

#define HEADINGS "trackingId Event ResourceUri Response\n"

/* The accesses and locks of a trace, without requests and answers: "1 r /a; ...". */
static void check_accesses(const struct trace *t, const char *wanted)
{
    struct text got = {0};
    trace_each (t, e) {
        const char *what = e->kind == EVENT_READ     ? "r"
                           : e->kind == EVENT_WRITE  ? e->mode == ACCESS_CONDITIONAL ? "c" : "w"
                           : e->kind == EVENT_LOCK   ? "acq"
                           : e->kind == EVENT_UNLOCK ? "rel"
                           : e->kind == EVENT_HAPPENS_BEFORE ? "before"
                           : e->kind == EVENT_HAPPENS_AFTER  ? "after"
                                                             : NULL;
        if (what != NULL) {
            char line[256];
            (void)snprintf(line, sizeof line, "%s %s %s; ",
                           trace_name(t, t->tables.tasks.at[e->task].name), what,
                           trace_name(t, e->object));
            text_add(&got, piece_of(line));
        }
    }
    text_add_char(&got, '\0');
    CHECK_TEXT(got.chars.at, wanted);
    text_release(&got);
}

static void check_table(const char *rules, const char *text, const char *wanted)
{
    struct http_rules r;
    http_rules_of(&r, rules);
    struct reading got = read_text(text);
    CHECK_TEXT(got.error.text, "");
    check_accesses(&got.trace, wanted);
    reading_release(&got);
    http_rules_end(&r);
}

TEST(a_request_its_access_and_its_answer_stand_together)
{
    struct reading r = read_text(HEADINGS "1 HttpGet http://localhost/accounts/7 200 OK\n"
                                          "2 PUT http://localhost/accounts/7 409 Conflict\n");
    CHECK_TEXT(r.error.text, "");
    check_text(&r.trace, "clew-text 1 order=node source=http-tsv\n"
                         "1 request /accounts/7 mode=GET msg=request-1\n"
                         "1 read /accounts/7 @\"GET /accounts/{id}\"\n"
                         "1 response /accounts/7 mode=GET msg=request-1 value=200\n"
                         "2 request /accounts/7 mode=PUT msg=request-2\n"
                         "2 response /accounts/7 mode=PUT msg=request-2 value=409 text=conflict\n");
    reading_release(&r);
}

TEST(get_and_head_read_put_and_patch_write_and_others_are_counted)
{
    struct reading r = read_text(HEADINGS "1 GET http://h/a 200\n"
                                          "1 HEAD http://h/a 200\n"
                                          "1 PUT http://h/a 200\n"
                                          "1 PATCH http://h/a 204\n"
                                          "1 POST http://h/a 201\n"
                                          "1 DELETE http://h/a 200\n");
    check_accesses(&r.trace, "1 r /a; 1 r /a; 1 w /a; 1 w /a; ");
    CHECK_INT(r.trace.events.count, 16);
    CHECK_INT(noted(&r.notes, "no rule covers POST h/a: no access; if it writes, a rules file says "
                              "so: write POST */a"),
              1);
    CHECK_INT(noted(&r.notes, "no rule covers DELETE h/a: no access; if it writes, a rules file "
                              "says so: write DELETE */a"),
              1);
    reading_release(&r);
}

TEST(a_write_that_failed_is_none)
{
    check_table("",
                HEADINGS "1 PUT http://h/a 409\n"
                         "1 PUT http://h/a 412\n"
                         "1 PUT http://h/a 423\n"
                         "1 PUT http://h/a 404\n"
                         "1 PUT http://h/a 303\n",
                "1 w /a; ");
}

TEST(that_something_is_absent_or_unchanged_is_read_but_not_that_it_is_forbidden)
{
    check_table("",
                HEADINGS "1 GET http://h/a 304\n"
                         "1 GET http://h/a 404\n"
                         "1 GET http://h/a 410\n"
                         "1 GET http://h/a 403\n"
                         "1 GET http://h/a 500\n",
                "1 r /a; 1 r /a; 1 r /a; ");
}

TEST(a_write_of_which_nobody_knows_whether_it_was_done_is_counted)
{
    struct reading r = read_text(HEADINGS "1 PUT http://h/a 500\n1 PUT http://h/a -\n"
                                          "1 GET http://h/a 200\n");
    check_accesses(&r.trace, "1 r /a; ");
    CHECK_INT(noted(&r.notes, "writes without an answer"), 2);
    reading_release(&r);
}

TEST(a_write_with_the_version_of_its_own_last_read_is_conditional)
{
    check_table("",
                "trackingId\tEvent\tResourceUri\tResponse\tETag\tIf-Match\n"
                "1\tGET\thttp://h/a\t200\t\"5\"\n"
                "1\tPUT\thttp://h/a\t200\t\"6\"\t\"5\"\n"
                "1\tPUT\thttp://h/a\t200\t\"7\"\tW/\"6\"\n",
                "1 r /a; 1 c /a; 1 c /a; ");
}

TEST(a_write_with_another_version_is_not)
{
    struct reading r = read_text("trackingId\tEvent\tResourceUri\tResponse\tETag\tIf-Match\n"
                                 "1\tGET\thttp://h/a\t200\t\"5\"\n"
                                 "1\tPUT\thttp://h/a\t200\t\"6\"\t\"4\"\n");
    check_accesses(&r.trace, "1 r /a; 1 w /a; ");
    CHECK_INT(noted(&r.notes, "writes whose version is not that of their own last read"), 1);
    reading_release(&r);
}

TEST(a_write_that_takes_any_version_is_not_conditional)
{
    check_table("",
                "trackingId\tEvent\tResourceUri\tResponse\tIf-Match\n"
                "1\tPUT\thttp://h/a\t200\t*\n"
                "1\tPUT\thttp://h/b\t200\t\"4\", \"5\"\n",
                "1 w /a; 1 c /b; ");
}

TEST(one_of_several_versions_may_be_the_right_one)
{
    check_table("version header:If-Match",
                "trackingId\tEvent\tResourceUri\tResponse\tETag\tIf-Match\n"
                "1\tGET\thttp://h/a\t200\t\"5\"\n"
                "1\tPUT\thttp://h/a\t200\t\t\"4\", \"5\"\n"
                "1\tGET\thttp://h/b\t200\t\"5\"\n"
                "1\tPUT\thttp://h/b\t200\t\t\"55\", \"6\"\n",
                "1 r /a; 1 c /a; 1 r /b; 1 w /b; ");
}

TEST(versions_of_different_kinds_are_not_compared)
{
    check_table("version header:If-Match | query:generation from header:x-generation",
                "trackingId\tEvent\tResourceUri\tResponse\tETag\tx-generation\n"
                "1\tGET\thttp://h/a\t200\t\"abc\"\t17\n"
                "1\tPUT\thttp://h/a?generation=17\t200\n"
                "1\tPUT\thttp://h/a?generation=16\t200\n",
                "1 r /a; 1 c /a; 1 w /a; ");
}

TEST(lock_resources_are_locks)
{
    check_table("",
                HEADINGS "1 POST http://h/locks/a 201\n"
                         "2 POST http://h/locks/a 423\n"
                         "1 DELETE http://h/locks/a 204\n"
                         "2 DELETE http://h/locks/a 404\n"
                         "2 POST http://h/locks/a 200\n",
                "1 acq /locks/a; 1 rel /locks/a; 2 acq /locks/a; ");
    check_table("lock PUT|DELETE */leases/{id} res=lease:{id}",
                HEADINGS "1 PUT http://h/leases/a 200\n1 DELETE http://h/leases/a 200\n"
                         "1 POST http://h/locks/a 201\n1 PUT http://h/b 200\n",
                "1 acq /lease:a; 1 rel /lease:a; 1 w /b; ");
}

TEST(a_barrier_orders_requests_that_came_later)
{
    check_table("write POST */jobs/{id}/done\n"
                "barrier POST */jobs/{id}/done before GET */jobs/{id}/result\n",
                HEADINGS "2 GET http://h/jobs/7/result 404\n"
                         "1 POST http://h/jobs/7/done 200\n"
                         "2 GET http://h/jobs/7/result 200\n"
                         "2 GET http://h/jobs/8/result 200\n",
                "2 r /jobs/7/result; 1 w /jobs/7/done; 1 before barrier 2 7; 2 after barrier 2 7; "
                "2 r /jobs/7/result; 2 after barrier 2 8; 2 r /jobs/8/result; ");
}

TEST(rules_say_what_is_not_rest)
{
    check_table("read GET */b/{b}/o/{o} res={b}/{o}\n"
                "copy POST */b/{sb}/o/{so}/copyTo/b/{b}/o/{o} read={sb}/{so} write={b}/{o}\n"
                "read POST */find res=query:key\n"
                "ignore GET */health\n",
                HEADINGS "1 GET http://h/download/b/x/o/y?alt=media 200\n"
                         "1 POST http://h/storage/b/x/o/z/copyTo/b/x/o/y 200\n"
                         "1 POST http://h/things/find?key=7 200\n"
                         "1 POST http://h/things/find 200\n"
                         "1 GET http://h/health 200\n",
                "1 r /x/y; 1 r /x/z; 1 w /x/y; 1 r /things/7; ");
}

TEST(what_rules_ignore_or_do_not_find_is_counted)
{
    struct http_rules rules;
    http_rules_of(&rules, "read POST */find res=query:key\nignore GET */health\n");
    struct reading r = read_text(HEADINGS "1 POST http://h/find 200\n1 GET http://h/health 200\n");
    CHECK_INT(noted(&r.notes, "requests that the rules ignore"), 1);
    CHECK_INT(noted(&r.notes, "requests in which their rule finds no resource"), 1);
    CHECK_INT(r.trace.events.count, 2);
    reading_release(&r);
    http_rules_end(&rules);
}

TEST(hosts_are_named_when_there_are_several)
{
    check_table("", HEADINGS "1 GET http://a/x 200\n1 GET http://b/x 200\n1 GET http://a 200\n",
                "1 r //a/x; 1 r //b/x; 1 r //a; ");
    check_table("", HEADINGS "1 GET http://a/ 200\n1 GET http://a/x 200\n", "1 r /; 1 r /x; ");
}

static const char *location_of_access(const struct trace *t)
{
    trace_each (t, e) {
        if (e->kind == EVENT_READ || e->kind == EVENT_WRITE) {
            return trace_name(t, e->location);
        }
    }
    return "";
}

TEST(the_location_is_verb_and_template)
{
    struct http_rules rules;
    http_rules_of(&rules, "read GET */patients/{name}/*\nread POST */b/{b}/{o} res={b}/{o}\n");
    struct reading r = read_text(HEADINGS "1 GET http://h/patients/alice/chart/17 200\n");
    CHECK_TEXT(location_of_access(&r.trace), "GET /patients/{name}/chart/17");
    reading_release(&r);
    r = read_text(HEADINGS "1 POST http://h/b/bucket/object 200\n");
    CHECK_TEXT(location_of_access(&r.trace), "POST /{b}/{o}");
    reading_release(&r);
    http_rules_end(&rules);
    r = read_text(HEADINGS "1 PUT http://h/orders/5f1d7f3e9b/lines/3 200\n");
    CHECK_TEXT(location_of_access(&r.trace), "PUT /orders/{id}/lines/{id}");
    reading_release(&r);
}

TEST(requests_of_a_tracking_id_stand_as_they_began)
{
    struct reading r =
        read_text("trackingId\tEvent\tResourceUri\tResponse\tStart\tEnd\n"
                  "1\tPUT\thttp://h/b\t200\t2024-05-01T10:00:02Z\t2024-05-01T10:00:03Z\n"
                  "2\tPUT\thttp://h/c\t200\t2024-05-01T10:00:01Z\t2024-05-01T10:00:01Z\n"
                  "1\tGET\thttp://h/a\t200\t2024-05-01T10:00:00Z\t2024-05-01T10:00:05Z\n"
                  "2\tGET\thttp://h/d\t200\tsoon\t\n"
                  "2\tGET\thttp://h/e\t200\t2024-05-01T10:00:04Z\t2024-05-01T10:00:03Z\n");
    check_accesses(&r.trace, "1 r /a; 2 w /c; 2 r /d; 1 w /b; 2 r /e; ");
    CHECK_INT(noted(&r.notes, "requests listed behind a later one"), 1);
    CHECK_INT(noted(&r.notes, "requests that overlap one of their tracking id"), 1);
    CHECK_INT(noted(&r.notes, "requests without a time"), 1);
    CHECK_INT(noted(&r.notes, "requests that end before they begin"), 1);
    CHECK_INT(r.trace.tables.tick_ns, 1);
    reading_release(&r);
}

TEST(a_lock_is_held_from_where_its_request_ended)
{
    check_table("",
                "trackingId\tEvent\tResourceUri\tResponse\tStart\tEnd\n"
                "1\tPOST\thttp://h/locks/a\t201\t2024-05-01T10:00:00Z\t2024-05-01T10:00:01Z\n"
                "2\tPOST\thttp://h/locks/a\t201\t2024-05-01T10:00:02Z\t2024-05-01T10:00:07Z\n"
                "1\tDELETE\thttp://h/locks/a\t204\t2024-05-01T10:00:05Z\t2024-05-01T10:00:08Z\n",
                "1 acq /locks/a; 1 rel /locks/a; 2 acq /locks/a; ");
}

TEST(requests_without_a_tracking_id_are_counted_and_listed)
{
    struct reading r = read_text("trackingId\tEvent\tResourceUri\tResponse\n"
                                 "1\tGET\thttp://h/a\t200\n"
                                 "\tGET\thttp://h/users/1\t200\n"
                                 "\tGET\thttp://h/users/2\t200\n"
                                 "\tPUT\thttp://h/b\t200\n");
    check_accesses(&r.trace, "1 r /a; ");
    CHECK_INT(noted(&r.notes, "without a tracking id: GET h/users/{id}: skipped"), 2);
    CHECK_INT(noted(&r.notes, "without a tracking id: PUT h/b: skipped"), 1);
    reading_release(&r);
}

TEST(a_capture_of_which_nothing_can_be_used_is_refused)
{
    check_refused("trackingId\tEvent\tResourceUri\tResponse\n\tGET\thttp://h/a\t200\n",
                  strlen("trackingId\tEvent\tResourceUri\tResponse\n\tGET\thttp://h/a\t200\n"),
                  "byte 38: none of the 1 requests has a tracking id; a rule can say where it is: "
                  "track header NAME (see clew rules --help)");
    check_refused(HEADINGS, strlen(HEADINGS), "byte 38: the input ends without a request in it");
    check_refused(HEADINGS "1 GET ws://h/a 200\n", strlen(HEADINGS "1 GET ws://h/a 200\n"),
                  "byte 57: none of the 1 requests can be used");
}

TEST(names_are_never_longer_than_traces_can_hold)
{
    const size_t size = 3 << 20;
    struct out table;
    out_open_memory(&table);
    out_text(&table, HEADINGS);
    for (size_t i = 0; i < size; i++) {
        out_char(&table, 'a');
    }
    out_text(&table, " GET http://h/");
    for (size_t i = 0; i < size; i++) {
        out_char(&table, 'b');
    }
    out_text(&table, " 200\n");
    struct reading r = read_bytes(table.buffer, table.used);
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(r.trace.events.count, 3);
    struct notes n = {0};
    mem_free(written(&format_native, &r.trace, &n));
    notes_release(&n);
    reading_release(&r);
    out_abandon(&table);
}

TEST(more_accesses_than_a_batch_holds_are_all_given)
{
    struct http_rules rules;
    http_rules_of(&rules, "read POST */all res=body:$[*]");
    struct out har;
    out_open_memory(&har);
    out_text(
        &har,
        "{\"log\":{\"entries\":[{\"request\":{\"method\":\"POST\",\"url\":\"http://h/all\","
        "\"headers\":[{\"name\":\"X-Request-ID\",\"value\":\"1\"}],\"postData\":{\"text\":\"[0");
    for (int i = 1; i < 10000; i++) {
        out_format(&har, ",%d", i);
    }
    out_text(&har, "]\"}},\"response\":{\"status\":200}}]}}");
    struct reading r = read_bytes(har.buffer, har.used);
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(r.trace.events.count, 10002);
    CHECK_TEXT(trace_name(&r.trace, trace_at(&r.trace, 10000)->object), "/9999");
    reading_release(&r);
    out_abandon(&har);
    http_rules_end(&rules);
}

/* The dissertation's figures. */

#define ACCOUNT "http://localhost/accounts/123456/balance"
#define PATIENT "http://localhost:5984/main/patient_2_e9ecad62-b2f0-428a-8ecc-6797ef420d98"

TEST(figure_4_2_is_two_plain_read_and_writes)
{
    check_table(
        "",
        HEADINGS "trackingId-1 HttpGet " ACCOUNT " 200OK\n"
                 "trackingId-1 HttpPut " ACCOUNT " 200OK\n"
                 "trackingId-2 HttpGet " ACCOUNT " 200OK\n"
                 "trackingId-2 HttpPut " ACCOUNT " 200OK\n",
        "trackingId-1 r /accounts/123456/balance; trackingId-1 w /accounts/123456/balance; "
        "trackingId-2 r /accounts/123456/balance; trackingId-2 w /accounts/123456/balance; ");
}

TEST(figure_4_3_has_a_lock_around_each_access)
{
    check_table("",
                HEADINGS "1 HttpPost http://localhost/locks/action 200OK\n"
                         "1 HttpPut http://localhost/action 200OK\n"
                         "1 HttpDelete http://localhost/locks/action 200OK\n"
                         "2 HttpPost http://localhost/locks/action 200OK\n"
                         "2 HttpGet http://localhost/action 200OK\n"
                         "2 HttpDelete http://localhost/locks/action 200OK\n",
                "1 acq /locks/action; 1 w /action; 1 rel /locks/action; 2 acq /locks/action; "
                "2 r /action; 2 rel /locks/action; ");
}

TEST(figure_4_4_shows_a_conflict)
{
    struct reading r = read_text(HEADINGS "1 HttpGet " PATIENT " 200OK\n"
                                          "2 HttpGet " PATIENT " 200OK\n"
                                          "1 HttpPut " PATIENT " 200OK\n"
                                          "2 HttpPut " PATIENT " 409 Conflict\n"
                                          "2 HttpGet " PATIENT " 200OK\n"
                                          "2 HttpPut " PATIENT " 200OK\n");
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(r.trace.events.count, 17);
    const struct event *refused = trace_at(&r.trace, 10);
    CHECK_INT(refused->kind, EVENT_RESPONSE);
    CHECK_TEXT(trace_name(&r.trace, refused->text), "conflict");
    reading_release(&r);
}
