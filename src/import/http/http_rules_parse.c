#include <stdarg.h>
#include <stdio.h>

#include "base/quoted_text.h"
#include "base/suggest.h"
#include "import/http/http_rules.h"

/* A line under parsing. Words are separated by blanks; a '|' ends one too where alternatives may
 * stand. */
struct reader {
    struct http_rules *rules;
    struct http_faults *faults;
    struct piece line;
    size_t at;       /* in the line */
    uint32_t number; /* of the line, from 1; 0 in the built-in rules */
    bool is_wrong;   /* the line has a fault */
};

/* Adds a fault at this byte of the line; only the first fault of a line counts. */
static PRINTF_LIKE(3, 4) void fail_at(struct reader *r, size_t at, const char *format, ...)
{
    if (r->is_wrong || r->faults->list.count == HTTP_FAULTS_MAX) {
        r->is_wrong = true;
        return;
    }
    r->is_wrong = true;
    struct http_fault fault = {.line = r->number, .column = (uint32_t)at + 1};
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(fault.text, sizeof fault.text, format, arguments);
    va_end(arguments);
    vec_push(&r->faults->list, fault);
}

/* The same for an unknown word; the message suggests `nearest`. */
static void fail_word(struct reader *r, size_t at, const char *what, struct piece word,
                      const char *nearest)
{
    const struct shown wrong = shown(word.at, word.size);
    if (nearest != NULL) {
        fail_at(r, at, "%s %s, did you mean %s?", what, wrong.text, nearest);
    } else {
        fail_at(r, at, "%s %s", what, wrong.text);
    }
}

/* The nearest of the words, or NULL. */
static const char *nearest_of(struct piece word, const char *const *words, size_t count)
{
    char text[64] = "";
    if (word.size == 0 || word.size >= sizeof text) {
        return NULL;
    }
    memcpy(text, word.at, word.size);
    struct suggest s = {.wanted = text};
    for (size_t i = 0; i < count; i++) {
        suggest_try(&s, words[i]);
    }
    return s.nearest;
}

#define NEAREST(word, words) nearest_of((word), (words), sizeof(words) / sizeof *(words))

static void skip_blanks(struct reader *r)
{
    while (r->at < r->line.size && (r->line.at[r->at] == ' ' || r->line.at[r->at] == '\t')) {
        r->at++;
    }
}

/* Whether the line has more than blanks and a comment. */
static bool is_more(struct reader *r)
{
    skip_blanks(r);
    return r->at < r->line.size && r->line.at[r->at] != '#';
}

/* The next word, up to a blank or any of `stops`; empty at the end of the line. */
static struct piece take_word(struct reader *r, const char *stops)
{
    if (!is_more(r)) {
        return (struct piece){0};
    }
    const size_t start = r->at;
    while (r->at < r->line.size && strchr(" \t", r->line.at[r->at]) == NULL &&
           strchr(stops, r->line.at[r->at]) == NULL) {
        r->at++;
    }
    return (struct piece){r->line.at + start, r->at - start};
}

static size_t place_of(const struct reader *r, struct piece word)
{
    return word.at == NULL ? r->at : (size_t)(word.at - r->line.at);
}

/* Skips a '|' if it is next. */
static bool take_bar(struct reader *r)
{
    if (is_more(r) && r->line.at[r->at] == '|') {
        r->at++;
        return true;
    }
    return false;
}

static struct piece kept(struct reader *r, struct piece p)
{
    return (struct piece){arena_text(&r->rules->arena, p.at, p.size), p.size};
}

static void parse_body(struct reader *r, struct piece path, struct http_source *source)
{
    const char *wrong = NULL;
    size_t at = 0;
    source->type = SOURCE_BODY;
    r->rules->wants_body = true;
    if (!json_path_parse(&source->path, &r->rules->arena, path, &wrong, &at)) {
        fail_at(r, place_of(r, path) + at, "%s", wrong);
    }
}

/* Parses "header:NAME", "header:NAME:trace-id", "query:NAME", "cookie:NAME" or "body:PATH". A word
 * without any of these before it is a header if `is_header`. */
