#include "spec/token.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limit.h"
#include "base/quoted_text.h"
#include "trace/quoted_word.h"

enum { SPEC_SIZE_MAX = 1 << 20 };

const char *const token_keywords[] = {
    "never",    "possibly", "always",     "and",   "or",    "implies", "not",
    "next",     "until",    "eventually", "leads", "to",    "once",    "since",
    "forall",   "exists",   "in",         "count", "sum",   "now",     "steps",
    "messages", "severity", "group",      "true",  "false", NULL,
};

/* Longer ones before their beginnings. */
static const char *const signs[] = {
    "<=", ">=", "!=", "==", "<", ">", "=", "+", "-", "*", "(", ")", "[", "]", ".", ",", ":", NULL,
};

struct lexer {
    struct tokens *tokens;
    const char *at, *end;
    const char *line_begin;
    uint32_t line;
    struct words words; /* consumes quoted text */
    struct err *e;
};

int token_refuse(const struct token *t, struct err *e, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return err_set(e, "line %u, column %u: %s", t->line, t->column, text);
}

bool token_is_keyword(const char *text)
{
    for (size_t i = 0; token_keywords[i] != NULL; i++) {
        if (strcmp(token_keywords[i], text) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool token_is_bare(const char *text)
{
    if (!is_letter(*text) || token_is_keyword(text)) {
        return false;
    }
    while (is_letter(*text) || is_digit(*text)) {
        text++;
    }
    return *text == '\0';
}

/* Skips blanks, line ends and comments. */
static void skip_blanks(struct lexer *x)
{
    for (; x->at < x->end; x->at++) {
        if (*x->at == '#') {
            const char *line_end = memchr(x->at, '\n', (size_t)(x->end - x->at));
            x->at = line_end == NULL ? x->end : line_end;
        }
        if (x->at == x->end || strchr(" \t\r\n", *x->at) == NULL || *x->at == '\0') {
            return;
        }
        if (*x->at == '\n') {
            x->line++;
            x->line_begin = x->at + 1;
        }
    }
}

static int take_word(struct lexer *x, struct token *t)
{
    const char *from = x->at;
    while (x->at < x->end && (is_letter(*x->at) || is_digit(*x->at))) {
        x->at++;
    }
    t->kind = TOKEN_NAME;
    t->size = (size_t)(x->at - from);
    t->text = arena_text(&x->tokens->arena, from, t->size);
    return 0;
}

static int take_quoted(struct lexer *x, struct token *t)
{
    const char *line_end = memchr(x->at, '\n', (size_t)(x->end - x->at));
    struct word word;
    x->words.at = x->at;
    x->words.end = line_end == NULL ? x->end : line_end;
    if (!words_take(&x->words, &word)) {
        t->column += (uint32_t)(x->words.at - x->at);
        return token_refuse(t, x->e, "%s", x->words.wrong);
    }
    if (word.size == 0 || memchr(word.text, '\0', word.size) != NULL) {
        return token_refuse(t, x->e, "a name has at least one letter, and no zero byte");
    }
    x->at = x->words.at;
    t->kind = TOKEN_NAME;
    t->is_quoted = true;
    t->size = word.size;
    t->text = arena_text(&x->tokens->arena, word.text, word.size);
    return 0;
}

/* Turns the number into a duration: letters follow it directly. */
static int take_unit(struct lexer *x, struct token *t)
{
    struct token unit = {0};
    (void)take_word(x, &unit);
    for (const struct time_unit *known = limit_time_units; known->name != NULL; known++) {
        if (strcmp(known->name, unit.text) == 0) {
            t->kind = TOKEN_DURATION;
            return __builtin_mul_overflow(t->number, known->ns, &t->number) || t->number > INT64_MAX
                       ? token_refuse(t, x->e, "the duration is out of range (at most 292 years)")
                       : 0;
        }
    }
    return token_refuse(t, x->e, "there is no unit %s (there are ns us ms s m h d)",
                        shown(unit.text, unit.size).text);
}

static int take_number(struct lexer *x, struct token *t)
{
    t->kind = TOKEN_NUMBER;
    const char *from = x->at;
    for (; x->at < x->end && is_digit(*x->at); x->at++) {
        if (__builtin_mul_overflow(t->number, 10u, &t->number) ||
            __builtin_add_overflow(t->number, (uint64_t)(*x->at - '0'), &t->number)) {
            return token_refuse(t, x->e, "the number is out of range");
        }
    }
    t->size = (size_t)(x->at - from);
    t->text = arena_text(&x->tokens->arena, from, t->size);
    return x->at < x->end && is_letter(*x->at) ? take_unit(x, t) : 0;
}

static int take_sign(struct lexer *x, struct token *t)
{
    for (size_t i = 0; signs[i] != NULL; i++) {
        const size_t size = strlen(signs[i]);
        if (size <= (size_t)(x->end - x->at) && memcmp(signs[i], x->at, size) == 0) {
            t->kind = TOKEN_SIGN;
            t->text = signs[i];
            t->size = size;
            x->at += size;
            return 0;
        }
    }
    return token_refuse(t, x->e, "%s means nothing here (odd names go in quotes)",
                        shown(x->at, 1).text);
}

static int take_token(struct lexer *x)
{
    struct token t = {.kind = TOKEN_END,
                      .text = "",
                      .line = x->line,
                      .column = (uint32_t)(x->at - x->line_begin) + 1};
    int result = 0;
    if (x->at < x->end) {
        result = is_letter(*x->at)  ? take_word(x, &t)
                 : is_digit(*x->at) ? take_number(x, &t)
                 : *x->at == '"'    ? take_quoted(x, &t)
                                    : take_sign(x, &t);
    }
    vec_push(&x->tokens->list, t);
    return result;
}

int tokens_read(struct tokens *t, struct in *in, struct err *e)
{
    const ssize_t size = in_fill(in, SPEC_SIZE_MAX + 1, e);
    if (size < 0) {
        return -1;
    }
    if (size > SPEC_SIZE_MAX) {
        return err_set(e, "a specification has at most a mebibyte");
    }
    struct lexer x = {
        .tokens = t, .at = in->at, .end = in->at + size, .line_begin = in->at, .line = 1, .e = e};
    int result = 0;
    do {
        skip_blanks(&x);
        result = take_token(&x);
    } while (result == 0 && vec_last(&t->list)->kind != TOKEN_END);
    words_release(&x.words);
    return result;
}

void tokens_release(struct tokens *t)
{
    vec_release(&t->list);
    arena_release(&t->arena);
}

bool token_is_word(const struct token *t, const char *word)
{
    return t->kind == TOKEN_NAME && !t->is_quoted && strcmp(t->text, word) == 0;
}

bool token_is_sign(const struct token *t, const char *sign)
{
    return t->kind == TOKEN_SIGN && strcmp(t->text, sign) == 0;
}
