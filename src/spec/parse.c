#include "spec/spec.h"

#include <string.h>

#include "base/shown.h"
#include "base/suggest.h"
#include "spec/token.h"

/* Recursive descent, one function per strength of binding:
 *
 *     formula  implied [leads to [<= DUR] formula]
 *     implied  either [implies implied]
 *     either   both {or both}
 *     both     spanned {and spanned}
 *     spanned  prefixed [(until | since) spanned]
 *     prefixed (not | next | eventually | always | once) prefixed | (forall | exists) NAME .
 * formula | compared compared total [RELATION total] total    product {(+ | -) product} product INT
 * * product | atom
 *
 * Whether something is a truth or a number is known of each node, so that parentheses need no
 * guess. */

enum { DEPTH_MAX = 500 };

struct parser {
    struct spec *spec;
    const struct token *at; /* the next */
    VEC(uint32_t) binders;  /* nodes whose body is being read, outermost first */
    VEC(uint16_t) heights;  /* of the tree below each node */
    unsigned depth;         /* of the reading itself */
    struct err *e;
};

static int parse_formula(struct parser *p, uint32_t *node);
static int parse_prefixed(struct parser *p, uint32_t *node);
static int parse_product(struct parser *p, uint32_t *node);

/* Tokens */

static bool is_word(const struct token *t, const char *word)
{
    return t->kind == TOKEN_NAME && !t->is_quoted && strcmp(t->text, word) == 0;
}

static bool is_sign(const struct token *t, const char *sign)
{
    return t->kind == TOKEN_SIGN && strcmp(t->text, sign) == 0;
}

static bool skip_word(struct parser *p, const char *word)
{
    const bool is_there = is_word(p->at, word);
    p->at += is_there;
    return is_there;
}

static bool skip_sign(struct parser *p, const char *sign)
{
    const bool is_there = is_sign(p->at, sign);
    p->at += is_there;
    return is_there;
}

static int refuse_token(struct parser *p, const char *wanted)
{
    if (p->at->kind == TOKEN_END) {
        return token_refuse(p->at, p->e, "%s was expected, but the text ends", wanted);
    }
    return token_refuse(p->at, p->e, "%s was expected, not %s", wanted,
                        shown(p->at->text, p->at->size).text);
}

static int expect_sign(struct parser *p, const char *sign)
{
    char wanted[8] = "\"";
    (void)strncat(wanted, sign, 4);
    (void)strncat(wanted, "\"", 2);
    return skip_sign(p, sign) ? 0 : refuse_token(p, wanted);
}

/* "there is no WHAT "wrd" (did you mean "word"?)"; the words come one by one from the caller. */
static int refuse_unknown(struct parser *p, const struct token *t, const char *what,
                          const struct suggest *nearest)
{
    const struct shown name = shown(t->text, t->size);
    if (nearest->nearest == NULL) {
        return token_refuse(t, p->e, "there is no %s %s", what, name.text);
    }
    return token_refuse(t, p->e, "there is no %s %s (did you mean %s?)", what, name.text,
                        nearest->nearest);
}

static int take_name(struct parser *p, const char *wanted, uint32_t *name)
{
    const struct token *t = p->at;
    if (t->kind != TOKEN_NAME) {
        return refuse_token(p, wanted);
    }
    if (!t->is_quoted && token_is_keyword(t->text)) {
        return token_refuse(t, p->e, "%s was expected; \"%s\" as a name goes in quotes", wanted,
                            t->text);
    }
    *name = names_intern(&p->spec->names, t->text, t->size);
    p->at++;
    return 0;
}

/* Nodes */

static unsigned height_of(const struct parser *p, uint32_t node)
{
    return node == SPEC_NONE ? 0 : *vec_at(&p->heights, node);
}

static bool is_temporal(const struct parser *p, uint32_t node)
{
    return node != SPEC_NONE && spec_at(p->spec, node)->is_temporal;
}