static void parse_source(struct reader *r, struct piece word, bool is_header,
                         struct http_source *source)
{
    static const char *const types[] = {"header", "query", "cookie", "body"};
    static const enum http_source_type type_of[] = {SOURCE_HEADER, SOURCE_QUERY, SOURCE_COOKIE,
                                                    SOURCE_BODY};
    *source = (struct http_source){.type = is_header ? SOURCE_HEADER : SOURCE_NONE};
    const struct piece type = {word.at, piece_until(word, ':')};
    struct piece name = word;
    for (size_t i = 0; i < sizeof types / sizeof *types && type.size < word.size; i++) {
        if (piece_is(type, types[i])) {
            source->type = type_of[i];
            name = piece_after(word, type.size + 1);
        }
    }
    if (source->type == SOURCE_NONE) {
        fail_word(r, place_of(r, word), "header:, query:, cookie: or body: is wanted, not", word,
                  NEAREST(type, types));
        return;
    }
    if (source->type == SOURCE_BODY) {
        parse_body(r, name, source);
        return;
    }
    const size_t part = source->type == SOURCE_HEADER ? piece_until(name, ':') : name.size;
    if (part < name.size) {
        if (!piece_is(piece_after(name, part), ":trace-id")) {
            fail_at(r, place_of(r, name) + part, "a header's part is trace-id, not %s",
                    shown(name.at + part + 1, name.size - part - 1).text);
        }
        source->is_trace_id = true;
        name.size = part;
    }
    if (name.size == 0) {
        fail_at(r, place_of(r, word) + word.size, "a name is missing");
    }
    source->name = kept(r, name);
}

static void parse_track(struct reader *r)
{
    struct piece word = take_word(r, "|");
    if (piece_is(word, "header")) {
        word = take_word(r, "|");
    }
    do {
        word = word.size == 0 ? take_word(r, "|") : word;
        if (word.size == 0) {
            fail_at(r, r->at, "the name of a header is missing");
        } else if (r->rules->track_count == HTTP_SOURCES_MAX) {
            fail_at(r, place_of(r, word), "more than %d places for a tracking id",
                    HTTP_SOURCES_MAX);
        } else {
            parse_source(r, word, true, &r->rules->track[r->rules->track_count++]);
        }
        word = (struct piece){0};
    } while (!r->is_wrong && take_bar(r));
}

/* Sets the usual place in a response of a version that a write sends so, unless the rule names one.
 */
static void tell_usual(struct http_version *v)
{
    v->told = (struct http_source){0};
    if (v->sent.type == SOURCE_BODY) {
        v->told = v->sent;
    } else if (v->sent.type == SOURCE_HEADER && piece_is_like(v->sent.name, "If-Match")) {
        v->told = (struct http_source){.type = SOURCE_HEADER, .name = piece_of("ETag")};
    }
}

static void parse_version(struct reader *r)
{
    do {
        struct piece word = take_word(r, "|");
        if (word.size == 0) {
            fail_at(r, r->at, "where a write has its version is missing (header:If-Match)");
            return;
        }
        if (r->rules->version_count == HTTP_SOURCES_MAX) {
            fail_at(r, place_of(r, word), "more than %d places for a version", HTTP_SOURCES_MAX);
            return;
        }
        struct http_version *v = &r->rules->versions[r->rules->version_count++];
        parse_source(r, word, false, &v->sent);
        tell_usual(v);
        const size_t before = r->at;
        word = take_word(r, "|");
        if (piece_is(word, "from")) {
            word = take_word(r, "|");
            parse_source(r, word, false, &v->told);
        } else {
            r->at = before;
        }
    } while (!r->is_wrong && take_bar(r));
}

static void parse_conflict(struct reader *r)
{
    do {
        const struct piece word = take_word(r, "");
        int status = 0;
        for (size_t i = 0; i < word.size; i++) {
            const char c = word.at[i];
            status = c >= '0' && c <= '9' && status < 1000 ? status * 10 + (c - '0') : 1000;
        }
        if (status < 100 || status > 599) {
            fail_at(r, place_of(r, word), "a status from 100 to 599 is wanted, not %s",
                    shown(word.at, word.size).text);
        } else if (r->rules->conflict_count == HTTP_STATUSES_MAX) {
            fail_at(r, place_of(r, word), "more than %d statuses", HTTP_STATUSES_MAX);
        } else {
            r->rules->conflicts[r->rules->conflict_count++] = status;
        }
    } while (!r->is_wrong && is_more(r));
}

