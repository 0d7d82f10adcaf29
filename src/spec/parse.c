#include "spec/spec.h"

#include <string.h>

#include "base/quoted_text.h"
#include "spec/parser.h"

static int take_claim(struct parser *p, enum spec_claim *claim)
{
    struct suggest nearest = {.wanted = p->at->text};
    for (enum spec_claim c = SPEC_CLAIM_NEVER; c <= SPEC_CLAIM_ALWAYS; c++) {
        if (parser_skip_word(p, spec_claim_word(c))) {
            *claim = c;
            return 0;
        }
        suggest_try(&nearest, spec_claim_word(c));
    }
    return p->at->kind == TOKEN_NAME && nearest.nearest != NULL
               ? parser_refuse_unknown(p, p->at, "claim", &nearest)
               : parser_refuse(p, "never, possibly or always");
}

static int take_severity(struct parser *p, enum spec_severity *severity)
{
    struct suggest nearest = {.wanted = p->at->text};
    for (enum spec_severity s = SPEC_ERROR; s <= SPEC_NOTE; s++) {
        if (parser_skip_word(p, spec_severity_word(s))) {
            *severity = s;
            return 0;
        }
        suggest_try(&nearest, spec_severity_word(s));
    }
    return p->at->kind == TOKEN_NAME && nearest.nearest != NULL
               ? parser_refuse_unknown(p, p->at, "severity", &nearest)
               : parser_refuse(p, "error, warning or note");
}

static int parse_property(struct parser *p)
{
    const struct token *t = p->at;
    struct spec_property property = {.line = t->line, .column = t->column};
    if (parser_take_name(p, "a property (NAME: ...) or group", &property.name) < 0) {
        return -1;
    }
    vec_each (&p->spec->properties, other) {
        if (other->name == property.name) {
            return token_refuse(t, p->e, "there is a property %s already, in line %u",
                                shown(t->text, t->size).text, other->line);
        }
    }
    if (parser_expect(p, ":") < 0 || take_claim(p, &property.claim) < 0 ||
        parser_take_formula(p, &property.root) < 0 ||
        (parser_skip_word(p, "severity") && take_severity(p, &property.severity) < 0)) {
        return -1;
    }
    vec_push(&p->spec->properties, property);
    return 0;
}

/* NAME or NAME* */
static int take_member(struct parser *p, uint32_t *member)
{
    const struct token *t = p->at;
    if (parser_take_name(p, "a process", member) < 0) {
        return -1;
    }
    if (!t->is_quoted && parser_skip_sign(p, "*")) {
        struct arena scratch = {0};
        char *pattern = arena_take(&scratch, t->size + 2, 1);
        memcpy(pattern, t->text, t->size);
        pattern[t->size] = '*';
        *member = names_intern(&p->spec->names, pattern, t->size + 1);
        arena_release(&scratch);
    }
    return 0;
}

static int parse_group(struct parser *p)
{
    const struct token *t = p->at;
    uint32_t name = 0;
    if (parser_take_name(p, "the name of the group", &name) < 0) {
        return -1;
    }
    vec_each (&p->spec->groups, other) {
        if (other->name == name) {
            return token_refuse(t, p->e, "there is a group %s already, in line %u",
                                shown(t->text, t->size).text, other->line);
        }
    }
    vec_push(&p->spec->groups,
             (struct spec_group){.name = name, .line = t->line, .column = t->column});
    if (parser_expect(p, ":") < 0) {
        return -1;
    }
    do {
        uint32_t member = 0;
        if (take_member(p, &member) < 0) {
            return -1;
        }
        vec_push(&vec_last(&p->spec->groups)->members, member);
    } while (parser_skip_sign(p, ","));
    return 0;
}

/* Behind a whole property only the next one may follow. */
static int check_next(struct parser *p)
{
    const bool is_next = p->at->kind == TOKEN_END || token_is_word(p->at, "group") ||
                         (p->at->kind == TOKEN_NAME && token_is_sign(&p->at[1], ":"));
    if (is_next) {
        return 0;
    }
    static const char *const words[] = {"and",   "or",    "implies", "until",
                                        "since", "leads", "severity"};
    struct suggest nearest = {.wanted = p->at->text};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        suggest_try(&nearest, words[i]);
    }
    return p->at->kind == TOKEN_NAME && nearest.nearest != NULL
               ? parser_refuse_unknown(p, p->at, "operator", &nearest)
               : parser_refuse(p, "an operator (and, or ...), or the next property (NAME: ...)");
}

static int parse_all(struct parser *p)
{
    while (p->at->kind != TOKEN_END) {
        const int result = parser_skip_word(p, "group") ? parse_group(p) : parse_property(p);
        if (result < 0 || check_next(p) < 0) {
            return -1;
        }
    }
    return p->spec->properties.count > 0 ? 0 : token_refuse(p->at, p->e, "there is no property");
}

int spec_parse(struct spec *s, struct in *in, struct err *e)
{
    struct tokens tokens = {0};
    struct parser p = {.spec = s, .e = e};
    int result = tokens_read(&tokens, in, e);
    if (result == 0) {
        p.at = tokens.list.at;
        result = parse_all(&p);
    }
    tokens_release(&tokens);
    vec_release(&p.binders);
    vec_release(&p.heights);
    return result;
}
