#include "spec/spec.h"

#include "base/limit.h"
#include "spec/token.h"
#include "trace/quoted_word.h"

/* The precedence of an operator, as in parse_formula.c; a looser one than its context goes in
 * parentheses. */
enum strength {
    STRENGTH_FORMULA,
    STRENGTH_IMPLIED,
    STRENGTH_EITHER,
    STRENGTH_BOTH,
    STRENGTH_SPANNED,
    STRENGTH_PREFIXED,
    STRENGTH_COMPARED,
    STRENGTH_TOTAL,
    STRENGTH_PRODUCT,
    STRENGTH_ATOM,
};

static enum strength strength_of(const struct spec_node *n)
{
    switch ((enum spec_op)n->op) {
    case SPEC_LEADS_TO: return STRENGTH_FORMULA;
    case SPEC_IMPLIES: return STRENGTH_IMPLIED;
    case SPEC_OR: return STRENGTH_EITHER;
    case SPEC_AND: return STRENGTH_BOTH;
    case SPEC_UNTIL:
    case SPEC_SINCE: return STRENGTH_SPANNED;
    case SPEC_NOT:
    case SPEC_NEXT:
    case SPEC_EVENTUALLY:
    case SPEC_ALWAYS:
    case SPEC_ONCE: return STRENGTH_PREFIXED;
    /* Their bodies extend as far as possible: always in parentheses, except at the outermost. */
    case SPEC_FORALL:
    case SPEC_EXISTS: return STRENGTH_FORMULA;
    case SPEC_COMPARE:
    case SPEC_SAME: return STRENGTH_COMPARED;
    case SPEC_PLUS:
    case SPEC_MINUS: return STRENGTH_TOTAL;
    case SPEC_NUMBER:
    case SPEC_TIMES:
    case SPEC_PRODUCT: return STRENGTH_PRODUCT;
    case SPEC_TRUE:
    case SPEC_FALSE:
    case SPEC_VARIABLE:
    case SPEC_SUM:
    case SPEC_COUNT:
    case SPEC_LEAST:
    case SPEC_MOST:
    case SPEC_MIN:
    case SPEC_MAX:
    case SPEC_NOW:
    case SPEC_STEPS:
    case SPEC_MESSAGES: return STRENGTH_ATOM;
    }
    bug("spec op");
}

static void print(const struct spec *s, uint32_t node, enum strength wanted, struct out *out);

static void print_name(const struct spec *s, uint32_t name, struct out *out)
{
    const char *text = names_text(&s->names, name);
    if (token_is_bare(text)) {
        out_text(out, text);
        return;
    }
    /* A stop inside the name puts it in quotes. */
    const char stops[] = {text[0], '\0'};
    word_print_part(out, stops, text, names_size(&s->names, name));
}

static void print_bound(int64_t bound, struct out *out)
{
    if (bound == SPEC_UNBOUNDED) {
        return;
    }
    const struct time_unit *unit = limit_time_units;
    while (bound == 0 ? unit[1].name != NULL && unit->ns != UINT64_C(1000000000)
                      : (uint64_t)bound % unit->ns != 0) {
        unit++;
    }
    out_format(out, " <= %llu%s", (unsigned long long)((uint64_t)bound / unit->ns), unit->name);
}

static void print_infix(const struct spec *s, const struct spec_node *n, struct out *out)
{
    /* A right-associative operator takes its own kind on the right, a left-associative one on the
     * left. */
    const enum strength own = strength_of(n);
    const bool leans_left =
        n->op == SPEC_AND || n->op == SPEC_OR || n->op == SPEC_PLUS || n->op == SPEC_MINUS;
    print(s, n->left, leans_left ? own : own + 1, out);
    out_format(out, " %s", spec_op_word(n->op));
    if (n->op == SPEC_LEADS_TO) {
        print_bound(n->number, out);
    }
    out_char(out, ' ');
    print(s, n->right, leans_left ? own + 1 : own, out);
}

static void print_binder(const struct spec *s, const struct spec_node *n, struct out *out)
{
    const bool is_call = spec_is_number(n);
    out_format(out, "%s%s", spec_op_word(n->op), is_call ? "(" : " ");
    print_name(s, n->process.name, out);
    if (n->group != 0) {
        out_text(out, " in ");
        print_name(s, n->group, out);
    }
    out_text(out, is_call ? ": " : ". ");
    print(s, n->left, STRENGTH_FORMULA, out);
    if (is_call) {
        out_char(out, ')');
    }
}

