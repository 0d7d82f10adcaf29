/* Conversion of exchanges to the events of docs/trace-format.md ("HTTP in a trace"), by the rules.
 *
 *     struct http_log l;
 *     http_log_init(&l, tables, notes);
 *     http_log_add(&l, &exchange);  ...                  in any order
 *     if (http_log_seal(&l, path, offset, e) < 0) ...
 *     while (http_log_batch(&l, &b)) { ... }
 *     http_log_release(&l);
 *
 * Events are available only when all exchanges are known: captures list exchanges by their ends,
 * and a name omits its host if there is only one. So memory grows with requests, by some 200 bytes
 * each, and never with the bytes of bodies.
 *
 * The moment between its beginning and its end at which a request took effect is unknown. The
 * events of a tracking id are in the order in which its requests began. Between tracking ids the
 * list is one possible order: a request stands at its beginning, but a request that locks stands at
 * its end, so that sections of a lock that worked do not overlap. */
#ifndef CLEW_IMPORT_HTTP_HTTP_LOG_H
#define CLEW_IMPORT_HTTP_HTTP_LOG_H

#include "base/map.h"
#include "import/http/http_exchange.h"
#include "import/http/http_find.h"
#include "import/http/http_rules.h"
#include "trace/cursor.h"

/* The counters that are noted at the end. TALLY(id, text) */
#define HTTP_TALLY_LIST(TALLY)                                                                 \
    TALLY(NO_LINE, "lines that are no requests: skipped")                                      \
    TALLY(CLIENT, "requests without a tracking id of their own: taken by their client")        \
    TALLY(NO_HTTP, "spans that are no HTTP requests: left out")                                \
    TALLY(DOUBLE, "requests reported by their client and their server: taken from the server") \
    TALLY(INCOMPLETE, "requests without a verb or a URI: skipped")                             \
    TALLY(FOREIGN, "requests that are not HTTP (data:, ws: and others): skipped")              \
    TALLY(UNTRACKED, "more requests without a tracking id: skipped")                           \
    TALLY(IGNORED, "requests that the rules ignore: left out")                                 \
    TALLY(OTHER, "more requests with a verb that no rule covers: no access")                   \
    TALLY(NO_RESOURCE, "requests in which their rule finds no resource: no access")            \
    TALLY(UNSURE, "writes without an answer, or answered 5xx: taken as not done")              \
    TALLY(STALE, "writes whose version is not that of their own last read: not conditional")   \
    TALLY(NOT_JSON, "bodies that are not JSON: nothing found in them")                         \
    TALLY(NOT_BASE64, "bodies that are not base64, as they should be: nothing found in them")  \
    TALLY(CUT, "bodies that are too long to be looked into: nothing found in them")            \
    TALLY(NO_TIME, "requests without a time: placed where they stand")                         \
    TALLY(BACKWARDS, "requests that end before they begin: taken as of one moment")            \
    TALLY(DISORDER, "requests listed behind a later one of their tracking id: put in order")   \
    TALLY(OVERLAP, "requests that overlap one of their tracking id: in the order they began")

enum http_tally_id {
#define TALLY(id, text) HTTP_##id,
    HTTP_TALLY_LIST(TALLY)
#undef TALLY
        HTTP_TALLY_COUNT
};

struct http_tally {
    uint64_t count;
    uint64_t offset; /* of the first */
};

/* Requests by verb and template, for the first few kinds. */
struct http_kinds {
    struct names names;             /* "POST host/orders/{id}" */
    VEC(struct http_tally) tallies; /* by number of the name */
};

/* Kinds of versions: those of the rules, by their order, and the presence of the resource, which a
 * write with If-None-Match: * checks. */
enum { HTTP_PRESENCE = HTTP_SOURCES_MAX, HTTP_VERSION_KINDS };

/* The effect of a request on one resource, lock or barrier. */
struct http_access {
    uint16_t kind;                     /* enum event_kind */
    uint32_t object;                   /* in `resources` */
    uint32_t template;                 /* in `resources` too */
    uint32_t sent;                     /* the version it requires, a name of the tables */
    uint32_t sent_by;                  /* the kind of that version */
    uint32_t told[HTTP_VERSION_KINDS]; /* the versions in the response, by kind */
    uint32_t text;                     /* the version of its event; from http_log_seal on */
    bool is_conditional;
};

struct http_record {
    uint32_t task;
    uint32_t resource;
    uint32_t access_first, access_count;
    uint32_t sequence; /* in the input */
    uint16_t status;
    uint8_t verb;    /* enum event_mode */
    uint32_t client; /* in `spans`: the span, if the client reported it; 0: the server did */
    bool has_time;
    bool is_conflict;
    int64_t start_ns, end_ns;
    int64_t moment; /* its place between tracking ids */
    uint64_t offset;
};

/* The versions of a resource that a task knows, by kind. */
struct http_known {
    uint32_t versions[HTTP_VERSION_KINDS]; /* 0: unknown */
    uint32_t told_by[HTTP_VERSION_KINDS];  /* the accesses whose responses contained them */
};

struct http_log {
    const struct http_rules *rules;
    struct http_rules builtin; /* if no others are in use */
    struct tables *tables;
    struct notes *notes;
    const char *path; /* for places in notes; set by http_log_seal */

    struct names resources; /* with their hosts, as rules see them */
    VEC(struct http_access) accesses;
    VEC(struct http_record) records;
    struct http_tally tallies[HTTP_TALLY_COUNT];
    struct names spans;          /* of clients, and parents of servers ... */
    VEC(bool) span_is_served;    /* ... and which are the latter */
    struct http_kinds untracked; /* the requests without a tracking id */
    struct http_kinds uncovered; /* the requests with a verb that no rule covers */
    uint64_t exchange_count;
    int64_t time_last;         /* the beginning of the last request added ... */
    VEC(int64_t) time_of_task; /* ... and the last of each task */

    struct text name, template, value; /* of the current exchange */

    VEC(uint32_t) object_of;  /* resource to name of the tables; from http_log_seal on */
    struct map version_known; /* (task, resource) to an index into `known` */
    VEC(struct http_known) known;
    size_t message_first; /* number of the first record's message */
    size_t given;         /* records */
    uint32_t given_part;  /* events of the next one */
    struct event *events; /* BATCH_MAX of them */
    uint64_t *offsets;
};

/* Starts with the active rules. */
void http_log_init(struct http_log *l, struct tables *t, struct notes *n);
void http_log_release(struct http_log *l);

void http_log_add(struct http_log *l, const struct http_exchange *x);

/* Ends adding: sorts the requests and notes skipped ones. Fails when no event is left; `offset` is
 * the end of the input. */
MUST_USE int http_log_seal(struct http_log *l, const char *path, uint64_t offset, struct err *e);

/* The next events; false at the end. */
bool http_log_batch(struct http_log *l, struct batch *b);

/* Counts one more skipped or irregular request. */
void http_log_count(struct http_log *l, enum http_tally_id id, uint64_t offset);

#endif
