#include "import/http/http_rules.h"

#include <stdio.h>

#include "base/in.h"

enum { RULES_SIZE_MAX = 1 << 20 };

const char http_rules_builtin[] = "track    header traceparent:trace-id | X-Request-ID\n"
                                  "version  header:If-Match\n"
                                  "conflict 409 412\n"
                                  "lock     POST|DELETE */locks/{id}\n"
                                  "read     GET|HEAD *\n"
                                  "write    PUT|PATCH *\n";

const char *const http_verbs[] = {
    "GET",   "HEAD", "PUT",  "POST", "PATCH",  "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND",
    "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", "REPORT", "SEARCH",  "QUERY", "LINK",    "UNLINK",
};

const size_t http_verb_count = sizeof http_verbs / sizeof *http_verbs;

bool http_verb_is_known(struct piece verb)
{
    for (size_t i = 0; i < http_verb_count; i++) {
        if (piece_is(verb, http_verbs[i])) {
            return true;
        }
    }
    return false;
}

bool http_verb_is_method(struct piece verb)
{
    for (size_t i = 0; i < verb.size; i++) {
        const char c = verb.at[i];
        if ((c < 'A' || c > 'Z') && (c != '-' || i == 0)) {
            return false;
        }
    }
    return verb.size > 0;
}

static const struct http_rules *in_use;

void http_rules_use(const struct http_rules *r)
{
    in_use = r;
}

const struct http_rules *http_rules_in_use(void)
{
    return in_use;
}

void http_rules_init(struct http_rules *r)
{
    struct http_faults f = {0};
    const int status = http_rules_parse(r, "", 0, &f);
    must(status == 0);
}

/* Reads all bytes of the input, which must not exceed the limit for rules. */
static int fill_all(struct in *in, struct err *e)
{
    while (!in->is_end) {
        if (in_fill(in, in->available + 1, e) < 0) {
            return -1;
        }
        if (in->available > RULES_SIZE_MAX) {
            return err_set(e, "has more than %d bytes: no rules", RULES_SIZE_MAX);
        }
    }
    return 0;
}

int http_rules_read(struct http_rules *r, const char *path, struct http_faults *f, struct err *e)
{
    *r = (struct http_rules){0};
    struct in in;
    if (in_open(&in, path, e) < 0) {
        return err_wrap(e, "%s", path);
    }
    int status = fill_all(&in, e);
    if (status < 0) {
        (void)err_wrap(e, "%s", path);
    } else if (http_rules_parse(r, in.at, in.available, f) < 0) {
        const struct http_fault *first = &f->list.at[0];
        status = err_set(e, "%s:%u:%u: %s", path, first->line, first->column, first->text);
    }
    in_close(&in);
    return status;
}

void http_rules_release(struct http_rules *r)
{
    vec_release(&r->list);
    vec_release(&r->lines);
    arena_release(&r->arena);
}

void http_faults_release(struct http_faults *f)
{
    vec_release(&f->list);
}

bool http_filter_fits(const struct http_filter *f, struct piece verb, struct piece name,
                      struct pattern_match *match)
{
    for (size_t i = 0; i < f->verb_count; i++) {
        if (piece_equals(f->verbs[i], verb)) {
            return pattern_matches(&f->pattern, name, match);
        }
    }
    return false;
}

bool http_rules_is_conflict(const struct http_rules *r, int status)
{
    for (size_t i = 0; i < r->conflict_count; i++) {
        if (r->conflicts[i] == status) {
            return true;
        }
    }
    return false;
}
