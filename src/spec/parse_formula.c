/* Formulas by recursive descent, a function for each precedence:
 *
 *     formula   implied [leads to [<= DURATION] formula]
 *     implied   either [implies implied]
 *     either    both {or both}
 *     both      spanned {and spanned}
 *     spanned   prefixed [(until | since) spanned]
 *     prefixed  (not | next | eventually | always | once) prefixed
 *               (forall | exists) NAME [in GROUP] . formula
 *               compared
 *     compared  total [RELATION total]
 *     total     product {(+ | -) product}
 *     product   [-] INTEGER [* product]
 *               [-] atom {* (INTEGER | atom)}
 *
 * Among the atoms are count, sum, min and max over the processes of a group, and min and max of a
 * list: min(a.x, b.x, 3).
 *
 * Each node is known to be a truth or a number, so that parentheses need no guess. */
#include <string.h>

#include "base/quoted_text.h"
#include "spec/parser.h"

enum { DEPTH_MAX = 500 };

static int parse_formula(struct parser *p, uint32_t *node);
static int parse_prefixed(struct parser *p, uint32_t *node);
static int parse_product(struct parser *p, uint32_t *node);

/* Depth */

static int refuse_depth(struct parser *p, const struct token *t)
{
    return token_refuse(t, p->e, "more than %d levels deep: make it several properties", DEPTH_MAX);
}

/* The caller leaves the level by p->depth--. */
static int go_deeper(struct parser *p)
{
    return ++p->depth <= DEPTH_MAX ? 0 : refuse_depth(p, p->at);
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

/* Computes the attributes of the node from its children, which must exist. */
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
    return height <= DEPTH_MAX ? 0 : refuse_depth(p, &place);
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
    if (parser_take_name(p, "a process", &name) < 0) {
        return -1;
    }
    *process = process_of(p, t);
    return 0;
}

static int take_group(struct parser *p, uint32_t *group)
{
    const struct token *t = p->at;
    struct suggest nearest = {.wanted = t->text};
    if (parser_take_name(p, "a group", group) < 0) {
        return -1;
    }
    vec_each (&p->spec->groups, known) {
        if (known->name == *group) {
            return 0;
        }
        suggest_try(&nearest, names_text(&p->spec->names, known->name));
    }
    return parser_refuse_unknown(p, t, "group", &nearest);
}

/* NAME [in GROUP], the process that the node binds, then `separator`. */
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
    if (parser_skip_word(p, "in") && take_group(p, &group) < 0) {
        return -1;
    }
    struct spec_node *n = vec_at(&p->spec->nodes, node);
    n->process = process;
    n->group = group;
    vec_push(&p->binders, node);
    return parser_expect(p, separator);
}

