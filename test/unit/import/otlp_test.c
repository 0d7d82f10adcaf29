#include "http_rules_of.h"
#include "reading.h"
#include "test.h"
#include "wire/kind.h"

#define SPANS(spans) "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[" spans "]}]}]}"
#define TEXT(key, text) "{\"key\":\"" key "\",\"value\":{\"stringValue\":\"" text "\"}}"
#define NUMBER(key, number) "{\"key\":\"" key "\",\"value\":{\"intValue\":\"" number "\"}}"

TEST(a_span_becomes_a_request)
{
    struct reading r = read_text(SPANS(
        "{\"traceId\":\"t\",\"spanId\":\"s\",\"kind\":2,\"startTimeUnixNano\":\"5\","
        "\"endTimeUnixNano\":\"7\",\"attributes\":[" TEXT("http.request.method", "GET") "," TEXT(
            "server.address",
            "shop") "," NUMBER("server.port",
                               "80") "," TEXT("url.path",
                                              "/orders/7") "," TEXT("url.query",
                                                                    "a=1") "," NUMBER("http."
                                                                                      "response."
                                                                                      "status_code",
                                                                                      "200") ","
                                                                                             "{\"ke"
                                                                                             "y\":"
                                                                                             "\"htt"
                                                                                             "p."
                                                                                             "respo"
                                                                                             "nse."
                                                                                             "heade"
                                                                                             "r."
                                                                                             "etag"
                                                                                             "\","
                                                                                             "\"val"
                                                                                             "ue\":"
                                                                                             "{\"ar"
                                                                                             "rayVa"
                                                                                             "lue\""
                                                                                             ":{"
                                                                                             "\"val"
                                                                                             "ues\""
                                                                                             ":["
                                                                                             "{\"st"
                                                                                             "ringV"
                                                                                             "alue"
                                                                                             "\":"
                                                                                             "\"v1"
                                                                                             "\"}]}"
                                                                                             "}}]"
                                                                                             "}"));
    CHECK_TEXT(r.error.text, "");
    check_text(&r.trace, "clew-text 1 order=node tick=1 source=otlp\n"
                         "t request /orders/7 mode=GET msg=request-1 t=5\n"
                         "t read /orders/7 @\"GET /orders/{id}\" text=v1 t=5\n"
                         "t response /orders/7 mode=GET msg=request-1 value=200 t=5\n");
    reading_release(&r);
}

TEST(older_words_are_known_and_other_spans_counted)
{
    struct reading r = read_text(SPANS(
        "{\"traceId\":\"t\",\"name\":\"SELECT\"},"
        "{\"traceId\":\"t\",\"startTimeUnixNano\":\"5\",\"attributes\":[" TEXT(
            "http.method",
            "PUT") "," TEXT("http.url",
                            "http://h/a") "," NUMBER("http.status_code",
                                                     "200") "]}") "\n{\"resourceSpans\":[]}\n");
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(r.trace.events.count, 3);
    CHECK_INT(trace_at(&r.trace, 1)->kind, EVENT_WRITE);
    CHECK_INT(noted(&r.notes, "spans that are no HTTP requests"), 1);
    reading_release(&r);
}

#define PUT_SPAN(fields)                                                                 \
    "{\"traceId\":\"t\"," fields                                                         \
    ",\"startTimeUnixNano\":\"5\",\"attributes\":[" TEXT("http.method", "PUT") "," TEXT( \
        "http.url", "http://h/a") "," NUMBER("http.status_code", "200") "]}"

TEST(a_request_told_of_twice_is_taken_once)
{
    struct reading r = read_text(SPANS(PUT_SPAN("\"spanId\":\"a\",\"kind\":3") "," PUT_SPAN(
        "\"spanId\":\"b\",\"parentSpanId\":"
        "\"a\",\"kind\":2") "," PUT_SPAN("\"spanId\":\"c\",\"kind\":\"SPAN_KIND_CLIENT\"")));
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(r.trace.events.count, 6);
    CHECK_INT(noted(&r.notes, "requests reported by their client and their server"), 1);
    reading_release(&r);
}

TEST(a_rule_may_name_another_tracking_id)
{
    struct http_rules rules;
    http_rules_of(&rules, "track X-Request-ID");
    struct reading r =
        read_text(SPANS("{\"traceId\":\"t\",\"startTimeUnixNano\":\"5\",\"attributes\":[" TEXT(
            "http.method",
            "PUT") "," TEXT("http.url", "http://h/a") "," TEXT("http.request.header.x_request_id",
                                                               "r-9") "," NUMBER("http.status_code",
                                                                                 "200") "]}"));
    CHECK_TEXT(r.error.text, "");
    CHECK_TEXT(trace_name(&r.trace, r.trace.tables.tasks.at[0].name), "r-9");
    reading_release(&r);
    http_rules_end(&rules);
}
