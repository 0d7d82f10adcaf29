/* Binding: a specification expanded for the processes of a system. Cells express formulas over one
 * moment, parts the temporal operators over them. */
#ifndef CLEW_SPEC_BIND_H
#define CLEW_SPEC_BIND_H

#include "base/err.h"
#include "base/map.h"
#include "spec/cells.h"
#include "spec/checker.h"
#include "spec/temporal.h"

enum { SLOT_NOW, SLOT_STEPS, SLOT_FIRST };

/* A slot: a variable of a process, or the messages between two. */
struct slot {
    uint32_t process, other; /* other: UINT32_MAX for a variable */
    uint32_t variable;       /* name in the specification */
};

/* A property in normal form: it is violated (or, of possibly, shown) where its root is true. */
struct bound_property {
    bool is_temporal;
    uint32_t atom;                 /* root of a formula that is not temporal */
    uint32_t part;                 /* root of a temporal one */
    uint32_t atom_first, atom_end; /* all its atoms: a range */
};

struct bound {
    struct cells cells;
    VEC(uint32_t) atoms; /* cells whose truth is recorded */
    struct parts parts;
    VEC(struct slot) slots; /* from SLOT_FIRST on */
    struct map variables;   /* (process, name) to slot */
    struct map messages;    /* (from, to) to slot */
    VEC(struct bound_property) properties;
};

/* Expands s for the system into b, which must be {0}. Fails as checker_new does; b must be released
 * either way. */
MUST_USE int bind_spec(struct bound *b, const struct spec *s, const struct checker_system *system,
                       struct err *e);
void bound_release(struct bound *b);

#endif