/* Fills in what follows from the node's children, which must be there. */
static int settle(struct parser *p, uint32_t node)
{
    struct spec_node *n = vec_at(&p->spec->nodes, node);
    n->is_temporal = (n->op >= SPEC_NEXT && n->op <= SPEC_SINCE) || is_temporal(p, n->left) ||
                     is_temporal(p, n->right);
    const unsigned left = height_of(p, n->left);
    const unsigned right = height_of(p, n->right);
    const unsigned height = 1 + (left > right ? left : right);
    *vec_at(&p->heights, node) = (uint16_t)height;
    const struct token place = {.line = n->line, .column = n->column};
    return height <= DEPTH_MAX
               ? 0
               : token_refuse(&place, p->e, "more than %d levels deep: make it several properties",
                              DEPTH_MAX);
}

static int add(struct parser *p, const struct token *t, struct spec_node n, uint32_t *node)
{
    n.line = t->line;
    n.column = t->column;
    *node = (uint32_t)p->spec->nodes.count;
    vec_push(&p->spec->nodes, n);
    vec_push(&p->heights, 0);
    return settle(p, *node);
}

static int want(struct parser *p, uint32_t node, bool is_number)
{
    const struct spec_node *n = spec_at(p->spec, node);
    if (spec_is_number(n) == is_number) {
        return 0;
    }
    const struct token place = {.line = n->line, .column = n->column};
    return token_refuse(&place, p->e, "%s",
                        is_number
                            ? "this is true or false, where a number is wanted"
                            : "this is a number, where a truth is wanted: compare it (= != < <= "
                              "> >=)");
}

static int want_truths(struct parser *p, uint32_t left, uint32_t right)
{
    return want(p, left, false) < 0 ? -1 : want(p, right, false);
}

/* Processes */

static struct spec_process process_of(struct parser *p, const struct token *t)
{
    struct spec_process process = {.name = names_intern(&p->spec->names, t->text, t->size),
                                   .binder = SPEC_NONE};
    vec_each (&p->binders, binder) {
        if (spec_at(p->spec, *binder)->process.name == process.name) {
            process.binder = *binder;
        }
    }
    return process;
}

static int take_process(struct parser *p, struct spec_process *process)
{
    const struct token *t = p->at;
    uint32_t name = 0;
    if (take_name(p, "a process", &name) < 0) {
        return -1;
    }
    *process = process_of(p, t);
    return 0;
}

static int take_group(struct parser *p, uint32_t *group)
{
    const struct token *t = p->at;
    struct suggest nearest = {.wanted = t->text};
    if (take_name(p, "a group", group) < 0) {
        return -1;
    }
    vec_each (&p->spec->groups, known) {
        if (known->name == *group) {
            return 0;
        }
        suggest_try(&nearest, names_text(&p->spec->names, known->name));
    }
    return refuse_unknown(p, t, "group", &nearest);
}

/* NAME [in GROUP], whom the node binds, then `separator`. */
static int take_binding(struct parser *p, uint32_t node, const char *separator)
{
    const struct token *t = p->at;
    struct spec_process process = {.binder = SPEC_NONE};
    if (take_process(p, &process) < 0) {
        return -1;
    }
    if (process.binder != SPEC_NONE) {
        return token_refuse(t, p->e, "%s is bound already: choose another name",
                            shown(t->text, t->size).text);
    }
    uint32_t group = 0;
    if (skip_word(p, "in") && take_group(p, &group) < 0) {
        return -1;
    }
    struct spec_node *n = vec_at(&p->spec->nodes, node);
    n->process = process;
    n->group = group;
    vec_push(&p->binders, node);
    return expect_sign(p, separator);
}