static void print_bare(const struct spec *s, const struct spec_node *n, struct out *out)
{
    switch ((enum spec_op)n->op) {
    case SPEC_TRUE:
    case SPEC_FALSE:
    case SPEC_NOW:
    case SPEC_STEPS: out_text(out, spec_op_word(n->op)); return;
    case SPEC_COMPARE:
        print(s, n->left, STRENGTH_TOTAL, out);
        out_format(out, " %s ", spec_relation_word(n->relation));
        print(s, n->right, STRENGTH_TOTAL, out);
        return;
    case SPEC_SAME:
        print_name(s, n->process.name, out);
        out_format(out, " %s ", spec_relation_word(n->relation));
        print_name(s, n->other.name, out);
        return;
    case SPEC_NOT:
    case SPEC_NEXT:
    case SPEC_EVENTUALLY:
    case SPEC_ALWAYS:
    case SPEC_ONCE:
        out_text(out, spec_op_word(n->op));
        if (n->op != SPEC_NOT && n->op != SPEC_NEXT) {
            print_bound(n->number, out);
        }
        out_char(out, ' ');
        print(s, n->left, STRENGTH_PREFIXED, out);
        return;
    case SPEC_AND:
    case SPEC_OR:
    case SPEC_IMPLIES:
    case SPEC_UNTIL:
    case SPEC_SINCE:
    case SPEC_LEADS_TO:
    case SPEC_PLUS:
    case SPEC_MINUS: print_infix(s, n, out); return;
    case SPEC_FORALL:
    case SPEC_EXISTS:
    case SPEC_COUNT:
    case SPEC_SUM:
    case SPEC_LEAST:
    case SPEC_MOST: print_binder(s, n, out); return;
    case SPEC_NUMBER: out_i64(out, n->number); return;
    case SPEC_TIMES:
        out_i64(out, n->number);
        out_char(out, '*');
        print(s, n->left, STRENGTH_PRODUCT, out);
        return;
    case SPEC_PRODUCT:
        print(s, n->left,
              spec_at(s, n->left)->op == SPEC_PRODUCT ? STRENGTH_PRODUCT : STRENGTH_ATOM, out);
        out_char(out, '*');
        print(s, n->right, STRENGTH_ATOM, out);
        return;
    case SPEC_MIN:
    case SPEC_MAX:
        out_format(out, "%s(", spec_op_word(n->op));
        print(s, n->left, STRENGTH_FORMULA, out);
        out_text(out, ", ");
        print(s, n->right, STRENGTH_FORMULA, out);
        out_char(out, ')');
        return;
    case SPEC_VARIABLE:
        print_name(s, n->process.name, out);
        out_char(out, '.');
        print_name(s, n->variable, out);
        return;
    case SPEC_MESSAGES:
        out_text(out, "messages(");
        print_name(s, n->process.name, out);
        out_text(out, ", ");
        print_name(s, n->other.name, out);
        out_char(out, ')');
        return;
    }
    bug("spec op");
}

static void print(const struct spec *s, uint32_t node, enum strength wanted, struct out *out)
{
    const struct spec_node *n = spec_at(s, node);
    const bool has_parentheses = strength_of(n) < wanted;
    if (has_parentheses) {
        out_char(out, '(');
    }
    print_bare(s, n, out);
    if (has_parentheses) {
        out_char(out, ')');
    }
}

void spec_print_node(const struct spec *s, uint32_t node, struct out *out)
{
    print(s, node, STRENGTH_FORMULA, out);
}

void spec_print(const struct spec *s, struct out *out)
{
    vec_each (&s->groups, group) {
        out_text(out, "group ");
        print_name(s, group->name, out);
        const char *separator = ": ";
        vec_each (&group->members, member) {
            out_text(out, separator);
            print_name(s, *member, out);
            separator = ", ";
        }
        out_char(out, '\n');
    }
    vec_each (&s->properties, property) {
        print_name(s, property->name, out);
        out_format(out, ": %s ", spec_claim_word(property->claim));
        spec_print_node(s, property->root, out);
        if (property->severity != SPEC_ERROR) {
            out_format(out, " severity %s", spec_severity_word(property->severity));
        }
        out_char(out, '\n');
    }
}