/* Reads the rest of a binder; the next token is the one behind its word. */
static int parse_bound(struct parser *p, enum spec_op op, uint32_t *node)
{
    const bool is_call = op >= SPEC_NUMBER;
    const struct token *t = p->at - 1;
    uint32_t body = SPEC_NONE;
    if (is_call && parser_expect(p, "(") < 0) {
        return -1;
    }
    if (add(p, t, (struct spec_node){.op = (uint8_t)op, .left = SPEC_NONE, .right = SPEC_NONE},
            node) < 0 ||
        take_binding(p, *node, is_call ? ":" : ".") < 0 || parse_formula(p, &body) < 0 ||
        want(p, body, is_call && op != SPEC_COUNT) < 0 || (is_call && parser_expect(p, ")") < 0)) {
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
    if (parser_skip_sign(p, "*")) {
        n.op = SPEC_TIMES;
        if (go_deeper(p) < 0 || parse_product(p, &n.left) < 0 || want(p, n.left, true) < 0) {
            return -1;
        }
        p->depth--;
    }
    return add(p, t, n, node);
}

/* min and max: over the processes of a group, or of a list of numbers. The word is consumed. */
static int parse_extreme(struct parser *p, bool is_least, uint32_t *node)
{
    const struct token *t = p->at - 1;
    const bool is_binder = token_is_sign(p->at, "(") && p->at[1].kind == TOKEN_NAME &&
                           (token_is_sign(&p->at[2], ":") || token_is_word(&p->at[2], "in"));
    if (is_binder) {
        return parse_bound(p, is_least ? SPEC_LEAST : SPEC_MOST, node);
    }
    if (parser_expect(p, "(") < 0 || parse_formula(p, node) < 0 || want(p, *node, true) < 0) {
        return -1;
    }
    while (parser_skip_sign(p, ",")) {
        struct spec_node n = {.op = is_least ? SPEC_MIN : SPEC_MAX, .left = *node};
        if (parse_formula(p, &n.right) < 0 || want(p, n.right, true) < 0 ||
            add(p, t, n, node) < 0) {
            return -1;
        }
    }
    return parser_expect(p, ")");
}

static int parse_messages(struct parser *p, uint32_t *node)
{
    const struct token *t = p->at - 1;
    struct spec_node n = {.op = SPEC_MESSAGES, .left = SPEC_NONE, .right = SPEC_NONE};
    if (parser_expect(p, "(") < 0 || take_process(p, &n.process) < 0 || parser_expect(p, ",") < 0 ||
        take_process(p, &n.other) < 0 || parser_expect(p, ")") < 0) {
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
    if (parser_skip_sign(p, ".")) {
        if (p->at->kind != TOKEN_NAME) {
            return parser_refuse(p, "the name of a variable");
        }
        n.op = SPEC_VARIABLE;
        n.variable = names_intern(&p->spec->names, p->at->text, p->at->size);
        p->at++;
        return add(p, t, n, node);
    }
    const bool is_equal = token_is_sign(p->at, "=") || token_is_sign(p->at, "==");
    const bool is_bare =
        p->at[0].kind != TOKEN_END && p->at[1].kind == TOKEN_NAME && !token_is_sign(&p->at[2], ".");
    if (!is_bare || (!is_equal && !token_is_sign(p->at, "!="))) {
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
    if (parser_skip_sign(p, "(")) {
        return parse_formula(p, node) < 0 ? -1 : parser_expect(p, ")");
    }
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        if (parser_skip_word(p, constants[i].word)) {
            return add(p, t,
                       (struct spec_node){
                           .op = (uint8_t)constants[i].op, .left = SPEC_NONE, .right = SPEC_NONE},
                       node);
        }
    }
    if (parser_skip_word(p, "count")) {
        return parse_bound(p, SPEC_COUNT, node);
    }
    if (parser_skip_word(p, "sum")) {
        return parse_bound(p, SPEC_SUM, node);
    }
    if (parser_skip_word(p, "messages")) {
        return parse_messages(p, node);
    }
    /* Plain names, unless they are called. */
    const bool is_least = token_is_word(t, "min");
    if ((is_least || token_is_word(t, "max")) && token_is_sign(&t[1], "(")) {
        p->at++;
        return parse_extreme(p, is_least, node);
    }
    const bool is_name = t->kind == TOKEN_NAME && (t->is_quoted || !token_is_keyword(t->text));
    return is_name ? parse_process(p, node) : parser_refuse(p, "a formula or number");
}

/* left * right; with a literal number it is TIMES. */
static int multiply(struct parser *p, const struct token *t, uint32_t left, uint32_t *node)
{
    struct spec_node n = {.op = SPEC_PRODUCT, .left = left};
    const bool is_number = is_number_token(p->at);
    if (is_number ? take_integer(p, false, &n.number) < 0 : parse_atom(p, &n.right) < 0) {
        return -1;
    }
    if (want(p, left, true) < 0 || (!is_number && want(p, n.right, true) < 0)) {
        return -1;
    }
    const struct spec_node *first = spec_at(p->spec, left);
    if (is_number) {
        n.op = SPEC_TIMES;
        n.right = SPEC_NONE;
    } else if (first->op == SPEC_NUMBER) {
        n = (struct spec_node){
            .op = SPEC_TIMES, .number = first->number, .left = n.right, .right = SPEC_NONE};
    }
    return add(p, t, n, node);
}

static int parse_factors(struct parser *p, uint32_t *node)
{
    if (parse_atom(p, node) < 0) {
        return -1;
    }
    while (token_is_sign(p->at, "*")) {
        const struct token *t = p->at++;
        if (multiply(p, t, *node, node) < 0) {
            return -1;
        }
    }
    return 0;
}

static int parse_product(struct parser *p, uint32_t *node)
{
    const struct token *t = p->at;
    if (is_number_token(t)) {
        return parse_number(p, false, node);
    }
    if (!parser_skip_sign(p, "-")) {
        return parse_factors(p, node);
    }
    if (is_number_token(p->at)) {
        return parse_number(p, true, node);
    }
    struct spec_node n = {.op = SPEC_TIMES, .number = -1, .right = SPEC_NONE};
    if (parse_factors(p, &n.left) < 0 || want(p, n.left, true) < 0) {
        return -1;
    }
    return add(p, t, n, node);
}

static int parse_total(struct parser *p, uint32_t *node)
{
    if (parse_product(p, node) < 0) {
        return -1;
    }
    while (token_is_sign(p->at, "+") || token_is_sign(p->at, "-")) {
        const struct token *t = p->at++;
        struct spec_node n = {.op = token_is_sign(t, "+") ? SPEC_PLUS : SPEC_MINUS, .left = *node};
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
        if (parser_skip_sign(p, relations[i].sign)) {
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
    const bool has_bracket = parser_skip_sign(p, "[");
    *bound = SPEC_UNBOUNDED;
    if (!parser_skip_sign(p, "<=")) {
        return has_bracket ? parser_refuse(p, "\"<=\" and a duration") : 0;
    }
    if (p->at->kind != TOKEN_DURATION) {
        return parser_refuse(p, "a duration such as 5s");
    }
    if (take_integer(p, false, bound) < 0) {
        return -1;
    }
    return has_bracket ? parser_expect(p, "]") : 0;
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
        if (parser_skip_word(p, prefixes[i].word)) {
            struct spec_node n = {.op = (uint8_t)prefixes[i].op, .right = SPEC_NONE};
            if ((prefixes[i].has_bound && take_bound(p, &n.number) < 0) ||
                parse_prefixed(p, &n.left) < 0 || want(p, n.left, false) < 0) {
                return -1;
            }
            return add(p, t, n, node);
        }
    }
    if (parser_skip_word(p, "forall")) {
        return parse_bound(p, SPEC_FORALL, node);
    }
    return parser_skip_word(p, "exists") ? parse_bound(p, SPEC_EXISTS, node)
                                         : parse_compared(p, node);
}

static int parse_prefixed(struct parser *p, uint32_t *node)
{
    if (go_deeper(p) < 0) {
        return -1;
    }
    const int result = parse_prefix_word(p, node);
    p->depth--;
    return result;
}

/* Reads `inner` and, when the word follows, the right side too. */
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
        if (!parser_skip_word(p, "to")) {
            return parser_refuse(p, "\"to\" (leads to)");
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
    /* Right-associative where the right side is the same level again, else left-associative. */
    while (parser_skip_word(p, infix->word)) {
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
    const bool is_until = token_is_word(p->at, "until");
    if (!is_until && !token_is_word(p->at, "since")) {
        return 0;
    }
    p->at++;
    if (go_deeper(p) < 0) {
        return -1;
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

static int parse_implied(struct parser *p, uint32_t *node);

static int parse_consequence(struct parser *p, uint32_t *node)
{
    if (go_deeper(p) < 0) {
        return -1;
    }
    const int result = parse_implied(p, node);
    p->depth--;
    return result;
}

static int parse_implied(struct parser *p, uint32_t *node)
{
    return parse_infix(p, &(struct infix){"implies", SPEC_IMPLIES, parse_either, parse_consequence},
                       node);
}

static int parse_formula(struct parser *p, uint32_t *node)
{
    if (go_deeper(p) < 0) {
        return -1;
    }
    const int result =
        parse_infix(p, &(struct infix){"leads", SPEC_LEADS_TO, parse_implied, parse_formula}, node);
    p->depth--;
    return result;
}

int parser_take_formula(struct parser *p, uint32_t *root)
{
    return parse_formula(p, root) < 0 ? -1 : want(p, *root, false);
}
