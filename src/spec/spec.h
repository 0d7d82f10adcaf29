/* The property language: formulas that must never, must always or may hold in a system.
 *
 *     group servers: s1, s2, s3                      # or a pattern: s*
 *     one_leader: never exists p in servers. exists q in servers.
 *                     p != q and p.leader = 1 and q.leader = 1 and p.term = q.term
 *     bounded:    always count(p: p.busy = 1) <= 2   severity warning
 *     answered:   always forall p. p.asked = 1 leads to <= 5s p.answered = 1
 *
 * A specification is a list of properties; a property is a tree of nodes. Trees are open: monitor/
 * takes conjunctions apart, checker.h evaluates states as they arrive. Man page: clew-spec(5). */
#ifndef CLEW_SPEC_SPEC_H
#define CLEW_SPEC_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/in.h"
#include "base/names.h"
#include "base/out.h"
#include "base/vec.h"

#define SPEC_NONE UINT32_MAX

/* op, its word. The first rows are truths, the others numbers. */
#define SPEC_OP_LIST(OP)         \
    OP(TRUE, "true")             \
    OP(FALSE, "false")           \
    OP(COMPARE, "comparison")    \
    OP(SAME, "comparison")       \
    OP(NOT, "not")               \
    OP(AND, "and")               \
    OP(OR, "or")                 \
    OP(IMPLIES, "implies")       \
    OP(FORALL, "forall")         \
    OP(EXISTS, "exists")         \
    OP(NEXT, "next")             \
    OP(UNTIL, "until")           \
    OP(EVENTUALLY, "eventually") \
    OP(ALWAYS, "always")         \
    OP(LEADS_TO, "leads to")     \
    OP(ONCE, "once")             \
    OP(SINCE, "since")           \
    OP(NUMBER, "number")         \
    OP(TIMES, "*")               \
    OP(PLUS, "+")                \
    OP(MINUS, "-")               \
    OP(PRODUCT, "*")             \
    OP(MIN, "min")               \
    OP(MAX, "max")               \
    OP(VARIABLE, "variable")     \
    OP(SUM, "sum")               \
    OP(COUNT, "count")           \
    OP(LEAST, "min")             \
    OP(MOST, "max")              \
    OP(NOW, "now")               \
    OP(STEPS, "steps")           \
    OP(MESSAGES, "messages")

enum spec_op {
#define OP(id, word) SPEC_##id,
    SPEC_OP_LIST(OP)
#undef OP
};

enum spec_relation { SPEC_EQ, SPEC_NE, SPEC_LT, SPEC_LE, SPEC_GT, SPEC_GE };

/* A process in a formula: bound by forall, exists, count or sum, or named. */
struct spec_process {
    uint32_t name;
    uint32_t binder; /* the node that binds it; SPEC_NONE: the process of that name */
};

/* The fields that a node uses beside its op and place:
 *
 *     COMPARE                      left, right (numbers), relation
 *     SAME                         process, other, relation (SPEC_EQ or SPEC_NE)
 *     NOT NEXT                     left
 *     EVENTUALLY ALWAYS ONCE       left, number: the bound in ns, SPEC_UNBOUNDED without
 *     LEADS_TO                     left, right, number likewise
 *     AND OR IMPLIES UNTIL SINCE   left, right
 *     FORALL EXISTS COUNT SUM      process.name: the bound name, group (0: all), left: the body
 *     LEAST MOST                   likewise
 *     NUMBER                       number
 *     TIMES                        number, left
 *     PLUS MINUS PRODUCT MIN MAX   left, right
 *     VARIABLE                     process, variable
 *     MESSAGES                     process, other: in transit from the one to the other
 */
struct spec_node {
    uint8_t op;           /* enum spec_op */
    uint8_t relation;     /* enum spec_relation */
    bool is_temporal;     /* it, or a node below it, refers to other moments than this one */
    uint32_t left, right; /* nodes; SPEC_NONE where there is none */
    int64_t number;
    struct spec_process process, other;
    uint32_t variable;     /* name */
    uint32_t group;        /* name */
    uint32_t line, column; /* from 1, of the word of its op */
};

#define SPEC_UNBOUNDED INT64_C(-1)

enum spec_claim {
    SPEC_CLAIM_NEVER,    /* in no state, of no run */
    SPEC_CLAIM_POSSIBLY, /* in some state of some run: informative, never a violation */
    SPEC_CLAIM_ALWAYS,   /* in every state of every run */
};

enum spec_severity { SPEC_ERROR, SPEC_WARNING, SPEC_NOTE };

struct spec_property {
    uint32_t name;
    enum spec_claim claim;
    enum spec_severity severity;
    uint32_t root;
    uint32_t line, column;
};

/* Members are names, or patterns of the shell (* ? [...]). */
struct spec_group {
    uint32_t name;
    VEC(uint32_t) members;
    uint32_t line, column;
};

struct spec {
    struct names names;
    VEC(struct spec_node) nodes; /* a binder comes before its body, other parents after */
    VEC(struct spec_property) properties;
    VEC(struct spec_group) groups;
};

void spec_init(struct spec *s);
void spec_release(struct spec *s);

/* Reads a specification into s, which must be fresh from spec_init. Fails (-1, e set with line and
 * column, and the nearest word for a misspelt one) on unknown words, duplicate names, undeclared
 * groups, and a number in place of a truth; s must be released either way. */
MUST_USE int spec_parse(struct spec *s, struct in *in, struct err *e);

/* Writes the specification, a line each; parsing gives the same specification back. */
void spec_print(const struct spec *s, struct out *out);

/* Writes one formula or number, without line ends. */
void spec_print_node(const struct spec *s, uint32_t node, struct out *out);

/* The number of properties over more than one moment. */
size_t spec_count_temporal(const struct spec *s);

/* Whether the process of this name belongs to the group (0: every process does). */
bool spec_is_member(const struct spec *s, uint32_t group, const char *process);

const char *spec_op_word(enum spec_op op);
const char *spec_relation_word(enum spec_relation relation);
const char *spec_claim_word(enum spec_claim claim);
const char *spec_severity_word(enum spec_severity severity);

/* Whether the node is a number, not a truth. */
static inline bool spec_is_number(const struct spec_node *node)
{
    return node->op >= SPEC_NUMBER;
}

static inline const struct spec_node *spec_at(const struct spec *s, uint32_t node)
{
    return vec_at(&s->nodes, node);
}

#endif