/* Reads the rest of a node that binds a process; the next token is the one behind its word. */
static int parse_bound(struct parser *p, enum spec_op op, uint32_t *node)
{
    const bool is_call = op == SPEC_COUNT || op == SPEC_SUM;
    const struct token *t = p->at - 1;
    uint32_t body = SPEC_NONE;
    if (is_call && expect_sign(p, "(") < 0) {
        return -1;
    }
    if (add(p, t, (struct spec_node){.op = (uint8_t)op, .left = SPEC_NONE, .right = SPEC_NONE},
            node) < 0 ||
        take_binding(p, *node, is_call ? ":" : ".") < 0 || parse_formula(p, &body) < 0 ||
        want(p, body, op == SPEC_SUM) < 0 || (is_call && expect_sign(p, ")") < 0)) {
        return -1;
    }
    (void)vec_pop(&p->binders);
    if (is_call && is_temporal(p, body)) {
        return token_refuse(t, p->e, "what is counted or summed must be about one moment");
    }
    vec_at(&p->spec->nodes, *node)->left = body;
    return settle(p, *node);
}

/* Numbers and atoms */

static int take_integer(struct parser *p, bool is_negative, int64_t *number)
{
    const struct token *t = p->at++;
    if (t->number > (uint64_t)INT64_MAX + (is_negative ? 1 : 0)) {
        return token_refuse(t, p->e, "the number is out of range");
    }
    *number = (int64_t)(is_negative ? -t->number : t->number);
    return 0;
}

static bool is_number_token(const struct token *t)
{
    return t->kind == TOKEN_NUMBER || t->kind == TOKEN_DURATION;
}

/* INT or INT * product, behind a minus if is_negative. */
static int parse_number(struct parser *p, bool is_negative, uint32_t *node)
{
    const struct token *t = p->at;
    struct spec_node n = {.op = SPEC_NUMBER, .left = SPEC_NONE, .right = SPEC_NONE};
    if (take_integer(p, is_negative, &n.number) < 0) {
        return -1;
    }
    if (skip_sign(p, "*")) {
        n.op = SPEC_TIMES;
        if (parse_product(p, &n.left) < 0 || want(p, n.left, true) < 0) {
            return -1;
        }
    }
    return add(p, t, n, node);
}

static int parse_messages(struct parser *p, uint32_t *node)
{
    const struct token *t = p->at - 1;
    struct spec_node n = {.op = SPEC_MESSAGES, .left = SPEC_NONE, .right = SPEC_NONE};
    if (expect_sign(p, "(") < 0 || take_process(p, &n.process) < 0 || expect_sign(p, ",") < 0 ||
        take_process(p, &n.other) < 0 || expect_sign(p, ")") < 0) {
        return -1;
    }
    return add(p, t, n, node);
}

/* A name that is neither followed by a variable nor compared with another process. */
static int refuse_lonely(struct parser *p, const struct token *t)
{
    struct suggest nearest = {.wanted = t->text};
    for (size_t i = 0; token_keywords[i] != NULL; i++) {
        suggest_try(&nearest, token_keywords[i]);
    }
    if (nearest.nearest != NULL && !t->is_quoted) {
        return token_refuse(t, p->e, "%s means nothing here (did you mean %s?)",
                            shown(t->text, t->size).text, nearest.nearest);
    }
    return token_refuse(t, p->e, "%s alone is a process: its variables are written PROCESS.NAME",
                        shown(t->text, t->size).text);
}

/* PROCESS.NAME, or PROCESS = PROCESS. */
static int parse_process(struct parser *p, uint32_t *node)
{
    const struct token *t = p->at;
    struct spec_node n = {.left = SPEC_NONE, .right = SPEC_NONE};
    if (take_process(p, &n.process) < 0) {
        return -1;
    }
    if (skip_sign(p, ".")) {
        if (p->at->kind != TOKEN_NAME) {
            return refuse_token(p, "the name of a variable");
        }
        n.op = SPEC_VARIABLE;
        n.variable = names_intern(&p->spec->names, p->at->text, p->at->size);
        p->at++;
        return add(p, t, n, node);
    }
    const bool is_equal = is_sign(p->at, "=") || is_sign(p->at, "==");
    const bool is_bare =
        p->at[0].kind != TOKEN_END && p->at[1].kind == TOKEN_NAME && !is_sign(&p->at[2], ".");
    if (!is_bare || (!is_equal && !is_sign(p->at, "!="))) {
        return refuse_lonely(p, t);
    }
    p->at++;
    n.op = SPEC_SAME;
    n.relation = is_equal ? SPEC_EQ : SPEC_NE;
    return take_process(p, &n.other) < 0 ? -1 : add(p, t, n, node);
}

