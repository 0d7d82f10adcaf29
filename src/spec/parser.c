#include "spec/parser.h"

#include <string.h>

#include "base/quoted_text.h"

bool parser_skip_word(struct parser *p, const char *word)
{
    const bool is_there = token_is_word(p->at, word);
    p->at += is_there;
    return is_there;
}

bool parser_skip_sign(struct parser *p, const char *sign)
{
    const bool is_there = token_is_sign(p->at, sign);
    p->at += is_there;
    return is_there;
}

int parser_refuse(struct parser *p, const char *wanted)
{
    if (p->at->kind == TOKEN_END) {
        return token_refuse(p->at, p->e, "%s was expected, but the text ends", wanted);
    }
    return token_refuse(p->at, p->e, "%s was expected, not %s", wanted,
                        shown(p->at->text, p->at->size).text);
}

int parser_expect(struct parser *p, const char *sign)
{
    char wanted[8] = "\"";
    (void)strncat(wanted, sign, 4);
    (void)strncat(wanted, "\"", 2);
    return parser_skip_sign(p, sign) ? 0 : parser_refuse(p, wanted);
}

int parser_refuse_unknown(struct parser *p, const struct token *t, const char *what,
                          const struct suggest *nearest)
{
    const struct shown name = shown(t->text, t->size);
    if (nearest->nearest == NULL) {
        return token_refuse(t, p->e, "there is no %s %s", what, name.text);
    }
    return token_refuse(t, p->e, "there is no %s %s (did you mean %s?)", what, name.text,
                        nearest->nearest);
}

int parser_take_name(struct parser *p, const char *wanted, uint32_t *name)
{
    const struct token *t = p->at;
    if (t->kind != TOKEN_NAME) {
        return parser_refuse(p, wanted);
    }
    if (!t->is_quoted && token_is_keyword(t->text)) {
        return token_refuse(t, p->e, "%s was expected; \"%s\" as a name goes in quotes", wanted,
                            t->text);
    }
    *name = names_intern(&p->spec->names, t->text, t->size);
    p->at++;
    return 0;
}
