#include "solve/smtlib.h"

#include <string.h>

#include "base/quoted_text.h"

/* --- the end of a reply --- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_delimiter(char c)
{
    return is_blank(c) || c == '(' || c == ')' || c == '"' || c == '|' || c == ';' || c == '\0';
}

/* Scans one byte; true when the reply ended before it (an atom) or with it. */
static bool scan_byte(struct smtlib_scan *scan, char c)
{
    if (scan->quote != 0) {
        const bool is_comment = scan->quote == ';';
        const bool is_closed = c == (is_comment ? '\n' : scan->quote);
        scan->quote = is_closed ? 0 : scan->quote;
        scan->seen++;
        return is_closed && !is_comment && scan->depth == 0;
    }
    if (scan->has_word && is_delimiter(c)) {
        return true;
    }
    scan->seen++;
    switch (c) {
    case '"':
    case '|':
    case ';': scan->quote = c; return false;
    case '(': scan->depth++; return false;
    case ')': scan->depth -= scan->depth > 0; return scan->depth == 0;
    default: scan->has_word = scan->depth == 0 && !is_delimiter(c); return false;
    }
}

bool smtlib_scan(struct smtlib_scan *scan, const char *bytes, size_t size)
{
    while (scan->seen < size) {
        if (scan_byte(scan, bytes[scan->seen])) {
            return true;
        }
    }
    return false;
}

/* --- tokens --- */

enum token_kind { TOKEN_END, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_WORD, TOKEN_STRING, TOKEN_BAD };

struct token {
    enum token_kind kind;
    const char *text; /* of a word without its bars, of a string without its quotes */
    size_t size;
};

struct reader {
    const char *at;
    const char *end;
    struct token token; /* the current token */
};

static void skip_blanks(struct reader *r)
{
    while (r->at < r->end && (is_blank(*r->at) || *r->at == ';')) {
        const char *line_end =
            *r->at == ';' ? memchr(r->at, '\n', (size_t)(r->end - r->at)) : r->at;
        r->at = line_end == NULL ? r->end : line_end + 1;
    }
}

static struct token quoted(struct reader *r, enum token_kind kind)
{
    const char *first = r->at + 1;
    const char *closer = memchr(first, *r->at, (size_t)(r->end - first));
    if (closer == NULL) {
        r->at = r->end;
        return (struct token){.kind = TOKEN_BAD};
    }
    r->at = closer + 1;
    return (struct token){.kind = kind, .text = first, .size = (size_t)(closer - first)};
}

/* Advances to the next token. */
static void next(struct reader *r)
{
    skip_blanks(r);
    if (r->at == r->end) {
        r->token = (struct token){.kind = TOKEN_END};
        return;
    }
    switch (*r->at) {
    case '(':
    case ')':
        r->token = (struct token){
            .kind = *r->at == '(' ? TOKEN_OPEN : TOKEN_CLOSE, .text = r->at, .size = 1};
        r->at++;
        return;
    case '"': r->token = quoted(r, TOKEN_STRING); return;
    case '|': r->token = quoted(r, TOKEN_WORD); return;
    case '\0':
        r->token = (struct token){.kind = TOKEN_BAD};
        r->at++;
        return;
    default: break;
    }
    const char *first = r->at;
    while (r->at < r->end && !is_delimiter(*r->at)) {
        r->at++;
    }
    r->token = (struct token){.kind = TOKEN_WORD, .text = first, .size = (size_t)(r->at - first)};
}

static bool word_is(const struct reader *r, const char *text)
{
    return r->token.kind == TOKEN_WORD && r->token.size == strlen(text) &&
           memcmp(r->token.text, text, r->token.size) == 0;
}

static bool take(struct reader *r, enum token_kind kind)
{
    if (r->token.kind != kind) {
        return false;
    }
    next(r);
    return true;
}

/* --- values --- */

static bool parse_digits(const char *text, size_t size, uint64_t *number)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        const uint64_t digit = (uint64_t)(text[i] - '0');
        if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, digit, &value)) {
            return false;
        }
    }
    *number = value;
    return size > 0;
}

static bool signed_of(uint64_t size, bool is_negative, int64_t *value)
{
    if (size > (uint64_t)INT64_MAX + is_negative) {
        return false;
    }
    *value = is_negative ? -(int64_t)(size - 1) - 1 : (int64_t)size;
    *value = size == 0 ? 0 : *value;
    return true;
}