static void fail_pattern(struct reader *r, struct piece text, const struct pattern_fault *fault,
                         const struct pattern *known)
{
    const char *names[PATTERN_NAMES_MAX];
    for (size_t i = 0; known != NULL && i < known->name_count; i++) {
        names[i] = arena_text(&r->rules->arena, known->names[i].at, known->names[i].size);
    }
    const size_t at = place_of(r, text) + fault->at;
    if (fault->name.size > 0) {
        fail_word(r, at, fault->what, fault->name,
                  known == NULL ? NULL : nearest_of(fault->name, names, known->name_count));
    } else {
        fail_at(r, at, "%s", fault->what);
    }
}

/* A method of an extension is accepted, unless it looks like a misspelt verb. */
static bool is_refused(struct piece verb)
{
    return !http_verb_is_known(verb) &&
           (!http_verb_is_method(verb) || nearest_of(verb, http_verbs, http_verb_count) != NULL);
}

static void parse_verbs(struct reader *r, struct http_filter *filter)
{
    do {
        const struct piece word = take_word(r, "|");
        const size_t at = place_of(r, word);
        if (word.size == 0) {
            fail_at(r, at, "a verb of HTTP is missing");
        } else if (is_refused(word)) {
            fail_word(r, at, "no verb of HTTP:", word,
                      nearest_of(word, http_verbs, http_verb_count));
        } else if (filter->verb_count == HTTP_VERBS_MAX) {
            fail_at(r, at, "more than %d verbs", HTTP_VERBS_MAX);
        } else {
            filter->verbs[filter->verb_count++] = kept(r, word);
        }
    } while (!r->is_wrong && take_bar(r));
}

static void parse_filter(struct reader *r, struct http_filter *filter)
{
    parse_verbs(r, filter);
    if (r->is_wrong) {
        return;
    }
    const struct piece text = take_word(r, "");
    struct pattern_fault fault;
    if (text.size == 0) {
        fail_at(r, r->at, "the resource is missing (*/things/{id})");
    } else if (!pattern_parse(&filter->pattern, &r->rules->arena, text, NULL, &fault)) {
        fail_pattern(r, text, &fault, NULL);
    }
}

/* Parses the text behind "res=". */
static void parse_target(struct reader *r, struct piece text, const struct pattern *known,
                         struct http_target *target)
{
    struct pattern_fault fault;
    if (piece_begins(text, "body:") || piece_begins(text, "query:") ||
        piece_begins(text, "header:") || piece_begins(text, "cookie:")) {
        target->type = TARGET_REFERRED;
        parse_source(r, text, false, &target->referred);
        return;
    }
    target->type = TARGET_MADE;
    if (!pattern_parse(&target->made, &r->rules->arena, text, known, &fault)) {
        fail_pattern(r, text, &fault, known);
    }
}

static struct http_rule *add_rule(struct reader *r, enum http_rule_type type)
{
    struct http_rule *rule = arena_new(&r->rules->arena, struct http_rule);
    rule->type = type;
    rule->line = r->number;
    parse_filter(r, &rule->filter);
    vec_push(&r->rules->list, rule);
    return rule;
}

/* Reads an option `name=...` if it is next; false at the end of the line, or with a fault. */
static bool take_option(struct reader *r, const char *const *names, size_t count, size_t *which,
                        struct piece *value)
{
    if (r->is_wrong || !is_more(r)) {
        return false;
    }
    const struct piece word = take_word(r, "");
    const struct piece name = {word.at, piece_until(word, '=')};
    for (*which = 0; *which < count; (*which)++) {
        if (name.size < word.size && piece_is(name, names[*which])) {
            *value = piece_after(word, name.size + 1);
            return true;
        }
    }
    fail_word(r, place_of(r, word), "not known here:", word, nearest_of(name, names, count));
    return false;
}

