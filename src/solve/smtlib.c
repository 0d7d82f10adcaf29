#include "solve/smtlib.h"

static void print_variable(struct out *o, uint32_t variable)
{
    out_char(o, 'x');
    out_u64(o, variable);
}

/* SMT-LIB has no negative numerals. */
static void print_number(struct out *o, int64_t number)
{
    if (number < 0) {
        out_text(o, "(- ");
        out_u64(o, -(uint64_t)number);
        out_char(o, ')');
    } else {
        out_u64(o, (uint64_t)number);
    }
}

void smtlib_print_declaration(struct out *o, uint32_t variable)
{
    out_text(o, "(declare-fun ");
    print_variable(o, variable);
    out_text(o, " () Int)\n");
}

static void print_product(struct out *o, struct solve_term term)
{
    if (term.weight == 1) {
        print_variable(o, term.variable);
        return;
    }
    out_text(o, "(* ");
    print_number(o, term.weight);
    out_char(o, ' ');
    print_variable(o, term.variable);
    out_char(o, ')');
}

static void print_sum(struct out *o, const struct problem *p, struct solve_atom atom)
{
    must(atom.term_count > 0);
    if (atom.term_count == 1) {
        print_product(o, p->terms.at[atom.first_term]);
        return;
    }
    out_text(o, "(+");
    for (uint32_t i = 0; i < atom.term_count; i++) {
        out_char(o, ' ');
        print_product(o, p->terms.at[atom.first_term + i]);
    }
    out_char(o, ')');
}

/* The left side of a difference that is not just a comparison of two variables. */
static void print_difference(struct out *o, struct solve_atom atom)
{
    if (atom.left == SOLVE_ZERO && atom.right == SOLVE_ZERO) {
        out_char(o, '0');
    } else if (atom.right == SOLVE_ZERO) {
        print_variable(o, atom.left);
    } else {
        out_text(o, "(- ");
        if (atom.left != SOLVE_ZERO) {
            print_variable(o, atom.left);
            out_char(o, ' ');
        }
        print_variable(o, atom.right);
        out_char(o, ')');
    }
}

void smtlib_print_atom(struct out *o, const struct problem *p, struct solve_atom atom)
{
    const bool is_equality = atom.kind == SOLVE_EQUAL || atom.kind == SOLVE_SUM_EQUAL;
    const bool is_comparison = !solve_is_sum(atom) && atom.left != SOLVE_ZERO &&
                               atom.right != SOLVE_ZERO &&
                               (atom.bound == 0 || (atom.bound == -1 && !is_equality));
    out_text(o, is_equality ? "(= " : is_comparison && atom.bound == -1 ? "(< " : "(<= ");
    if (is_comparison) {
        print_variable(o, atom.left);
        out_char(o, ' ');
        print_variable(o, atom.right);
    } else {
        if (solve_is_sum(atom)) {
            print_sum(o, p, atom);
        } else {
            print_difference(o, atom);
        }
        out_char(o, ' ');
        print_number(o, atom.bound);
    }
    out_char(o, ')');
}

void smtlib_print_clause(struct out *o, const struct problem *p, struct solve_clause clause)
{
    out_text(o, "(assert ");
    if (clause.count == 0) {
        out_text(o, "false");
    } else if (clause.count == 1) {
        smtlib_print_atom(o, p, p->literals.at[clause.first]);
    } else {
        out_text(o, "(or");
        for (uint32_t i = 0; i < clause.count; i++) {
            out_char(o, ' ');
            smtlib_print_atom(o, p, p->literals.at[clause.first + i]);
        }
        out_char(o, ')');
    }
    out_text(o, ")\n");
}

void smtlib_print_values(struct out *o, uint32_t variable_count)
{
    out_text(o, "(get-value (");
    for (uint32_t i = 0; i < variable_count; i++) {
        if (i > 0) {
            out_char(o, ' ');
        }
        print_variable(o, i);
    }
    out_text(o, "))\n");
}

static bool is_two_variables(struct solve_atom atom)
{
    return !solve_is_sum(atom) && atom.left != SOLVE_ZERO && atom.right != SOLVE_ZERO;
}

bool smtlib_is_difference(const struct problem *p, const struct solve_question *question)
{
    bool is_difference = p->sum_count == 0;
    for (size_t i = 0; i < p->literals.count && is_difference; i++) {
        is_difference = is_two_variables(p->literals.at[i]);
    }
    for (size_t i = 0; i < question->assumed_count && is_difference; i++) {
        is_difference = is_two_variables(question->assumed[i]);
    }
    return is_difference;
}

void smtlib_print_logic(struct out *o, bool is_difference)
{
    out_text(o, is_difference ? "(set-logic QF_IDL)\n" : "(set-logic QF_LIA)\n");
}

static void print_comment(struct out *o, const char *text)
{
    out_text(o, "; ");
    for (; *text != '\0'; text++) {
        out_char(o, *text >= ' ' && *text < 0x7f ? *text : '?');
    }
    out_char(o, '\n');
}

void smtlib_print(struct out *o, const struct problem *p, const struct solve_question *question,
                  const char *const *names)
{
    smtlib_print_logic(o, smtlib_is_difference(p, question));
    for (uint32_t i = 0; i < p->variable_count; i++) {
        if (names != NULL && names[i] != NULL) {
            print_comment(o, names[i]);
        }
        smtlib_print_declaration(o, i);
    }
    vec_each (&p->clauses, clause) {
        smtlib_print_clause(o, p, *clause);
    }
    if (question->assumed_count > 0) {
        print_comment(o, "assumed");
    }
    for (size_t i = 0; i < question->assumed_count; i++) {
        out_text(o, "(assert ");
        smtlib_print_atom(o, p, question->assumed[i]);
        out_text(o, ")\n");
    }
    out_text(o, "(check-sat)\n");
    if (p->variable_count > 0) {
        smtlib_print_values(o, p->variable_count);
    }
}