/* Words that are a whole atom. */
static const struct {
    const char *word;
    enum spec_op op;
} constants[] = {
    {"true", SPEC_TRUE}, {"false", SPEC_FALSE}, {"now", SPEC_NOW}, {"steps", SPEC_STEPS}};

static int parse_atom(struct parser *p, uint32_t *node)
{
    const struct token *t = p->at;
    if (skip_sign(p, "(")) {
        return parse_formula(p, node) < 0 ? -1 : expect_sign(p, ")");
    }
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        if (skip_word(p, constants[i].word)) {
            return add(p, t,
                       (struct spec_node){
                           .op = (uint8_t)constants[i].op, .left = SPEC_NONE, .right = SPEC_NONE},
                       node);
        }
    }
    if (skip_word(p, "count")) {
        return parse_bound(p, SPEC_COUNT, node);
    }
    if (skip_word(p, "sum")) {
        return parse_bound(p, SPEC_SUM, node);
    }
    if (skip_word(p, "messages")) {
        return parse_messages(p, node);
    }
    const bool is_name = t->kind == TOKEN_NAME && (t->is_quoted || !token_is_keyword(t->text));
    return is_name ? parse_process(p, node) : refuse_token(p, "a formula or number");
}

static int parse_product(struct parser *p, uint32_t *node)
{
    const struct token *t = p->at;
    if (is_number_token(t)) {
        return parse_number(p, false, node);
    }
    if (!skip_sign(p, "-")) {
        return parse_atom(p, node);
    }
    if (is_number_token(p->at)) {
        return parse_number(p, true, node);
    }
    struct spec_node n = {.op = SPEC_TIMES, .number = -1, .right = SPEC_NONE};
    if (parse_atom(p, &n.left) < 0 || want(p, n.left, true) < 0) {
        return -1;
    }
    return add(p, t, n, node);
}