static void parse_access(struct reader *r, enum http_rule_type type)
{
    static const char *const names[] = {"res"};
    struct http_rule *rule = add_rule(r, type);
    size_t which = 0;
    struct piece value;
    while (take_option(r, names, 1, &which, &value)) {
        parse_target(r, value, &rule->filter.pattern, &rule->target);
    }
}

static void parse_read(struct reader *r)
{
    parse_access(r, RULE_READ);
}

static void parse_write(struct reader *r)
{
    parse_access(r, RULE_WRITE);
}

static void parse_ignore(struct reader *r)
{
    (void)add_rule(r, RULE_IGNORE);
}

static void parse_lock(struct reader *r)
{
    const size_t at = r->at + 1;
    parse_access(r, RULE_LOCK);
    const struct http_rule *rule = *vec_last(&r->rules->list);
    if (!r->is_wrong && rule->filter.verb_count != 2) {
        fail_at(r, at,
                "a lock has two verbs, the one that locks and the one that unlocks "
                "(POST|DELETE)");
    }
}

static void parse_copy(struct reader *r)
{
    static const char *const names[] = {"read", "write"};
    struct http_rule *rule = add_rule(r, RULE_COPY);
    size_t which = 0;
    struct piece value;
    bool has[2] = {false, false};
    while (take_option(r, names, 2, &which, &value)) {
        has[which] = true;
        parse_target(r, value, &rule->filter.pattern, which == 0 ? &rule->source : &rule->target);
    }
    if (!has[0] || !has[1]) {
        fail_at(r, r->at, "%s is missing", has[0] ? "write=" : "read=");
    }
}

static void parse_barrier(struct reader *r)
{
    static const char *const words[] = {"before"};
    struct http_rule *rule = add_rule(r, RULE_BARRIER);
    const struct piece word = r->is_wrong ? (struct piece){0} : take_word(r, "");
    if (!r->is_wrong && !piece_is(word, "before")) {
        fail_word(r, place_of(r, word), "before is wanted, not", word, NEAREST(word, words));
    }
    if (r->is_wrong) {
        return;
    }
    skip_blanks(r);
    const size_t at = r->at;
    parse_filter(r, &rule->later);
    const struct pattern *later = &rule->later.pattern;
    for (size_t i = 0; i < later->name_count && !r->is_wrong; i++) {
        if (pattern_name(&rule->filter.pattern, later->names[i]) < 0) {
            fail_at(r, at, "the name %s is not one of the request before",
                    shown(later->names[i].at, later->names[i].size).text);
        }
    }
}

/* A piece in quotes, or the rest of the line. */
static struct piece take_quoted(struct reader *r)
{
    if (!is_more(r)) {
        return (struct piece){0};
    }
    struct piece rest = piece_after(r->line, r->at);
    const char quote = rest.at[0];
    if (quote != '\'' && quote != '"') {
        r->at = r->line.size;
        return piece_trimmed(rest);
    }
    rest = piece_after(rest, 1);
    const size_t size = piece_until(rest, quote);
    if (size == rest.size) {
        fail_at(r, r->at, "a quote without its end");
        return (struct piece){0};
    }
    r->at += size + 2;
    return (struct piece){rest.at, size};
}

/* The names of fields, for the suggestion after an unknown one. */
struct field_names {
    struct suggest suggest;
    char list[128];
    size_t size;
};

static void add_field(void *context, const char *name)
{
    struct field_names *n = context;
    suggest_try(&n->suggest, name);
    const int size = snprintf(n->list + n->size, sizeof n->list - n->size, "%s%%%s",
                              n->size > 0 ? ", " : "", name);
    n->size += (size_t)size;
    must(n->size < sizeof n->list);
}

static void fail_field(struct reader *r, size_t at, const char *wrong, struct piece word)
{
    char name[32] = "";
    memcpy(name, word.at, word.size < sizeof name ? word.size : sizeof name - 1);
    struct field_names names = {.suggest.wanted = name};
    line_field_words(add_field, &names);
    if (names.suggest.nearest != NULL) {
        fail_at(r, at, "%s: %%%s, did you mean %%%s?", wrong, name, names.suggest.nearest);
    } else {
        fail_at(r, at, "%s: %%%s; there are %s", wrong, name, names.list);
    }
}

