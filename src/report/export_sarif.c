/* Findings as SARIF 2.1.0 (OASIS standard, https://docs.oasis-open.org/sarif/sarif/v2.1.0/). A kind
 * of findings is a rule, a finding a result, its events a thread flow. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "report/exports.h"

static const char schema_uri[] =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/* A path as a relative URI: bytes that are not unreserved are encoded (RFC 3986, 2.3). */
static void print_uri(struct out *out, const char *path, size_t size)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)path[i];
        if (c != '\0' && strchr(plain, c) != NULL) {
            out_char(out, path[i]);
        } else {
            out_format(out, "%%%02X", c);
        }
    }
    out_char(out, '\0');
}

static void print_physical(struct json *j, struct source_place place)
{
    struct out uri;
    out_open_memory(&uri);
    print_uri(&uri, place.file, place.file_size);
    json_object(j, "physicalLocation");
    json_object(j, "artifactLocation");
    json_text(j, "uri", uri.buffer);
    json_end(j);
    json_object(j, "region");
    json_u64(j, "startLine", place.line);
    json_end(j);
    json_end(j);
    out_abandon(&uri);
}

/* The object of an event as a logical location: a variable, a lock, a resource. */
static void print_logical(struct json *j, const char *object)
{
    json_array(j, "logicalLocations");
    json_object(j, NULL);
    json_text(j, "fullyQualifiedName", object);
    json_end(j);
    json_end(j);
}

static void print_event_location(struct json *j, const struct finding_event *e)
{
    struct out words;
    const struct source_place place = source_place_of(e->location);
    json_object(j, "location");
    if (place.file_size > 0) {
        print_physical(j, place);
    }
    if (e->object[0] != '\0') {
        print_logical(j, e->object);
    }
    out_open_memory(&words);
    out_format(&words, "%s%s%s %s%s%s", e->task, e->node[0] == '\0' ? "" : "@", e->node, e->access,
               e->object[0] == '\0' ? "" : " ", e->object);
    out_char(&words, '\0');
    json_object(j, "message");
    json_text(j, "text", words.buffer);
    json_end(j);
    out_abandon(&words);
    json_end(j);
}

/* The events as one flow, which names the task of each. */
static void print_flow(struct json *j, const struct finding *f)
{
    json_array(j, "codeFlows");
    json_object(j, NULL);
    json_array(j, "threadFlows");
    json_object(j, NULL);
    json_array(j, "locations");
    for (size_t i = 0; i < f->event_count; i++) {
        json_object(j, NULL);
        print_event_location(j, &f->events[i]);
        json_u64(j, "executionOrder", i + 1);
        json_end(j);
    }
    json_end(j);
    json_end(j);
    json_end(j);
    json_end(j);
    json_end(j);
}

static void print_properties(struct json *j, const struct finding *f)
{
    json_object(j, "properties");
    json_text(j, "status", finding_status_name(f->status));
    if (f->grade != GRADE_NONE) {
        json_text(j, "grade", finding_grade_name(f->grade));
    }
    if (f->why != NULL && f->why[0] != '\0') {
        json_text(j, "why", f->why);
    }
    if (f->replay != NULL) {
        json_text(j, "replay", f->replay);
    }
    json_end(j);
}

static void print_result(struct json *j, const struct finding *f, uint32_t rule)
{
    const struct source_place place = source_place_of_finding(f);
    json_object(j, NULL);
    json_text(j, "ruleId", finding_kind_name(f->kind));
    json_u64(j, "ruleIndex", rule);
    json_text(j, "level", finding_severity_name(f->severity));
    json_object(j, "message");
    json_text(j, "text", f->what);
    json_end(j);
    if (place.file_size > 0) {
        json_array(j, "locations");
        json_object(j, NULL);
        print_physical(j, place);
        json_end(j);
        json_end(j);
    }
    json_object(j, "partialFingerprints");
    json_text(j, "clewKey/v1", f->key);
    json_end(j);
    if (f->event_count > 0) {
        print_flow(j, f);
    }
    print_properties(j, f);
    json_end(j);
}

/* The kinds that occur, in the order of the list of kinds; each one's index. */
struct rules {
    uint32_t index[FINDING_KIND_COUNT];
};

static struct rules print_rules(struct json *j, const struct exports *x)
{
    struct rules rules = {{0}};
    bool occurs[FINDING_KIND_COUNT] = {false};
    uint32_t count = 0;
    vec_each (&x->findings.list, f) {
        must(f->kind < FINDING_KIND_COUNT);
        occurs[f->kind] = true;
    }
    json_array(j, "rules");
    for (enum finding_kind kind = 0; kind < FINDING_KIND_COUNT; kind++) {
        if (occurs[kind]) {
            rules.index[kind] = count++;
            json_object(j, NULL);
            json_text(j, "id", finding_kind_name(kind));
            json_end(j);
        }
    }
    json_end(j);
    return rules;
}

static struct rules print_tool(struct json *j, const struct exports *x)
{
    json_object(j, "tool");
    json_object(j, "driver");
    json_text(j, "name", "clew");
    json_text(j, "version", CLEW_VERSION);
    const struct rules rules = print_rules(j, x);
    json_end(j);
    json_end(j);
    return rules;
}

/* An unknown answer is a notification: a list of results without any would look like "clean". */
static void print_invocation(struct json *j, const struct exports *x)
{
    json_array(j, "invocations");
    json_object(j, NULL);
    json_bool(j, "executionSuccessful", true);
    if (x->end == EXPORT_UNKNOWN) {
        json_array(j, "toolExecutionNotifications");
        json_object(j, NULL);
        json_text(j, "level", "warning");
        json_object(j, "message");
        json_text(j, "text",
                  "the answer is unknown: a budget ended before it, or an assumption could not be "
                  "checked; clew prints the reason");
        json_end(j);
        json_end(j);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

void export_sarif(const struct exports *x, struct out *out)
{
    struct json j = json_begin(out);
    json_object(&j, NULL);
    json_text(&j, "$schema", schema_uri);
    json_text(&j, "version", "2.1.0");
    json_array(&j, "runs");
    json_object(&j, NULL);
    const struct rules rules = print_tool(&j, x);
    json_object(&j, "automationDetails");
    struct out id;
    out_open_memory(&id);
    out_format(&id, "clew %s/", x->verb);
    out_char(&id, '\0');
    json_text(&j, "id", id.buffer);
    out_abandon(&id);
    json_end(&j);
    print_invocation(&j, x);
    json_array(&j, "results");
    vec_each (&x->findings.list, f) {
        print_result(&j, f, rules.index[f->kind]);
    }
    json_end(&j);
    json_end(&j);
    json_end(&j);
    json_end(&j);
    out_char(out, '\n');
}
