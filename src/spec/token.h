/* Tokens of a specification. */
#ifndef CLEW_SPEC_TOKEN_H
#define CLEW_SPEC_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/in.h"
#include "base/vec.h"

enum token_kind {
    TOKEN_NAME,     /* a word of letters, digits and _, or anything in quotes */
    TOKEN_NUMBER,   /* digits */
    TOKEN_DURATION, /* digits and a unit: number is in ns */
    TOKEN_SIGN,     /* punctuation: text is one of its spellings */
    TOKEN_END,
};

struct token {
    enum token_kind kind;
    bool is_quoted;
    const char *text; /* ends in a 0 byte */
    size_t size;
    uint64_t number;
    uint32_t line, column;
};

/* {0} is empty. */
struct tokens {
    VEC(struct token) list; /* the last is TOKEN_END */
    struct arena arena;
};

/* Reads all of the input. Fails (-1, e set with line and column) on characters that begin no token,
 * open quotes, numbers out of range, unknown units and inputs of more than a mebibyte. */
MUST_USE int tokens_read(struct tokens *t, struct in *in, struct err *e);
void tokens_release(struct tokens *t);

/* Sets "line 3, column 14: MESSAGE"; always -1. */
int token_refuse(const struct token *t, struct err *e, const char *format, ...) PRINTF_LIKE(3, 4);

/* Whether a name can stand without quotes: made of letters, digits and _, and no keyword. */
bool token_is_bare(const char *text);

/* Whether it is this word, not in quotes; this sign. */
bool token_is_word(const struct token *t, const char *word);
bool token_is_sign(const struct token *t, const char *sign);

/* Whether the word is a keyword of the language. */
bool token_is_keyword(const char *text);

/* The keywords, ended by NULL. */
extern const char *const token_keywords[];

#endif