static void parse_line_pattern(struct reader *r)
{
    const struct piece text = take_quoted(r);
    struct line_pattern *p = arena_new(&r->rules->arena, struct line_pattern);
    const char *wrong = NULL;
    size_t at = 0;
    struct piece word;
    if (r->is_wrong) {
        return;
    }
    if (line_pattern_parse(p, &r->rules->arena, text, &wrong, &at, &word)) {
        vec_push(&r->rules->lines, p);
        return;
    }
    if (word.size > 0) {
        fail_field(r, place_of(r, text) + at, wrong, word);
    } else {
        fail_at(r, place_of(r, text) + at, "%s", wrong);
    }
}

static const struct {
    const char *word;
    void (*parse)(struct reader *r);
    bool is_replaced; /* a file's line replaces the built-in ones */
} rule_words[] = {
    {"track", parse_track, true},       {"version", parse_version, true},
    {"conflict", parse_conflict, true}, {"lock", parse_lock, true},
    {"read", parse_read, false},        {"write", parse_write, false},
    {"copy", parse_copy, false},        {"ignore", parse_ignore, false},
    {"barrier", parse_barrier, false},  {"line", parse_line_pattern, false},
};

enum { WORD_COUNT = sizeof rule_words / sizeof *rule_words };

static void fail_rule(struct reader *r, struct piece word)
{
    const char *words[WORD_COUNT];
    for (size_t i = 0; i < WORD_COUNT; i++) {
        words[i] = rule_words[i].word;
    }
    fail_word(r, place_of(r, word), "no rule begins with", word,
              nearest_of(word, words, WORD_COUNT));
}

/* Reads one line. `given` has a bit for each keyword of the file's lines. */
static void parse_rule(struct reader *r, uint32_t *given)
{
    if (!is_more(r)) {
        return;
    }
    const struct piece word = take_word(r, "");
    size_t i = 0;
    while (i < WORD_COUNT && !piece_is(word, rule_words[i].word)) {
        i++;
    }
    if (i == WORD_COUNT) {
        fail_rule(r, word);
        return;
    }
    if (r->number == 0 && rule_words[i].is_replaced && (*given >> i & 1) != 0) {
        return;
    }
    *given |= UINT32_C(1) << i;
    rule_words[i].parse(r);
    if (!r->is_wrong && is_more(r)) {
        const struct piece rest = take_word(r, "");
        fail_at(r, place_of(r, rest), "more than the rule needs: %s",
                shown(rest.at, rest.size).text);
    }
    r->rules->written += r->number > 0;
}

/* Reads lines, counted from 1 unless they are the built-in ones. */
static void parse_lines(struct http_rules *rules, struct http_faults *f, struct piece text,
                        uint32_t *given)
{
    const bool is_builtin = text.at == http_rules_builtin;
    for (uint32_t number = 1; text.size > 0; number++) {
        struct reader r = {.rules = rules,
                           .faults = f,
                           .line = {text.at, piece_until(text, '\n')},
                           .number = is_builtin ? 0 : number};
        text = piece_after(text, r.line.size < text.size ? r.line.size + 1 : r.line.size);
        while (r.line.size > 0 && r.line.at[r.line.size - 1] == '\r') {
            r.line.size--;
        }
        parse_rule(&r, given);
    }
}

int http_rules_parse(struct http_rules *r, const char *text, size_t size, struct http_faults *f)
{
    *r = (struct http_rules){0};
    uint32_t given = 0;
    parse_lines(r, f, (struct piece){text, size}, &given);
    parse_lines(r, f, (struct piece){http_rules_builtin, strlen(http_rules_builtin)}, &given);
    must(r->track_count <= HTTP_SOURCES_MAX);
    must(r->version_count <= HTTP_SOURCES_MAX);
    must(f->list.count > 0 || r->list.count > 0);
    return f->list.count == 0 ? 0 : -1;
}