/* A numeral, "(- numeral)", or the "-numeral" that some solvers print. */
static bool parse_value(struct reader *r, int64_t *value)
{
    const bool is_list = take(r, TOKEN_OPEN);
    bool is_negative = false;
    if (is_list) {
        if (!word_is(r, "-")) {
            return false;
        }
        is_negative = true;
        next(r);
    }
    struct token digits = r->token;
    if (digits.kind != TOKEN_WORD) {
        return false;
    }
    if (!is_list && digits.size > 1 && digits.text[0] == '-') {
        is_negative = true;
        digits.text++;
        digits.size--;
    }
    uint64_t size = 0;
    if (!parse_digits(digits.text, digits.size, &size) || !signed_of(size, is_negative, value)) {
        return false;
    }
    next(r);
    return !is_list || take(r, TOKEN_CLOSE);
}

/* Skips one atom or list of any depth. */
static bool skip_one(struct reader *r)
{
    size_t depth = 0;
    do {
        switch (r->token.kind) {
        case TOKEN_OPEN: depth++; break;
        case TOKEN_CLOSE:
            if (depth == 0) {
                return false;
            }
            depth--;
            break;
        case TOKEN_WORD:
        case TOKEN_STRING: break;
        case TOKEN_END:
        case TOKEN_BAD: return false;
        }
        next(r);
    } while (depth > 0);
    return true;
}

static bool skip(struct reader *r, int count)
{
    while (count > 0 && skip_one(r)) {
        count--;
    }
    return count == 0;
}

/* The number of the variable that the word names; false when it is no variable of the problem. */
static bool is_variable(struct token word, uint32_t *variable)
{
    uint64_t number = 0;
    if (word.size < 2 || word.text[0] != 'x' || (word.size > 2 && word.text[1] == '0') ||
        !parse_digits(word.text + 1, word.size - 1, &number) || number >= UINT32_MAX) {
        return false;
    }
    *variable = (uint32_t)number;
    return true;
}

static bool parse_named_value(struct reader *r, const struct smtlib_reply *reply, bool has_sort)
{
    const struct token name = r->token;
    uint32_t variable = 0;
    const bool is_ours =
        name.kind == TOKEN_WORD && is_variable(name, &variable) && variable < reply->value_count;
    if (!is_ours) {
        return skip(r, has_sort ? 4 : 2);
    }
    next(r);
    if (has_sort && !(take(r, TOKEN_OPEN) && take(r, TOKEN_CLOSE) && skip(r, 1))) {
        return false;
    }
    return parse_value(r, &reply->values[variable]);
}

/* "(x0 5)" of get-value or "(define-fun x0 () Int 5)" of get-model. */
static bool parse_entry(struct reader *r, const struct smtlib_reply *reply)
{
    if (!take(r, TOKEN_OPEN)) {
        return false;
    }
    const bool is_definition = word_is(r, "define-fun");
    if (is_definition) {
        next(r);
    }
    return parse_named_value(r, reply, is_definition) && take(r, TOKEN_CLOSE);
}

static bool parse_entries(struct reader *r, const struct smtlib_reply *reply)
{
    while (r->token.kind == TOKEN_OPEN) {
        if (!parse_entry(r, reply)) {
            return false;
        }
    }
    return take(r, TOKEN_CLOSE) && r->token.kind == TOKEN_END;
}

int smtlib_parse_reply(const char *bytes, size_t size, struct smtlib_reply *reply, struct err *e)
{
    struct reader r = {.at = bytes, .end = bytes + size};
    next(&r);
    const char *words[] = {
        [SMTLIB_SAT] = "sat", [SMTLIB_UNSAT] = "unsat", [SMTLIB_UNKNOWN] = "unknown"};
    for (int kind = SMTLIB_SAT; kind <= SMTLIB_UNKNOWN; kind++) {
        if (word_is(&r, words[kind])) {
            next(&r);
            reply->kind = (enum smtlib_reply_kind)kind;
            return r.token.kind == TOKEN_END
                       ? 0
                       : err_set(e, "more than one word in %s", shown(bytes, size).text);
        }
    }
    reply->kind = SMTLIB_VALUES;
    if (take(&r, TOKEN_OPEN)) {
        if (word_is(&r, "error")) {
            next(&r);
            const int size_shown = r.token.size < 300 ? (int)r.token.size : 300;
            (void)err_set(e, "the solver says: %.*s", size_shown,
                          r.token.text == NULL ? "" : r.token.text);
            shown_clean(e->text);
            return -1;
        }
        if (word_is(&r, "model")) {
            next(&r);
        }
        if (parse_entries(&r, reply)) {
            return 0;
        }
    }
    return err_set(e, "not an answer of SMT-LIB: %s", shown(bytes, size).text);
}
