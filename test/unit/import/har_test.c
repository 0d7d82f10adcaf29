#include "base/json.h"
#include "http_rules_of.h"
#include "reading.h"
#include "test.h"
#include "wire/kind.h"

#define HAR(entries) "{\"log\":{\"version\":\"1.2\",\"entries\":[" entries "]}}"
#define TASK "4bf92f3577b34da6a3ce929d0e0e4736"
#define TRACKED(id) "\"headers\":[{\"name\":\"X-Request-ID\",\"value\":\"" id "\"}]"

TEST(an_entry_becomes_a_request)
{
    struct reading r =
        read_text(HAR("{\"startedDateTime\":\"1970-01-01T00:00:01.5Z\",\"time\":2.5,"
                      "\"request\":{\"method\":\"GET\",\"url\":\"http://h/a?x=1\",\"headers\":["
                      "{\"name\":\"TraceParent\",\"value\":\"00-4bf92f3577b34da6a3ce929d0e0e4736-"
                      "00f067aa0ba902b7-"
                      "01\"},{\"name\":\"Accept\",\"value\":\"*\"}]},"
                      "\"response\":{\"status\":200,\"headers\":[{\"value\":\"\\\"v1\\\"\","
                      "\"name\":\"etag\"}]}}"));
    CHECK_TEXT(r.error.text, "");
    check_text(&r.trace, "clew-text 1 order=node tick=1 source=har\n" TASK
                         " request /a mode=GET msg=request-1 t=1500000000\n" TASK
                         " read /a @\"GET /a\" text=v1 t=1500000000\n" TASK
                         " response /a mode=GET msg=request-1 value=200 t=1500000000\n");
    CHECK_INT(r.offsets.at[0], 35);
    reading_release(&r);
}

TEST(missing_fields_are_said_and_the_rest_is_read)
{
    struct reading r = read_text(
        HAR("{},{\"request\":{}},{\"request\":{\"method\":\"GET\"}},{\"request\":null},7,[1],"
            "{\"request\":{\"url\":\"data:,x\",\"method\":\"GET\"}},"
            "{\"request\":{\"url\":\"http://h/a\",\"method\":\"PUT\"," TRACKED(
                "1") "}},"
                     "{\"request\":{\"url\":\"http://h/a\",\"method\":\"GET\"," TRACKED(
                         "1") "},\"response\":{\"status\":200}}"));
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(r.trace.events.count, 4);
    CHECK_INT(noted(&r.notes, "requests without a verb or a URI"), 5);
    CHECK_INT(noted(&r.notes, "requests that are not HTTP"), 1);
    CHECK_INT(noted(&r.notes, "requests without a time"), 2);
    CHECK_INT(noted(&r.notes, "writes without an answer"), 1);
    reading_release(&r);
}

/* One POST with this body, read by a rule that wants its keys. */
static struct reading read_body(const char *body, const char *encoding)
{
    struct http_rules rules;
    struct out har;
    http_rules_of(&rules, "read POST */all res=body:$.keys[*]");
    out_open_memory(&har);
    out_text(&har, "{\"log\":{\"entries\":[{\"request\":{\"method\":\"POST\",\"url\":\"http://h/"
                   "all\"," TRACKED("1") ",\"postData\":{\"encoding\":\"");
    out_text(&har, encoding);
    out_text(&har, "\",\"text\":");
    json_quote(&har, body, strlen(body));
    out_text(&har, "}},\"response\":{\"status\":200}}]}}");
    struct reading r = read_bytes(har.buffer, har.used);
    CHECK_TEXT(r.error.text, "");
    out_abandon(&har);
    http_rules_end(&rules);
    return r;
}

TEST(bodies_are_looked_into_as_they_are_written)
{
    struct reading r = read_body("{\"keys\":[\"x\",\"y\"]}", "");
    CHECK_INT(r.trace.events.count, 4);
    reading_release(&r);
    r = read_body("eyJrZXlzIjpbIngiLCJ5Il19", "base64");
    CHECK_INT(r.trace.events.count, 4);
    CHECK_TEXT(trace_name(&r.trace, trace_at(&r.trace, 2)->object), "/y");
    reading_release(&r);
}

TEST(bodies_that_cannot_be_looked_into_are_counted)
{
    struct reading r = read_body("keys=x", "");
    CHECK_INT(r.trace.events.count, 2);
    CHECK_INT(noted(&r.notes, "bodies that are not JSON"), 1);
    reading_release(&r);
    r = read_body("!", "base64");
    CHECK_INT(noted(&r.notes, "bodies that are not base64"), 1);
    reading_release(&r);
    const size_t size = 2 << 20;
    char *body = mem_resize(NULL, size + 1);
    memset(body, ' ', size);
    body[0] = '{';
    body[size] = '\0';
    r = read_body(body, "");
    CHECK_INT(noted(&r.notes, "bodies that are too long"), 1);
    reading_release(&r);
    mem_free(body);
}

TEST(what_is_no_archive_is_refused)
{
    const char cut[] = "{\"log\":{\"entries\":[{\"request\":{";
    check_refused(cut, strlen(cut), "byte 31: the input ends in the middle of a value");
    const char other[] = "{\"log\":{\"entries\":[{]}}";
    check_refused(other, strlen(other), "byte 21: not JSON: invalid object key (must be a string)");
    const char none[] = "{\"log\":{}}";
    check_refused(none, strlen(none), "byte 10: the input ends without a request in it");
}

/* What a version in a body of CouchDB is worth. */
TEST(revisions_in_bodies_are_versions)
{
    struct http_rules rules;
    http_rules_of(&rules, "version body:$._rev");
    struct reading r =
        read_text(HAR("{\"request\":{\"method\":\"GET\",\"url\":\"http://h/a\"," TRACKED(
            "1") "},\"response\":{\"status\":200,\"content\":{\"text\":\"{\\\"_rev\\\":\\\"1-a\\\"}"
                 "\"}}},"
                 "{\"request\":{\"method\":\"PUT\",\"url\":\"http://h/a\"," TRACKED(
                     "1") ",\"postData\":{\"text\":\"{\\\"_rev\\\":\\\"1-a\\\"}\"}},\"response\":{"
                          "\"status\":201}}"));
    CHECK_TEXT(r.error.text, "");
    CHECK_TEXT(trace_name(&r.trace, trace_at(&r.trace, 1)->text), "1-a");
    CHECK_INT(trace_at(&r.trace, 4)->mode, ACCESS_CONDITIONAL);
    reading_release(&r);
    http_rules_end(&rules);
}