static int parse_total(struct parser *p, uint32_t *node)
{
    if (parse_product(p, node) < 0) {
        return -1;
    }
    while (is_sign(p->at, "+") || is_sign(p->at, "-")) {
        const struct token *t = p->at++;
        struct spec_node n = {.op = is_sign(t, "+") ? SPEC_PLUS : SPEC_MINUS, .left = *node};
        if (parse_product(p, &n.right) < 0 || want(p, n.left, true) < 0 ||
            want(p, n.right, true) < 0 || add(p, t, n, node) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Formulas */

static const struct {
    const char *sign;
    enum spec_relation relation;
} relations[] = {{"=", SPEC_EQ},  {"==", SPEC_EQ}, {"!=", SPEC_NE}, {"<", SPEC_LT},
                 {"<=", SPEC_LE}, {">", SPEC_GT},  {">=", SPEC_GE}};

static int parse_compared(struct parser *p, uint32_t *node)
{
    if (parse_total(p, node) < 0) {
        return -1;
    }
    const struct token *t = p->at;
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++) {
        if (skip_sign(p, relations[i].sign)) {
            struct spec_node n = {
                .op = SPEC_COMPARE, .relation = (uint8_t)relations[i].relation, .left = *node};
            if (parse_total(p, &n.right) < 0 || want(p, n.left, true) < 0 ||
                want(p, n.right, true) < 0) {
                return -1;
            }
            return add(p, t, n, node);
        }
    }
    return 0;
}

/* [<= DURATION], in brackets or without. */
static int take_bound(struct parser *p, int64_t *bound)
{
    const bool has_bracket = skip_sign(p, "[");
    *bound = SPEC_UNBOUNDED;
    if (!skip_sign(p, "<=")) {
        return has_bracket ? refuse_token(p, "\"<=\" and a duration") : 0;
    }
    if (p->at->kind != TOKEN_DURATION) {
        return refuse_token(p, "a duration such as 5s");
    }
    if (take_integer(p, false, bound) < 0) {
        return -1;
    }
    return has_bracket ? expect_sign(p, "]") : 0;
}

static const struct {
    const char *word;
    enum spec_op op;
    bool has_bound;
} prefixes[] = {{"not", SPEC_NOT, false},
                {"next", SPEC_NEXT, false},
                {"eventually", SPEC_EVENTUALLY, true},
                {"always", SPEC_ALWAYS, true},
                {"once", SPEC_ONCE, true}};

static int parse_prefix_word(struct parser *p, uint32_t *node)
{
    const struct token *t = p->at;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (skip_word(p, prefixes[i].word)) {
            struct spec_node n = {.op = (uint8_t)prefixes[i].op, .right = SPEC_NONE};
            if ((prefixes[i].has_bound && take_bound(p, &n.number) < 0) ||
                parse_prefixed(p, &n.left) < 0 || want(p, n.left, false) < 0) {
                return -1;
            }
            return add(p, t, n, node);
        }
    }
    if (skip_word(p, "forall")) {
        return parse_bound(p, SPEC_FORALL, node);
    }
    return skip_word(p, "exists") ? parse_bound(p, SPEC_EXISTS, node) : parse_compared(p, node);
}

static int parse_prefixed(struct parser *p, uint32_t *node)
{
    if (++p->depth > DEPTH_MAX) {
        return token_refuse(p->at, p->e, "more than %d levels deep: make it several properties",
                            DEPTH_MAX);
    }
    const int result = parse_prefix_word(p, node);
    p->depth--;
    return result;
}

/* Reads `inner`, and where the word stands behind it, the right side too. */
struct infix {
    const char *word;
    enum spec_op op;
    int (*inner)(struct parser *p, uint32_t *node);
    int (*right)(struct parser *p, uint32_t *node);
};

static int parse_infix_rest(struct parser *p, const struct infix *infix, uint32_t *node)
{
    const struct token *t = p->at - 1;
    struct spec_node n = {.op = (uint8_t)infix->op, .left = *node};
    if (infix->op == SPEC_LEADS_TO) {
        if (!skip_word(p, "to")) {
            return refuse_token(p, "\"to\" (leads to)");
        }
        if (take_bound(p, &n.number) < 0) {
            return -1;
        }
    }
    if (infix->right(p, &n.right) < 0 || want_truths(p, n.left, n.right) < 0) {
        return -1;
    }
    return add(p, t, n, node);
}

static int parse_infix(struct parser *p, const struct infix *infix, uint32_t *node)
{
    if (infix->inner(p, node) < 0) {
        return -1;
    }
    /* To the right where the right side is the same level again, else to the left. */
    while (skip_word(p, infix->word)) {
        if (parse_infix_rest(p, infix, node) < 0) {
            return -1;
        }
    }
    return 0;
}

static int parse_spanned(struct parser *p, uint32_t *node)
{
    if (parse_prefixed(p, node) < 0) {
        return -1;
    }
    const bool is_until = is_word(p->at, "until");
    if (!is_until && !is_word(p->at, "since")) {
        return 0;
    }
    p->at++;
    if (++p->depth > DEPTH_MAX) {
        return token_refuse(p->at, p->e, "more than %d levels deep: make it several properties",
                            DEPTH_MAX);
    }
    const struct infix infix = {.op = is_until ? SPEC_UNTIL : SPEC_SINCE, .right = parse_spanned};
    const int result = parse_infix_rest(p, &infix, node);
    p->depth--;
    return result;
}

static int parse_both(struct parser *p, uint32_t *node)
{
    return parse_infix(p, &(struct infix){"and", SPEC_AND, parse_spanned, parse_spanned}, node);
}

static int parse_either(struct parser *p, uint32_t *node)
{
    return parse_infix(p, &(struct infix){"or", SPEC_OR, parse_both, parse_both}, node);
}

static int parse_implied(struct parser *p, uint32_t *node)
{
    return parse_infix(p, &(struct infix){"implies", SPEC_IMPLIES, parse_either, parse_implied},
                       node);
}

static int parse_formula(struct parser *p, uint32_t *node)
{
    if (++p->depth > DEPTH_MAX) {
        return token_refuse(p->at, p->e, "more than %d levels deep: make it several properties",
                            DEPTH_MAX);
    }
    const int result =
        parse_infix(p, &(struct infix){"leads", SPEC_LEADS_TO, parse_implied, parse_formula}, node);
    p->depth--;
    return result;
}

/* Properties and groups */

static int take_claim(struct parser *p, enum spec_claim *claim)
{
    struct suggest nearest = {.wanted = p->at->text};
    for (enum spec_claim c = SPEC_CLAIM_NEVER; c <= SPEC_CLAIM_ALWAYS; c++) {
        if (skip_word(p, spec_claim_word(c))) {
            *claim = c;
            return 0;
        }
        suggest_try(&nearest, spec_claim_word(c));
    }
    return p->at->kind == TOKEN_NAME && nearest.nearest != NULL
               ? refuse_unknown(p, p->at, "claim", &nearest)
               : refuse_token(p, "never, possibly or always");
}

static int take_severity(struct parser *p, enum spec_severity *severity)
{
    struct suggest nearest = {.wanted = p->at->text};
    for (enum spec_severity s = SPEC_ERROR; s <= SPEC_NOTE; s++) {
        if (skip_word(p, spec_severity_word(s))) {
            *severity = s;
            return 0;
        }
        suggest_try(&nearest, spec_severity_word(s));
    }
    return p->at->kind == TOKEN_NAME && nearest.nearest != NULL
               ? refuse_unknown(p, p->at, "severity", &nearest)
               : refuse_token(p, "error, warning or note");
}

static int parse_property(struct parser *p)
{
    const struct token *t = p->at;
    struct spec_property property = {.line = t->line, .column = t->column};
    if (take_name(p, "a property (NAME: ...) or group", &property.name) < 0) {
        return -1;
    }
    vec_each (&p->spec->properties, other) {
        if (other->name == property.name) {
            return token_refuse(t, p->e, "there is a property %s already, in line %u",
                                shown(t->text, t->size).text, other->line);
        }
    }
    if (expect_sign(p, ":") < 0 || take_claim(p, &property.claim) < 0 ||
        parse_formula(p, &property.root) < 0 || want(p, property.root, false) < 0 ||
        (skip_word(p, "severity") && take_severity(p, &property.severity) < 0)) {
        return -1;
    }
    vec_push(&p->spec->properties, property);
    return 0;
}

/* NAME or NAME* */
static int take_member(struct parser *p, uint32_t *member)
{
    const struct token *t = p->at;
    if (take_name(p, "a process", member) < 0) {
        return -1;
    }
    if (!t->is_quoted && skip_sign(p, "*")) {
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
    if (take_name(p, "the name of the group", &name) < 0) {
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
    if (expect_sign(p, ":") < 0) {
        return -1;
    }
    do {
        uint32_t member = 0;
        if (take_member(p, &member) < 0) {
            return -1;
        }
        vec_push(&vec_last(&p->spec->groups)->members, member);
    } while (skip_sign(p, ","));
    return 0;
}

/* What stands behind a whole property must be the next. */
static int check_next(struct parser *p)
{
    const bool is_next = p->at->kind == TOKEN_END || is_word(p->at, "group") ||
                         (p->at->kind == TOKEN_NAME && is_sign(&p->at[1], ":"));
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
               ? refuse_unknown(p, p->at, "operator", &nearest)
               : refuse_token(p, "an operator (and, or ...), or the next property (NAME: ...)");
}

static int parse_all(struct parser *p)
{
    while (p->at->kind != TOKEN_END) {
        const int result = skip_word(p, "group") ? parse_group(p) : parse_property(p);
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
