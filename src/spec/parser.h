/* The parser of a specification: functions to consume its tokens and to report errors. parse.c
 * reads properties and groups, parse_formula.c formulas. Every failure sets e, with line and
 * column. */
#ifndef CLEW_SPEC_PARSER_H
#define CLEW_SPEC_PARSER_H

#include "base/suggest.h"
#include "spec/spec.h"
#include "spec/token.h"

struct parser {
    struct spec *spec;
    const struct token *at; /* the next */
    VEC(uint32_t) binders;  /* nodes whose body is under parsing, outermost first */
    VEC(uint16_t) heights;  /* of the tree below each node */
    unsigned depth;         /* of the recursion */
    struct err *e;
};

/* Skips the word or sign, if it is next. */
bool parser_skip_word(struct parser *p, const char *word);
bool parser_skip_sign(struct parser *p, const char *sign);

/* The same where nothing else may follow. */
MUST_USE int parser_expect(struct parser *p, const char *sign);

/* Takes a name, which is no keyword unless it is quoted; `wanted` describes it in errors. */
MUST_USE int parser_take_name(struct parser *p, const char *wanted, uint32_t *name);

/* "WANTED was expected, not ..."; always -1. */
int parser_refuse(struct parser *p, const char *wanted);

/* "there is no KIND "wrd" (did you mean word?)"; the caller has tried the words. Always -1. */
int parser_refuse_unknown(struct parser *p, const struct token *t, const char *what,
                          const struct suggest *nearest);

/* Reads a formula that is true or false. */
MUST_USE int parser_take_formula(struct parser *p, uint32_t *root);

#endif
