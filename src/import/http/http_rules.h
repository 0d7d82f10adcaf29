/* Rules: the meaning of requests. A file of lines, read from the top; the first line that matches a
 * request decides. The built-in rules for plain REST cover the rest.
 *
 *     track    header traceparent:trace-id | X-Request-ID        the task of a request
 *     lock     POST|DELETE  STAR/locks/{id}                      the first verb locks, the second
 *                                                                unlocks
 *     read     POST   STAR/{db}/_all_docs   res=body:$.keys[*]   and the resources
 *     copy     POST   STAR/o/{a}/copyTo/o/{b}  read={a} write={b}
 *     ignore   GET    STAR/health
 *     version  header:If-Match | query:generation from header:x-generation
 *     conflict 409 412                                           a version check failed
 *     barrier  POST STAR/{id}/done  before  GET STAR/{id}/result
 *     line     '%t %level [%task] %verb %res %status'            lines of a log
 *
 * where STAR is a '*'. man/clew-rules.5 has all of it. */
#ifndef CLEW_IMPORT_HTTP_HTTP_RULES_H
#define CLEW_IMPORT_HTTP_HTTP_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "import/http/line_pattern.h"
#include "import/http/resource_pattern.h"
#include "import/json/json_path.h"

enum {
    HTTP_SOURCES_MAX = 8,
    HTTP_VERBS_MAX = 8,
    HTTP_STATUSES_MAX = 8,
    HTTP_FAULTS_MAX = 20,
};

/* The place of a text in a request or response. */
enum http_source_type { SOURCE_NONE, SOURCE_HEADER, SOURCE_QUERY, SOURCE_COOKIE, SOURCE_BODY };

struct http_source {
    enum http_source_type type;
    struct piece name;     /* of the header, parameter or cookie */
    struct json_path path; /* into the body */
    bool is_trace_id;      /* of a traceparent header, only that part */
};

/* A version as a write sends it, and its place in a response. */
struct http_version {
    struct http_source sent;
    struct http_source told; /* SOURCE_NONE: nowhere */
};

enum http_rule_type { RULE_READ, RULE_WRITE, RULE_COPY, RULE_LOCK, RULE_IGNORE, RULE_BARRIER };

/* The requests of a rule: one of the verbs, and a resource of this pattern. */
struct http_filter {
    struct piece verbs[HTTP_VERBS_MAX];
    size_t verb_count;
    struct pattern pattern;
};

/* The resource of a rule: the request's own, one made from the names of its pattern, or those that
 * a part of the request refers to. */
enum http_target_type { TARGET_SELF, TARGET_MADE, TARGET_REFERRED };

struct http_target {
    enum http_target_type type;
    struct pattern made;
    struct http_source referred;
};

struct http_rule {
    enum http_rule_type type;
    uint32_t line; /* of the file; 0: built in */
    struct http_filter filter;
    struct http_filter later;  /* RULE_BARRIER: the later requests */
    struct http_target target; /* RULE_COPY: the resource written */
    struct http_target source; /* RULE_COPY: the resource read */
};

/* Open for reading. */
struct http_rules {
    struct arena arena;
    VEC(struct http_rule *) list; /* the file's, then the built-in ones */
    struct http_source track[HTTP_SOURCES_MAX];
    size_t track_count;
    struct http_version versions[HTTP_SOURCES_MAX];
    size_t version_count;
    int conflicts[HTTP_STATUSES_MAX];
    size_t conflict_count;
    VEC(struct line_pattern *) lines;
    bool wants_body;  /* some source is in a body */
    uint32_t written; /* the number of rules from the file */
};

struct http_fault {
    uint32_t line, column; /* from 1 */
    char text[200];
};

/* {0} is empty. */
struct http_faults {
    VEC(struct http_fault) list; /* the first HTTP_FAULTS_MAX of them */
};

/* The verbs that rules and logs may name. */
extern const char *const http_verbs[];
extern const size_t http_verb_count;
bool http_verb_is_known(struct piece verb);
/* Whether an extension of HTTP can define the verb, such as MKCALENDAR: capitals and hyphens. */
bool http_verb_is_method(struct piece verb);

/* The text of the built-in rules. */
extern const char http_rules_builtin[];

/* Reads rules into r, which http_rules_release must release in any case. Returns 0, or -1 with all
 * faults in *f, in the order of the text. */
MUST_USE int http_rules_parse(struct http_rules *r, const char *text, size_t size,
                              struct http_faults *f);

/* Only the built-in rules. */
void http_rules_init(struct http_rules *r);

/* Reads the file and parses it as http_rules_parse does. Fails without faults when it cannot be
 * read, or with its first fault in the error ("path:line:column: ..."). */
MUST_USE int http_rules_read(struct http_rules *r, const char *path, struct http_faults *f,
                             struct err *e);

void http_rules_release(struct http_rules *r);
void http_faults_release(struct http_faults *f);

/* Sets the active rules for readers of HTTP captures, which must outlive them; NULL: the built-in
 * ones. */
void http_rules_use(const struct http_rules *r);
const struct http_rules *http_rules_in_use(void);

/* Whether the filter has the verb and its pattern matches the resource's name. */
bool http_filter_fits(const struct http_filter *f, struct piece verb, struct piece name,
                      struct pattern_match *match);

bool http_rules_is_conflict(const struct http_rules *r, int status);

#endif
