#include "spec/bind.h"

#include <string.h>

#include "base/arena.h"
#include "base/quoted_text.h"
#include "base/suggest.h"
#include "spec/token.h"

/* Nested quantifiers multiply: the largest number of expanded formulas. */
enum { VISITS_MAX = 1 << 21 };

struct binding {
    const struct spec *spec;
    const struct checker_system *system;
    struct bound *bound;
    uint32_t *process_of; /* per binder: the process it currently stands for */
    uint32_t visits;
    struct err *e;
};

void bound_release(struct bound *b)
{
    cells_release(&b->cells);
    vec_release(&b->atoms);
    vec_release(&b->parts.list);
    vec_release(&b->slots);
    map_release(&b->variables);
    map_release(&b->messages);
    vec_release(&b->properties);
}

static struct token place_of(const struct spec_node *n)
{
    return (struct token){.line = n->line, .column = n->column};
}

static int visit(struct binding *b, const struct spec_node *n)
{
    const struct token place = place_of(n);
    return b->visits++ < VISITS_MAX
               ? 0
               : token_refuse(&place, b->e,
                              "written out for all of %u processes this is too long: use count or "
                              "smaller groups",
                              b->system->process_count);
}

/* Processes */

static int find_process(struct binding *b, const struct spec_node *n,
                        const struct spec_process *process, uint32_t *found)
{
    if (process->binder != SPEC_NONE) {
        *found = b->process_of[process->binder];
        must(*found < b->system->process_count);
        return 0;
    }
    const char *name = names_text(&b->spec->names, process->name);
    for (uint32_t i = 0; i < b->system->process_count; i++) {
        if (strcmp(b->system->processes[i], name) == 0) {
            *found = i;
            return 0;
        }
    }
    struct suggest nearest = {.wanted = name};
    for (uint32_t i = 0; i < b->system->process_count; i++) {
        suggest_try(&nearest, b->system->processes[i]);
    }
    const struct token place = place_of(n);
    const struct shown called = shown(name, strlen(name));
    return nearest.nearest == NULL
               ? token_refuse(&place, b->e, "there is no process %s", called.text)
               : token_refuse(&place, b->e, "there is no process %s (did you mean %s?)",
                              called.text, nearest.nearest);
}

/* The first member of the group from this process on; process_count when there is none. */
static uint32_t next_member(const struct binding *b, uint32_t group, uint32_t from)
{
    while (from < b->system->process_count &&
           !spec_is_member(b->spec, group, b->system->processes[from])) {
        from++;
    }
    return from;
}

static int check_members(struct binding *b, const struct spec_node *n)
{
    if (next_member(b, n->group, 0) < b->system->process_count) {
        return 0;
    }
    const struct token place = place_of(n);
    const char *name = n->group == 0 ? "" : names_text(&b->spec->names, n->group);
    return token_refuse(&place, b->e, "no process belongs to the group %s",
                        shown(name, strlen(name)).text);
}

/* Formulas over one moment */

static int bind_cell(struct binding *b, uint32_t node, uint32_t *cell);

static uint32_t slot_of(struct binding *b, struct map *index, const struct slot *slot)
{
    const uint32_t second = slot->other == UINT32_MAX ? slot->variable : slot->other;
    bool is_new = false;
    const uint32_t next = SLOT_FIRST + (uint32_t)b->bound->slots.count;
    const uint32_t found = *map_slot(index, map_pair(slot->process, second), next, &is_new);
    if (is_new) {
        vec_push(&b->bound->slots, *slot);
    }
    must(found <= next);
    must(found >= SLOT_FIRST);
    return found;
}

static int bind_slot(struct binding *b, const struct spec_node *n, uint32_t *cell)
{
    uint32_t slot = n->op == SPEC_NOW ? SLOT_NOW : SLOT_STEPS;
    if (n->op == SPEC_VARIABLE || n->op == SPEC_MESSAGES) {
        const bool is_variable = n->op == SPEC_VARIABLE;
        struct slot wanted = {.other = UINT32_MAX, .variable = n->variable};
        if (find_process(b, n, &n->process, &wanted.process) < 0 ||
            (!is_variable && find_process(b, n, &n->other, &wanted.other) < 0)) {
            return -1;
        }
        slot = slot_of(b, is_variable ? &b->bound->variables : &b->bound->messages, &wanted);
    }
    *cell = cells_add(&b->bound->cells, (struct cell){.op = CELL_SLOT, .left = slot});
    return 0;
}

static int bind_same(struct binding *b, const struct spec_node *n, uint32_t *cell)
{
    uint32_t first = 0;
    uint32_t second = 0;
    if (find_process(b, n, &n->process, &first) < 0 || find_process(b, n, &n->other, &second) < 0) {
        return -1;
    }
    *cell = cells_constant(&b->bound->cells, (first == second) == (n->relation == SPEC_EQ));
    return 0;
}

static int bind_comparison(struct binding *b, const struct spec_node *n, uint32_t *cell)
{
    uint32_t left = 0;
    uint32_t right = 0;
    if (bind_cell(b, n->left, &left) < 0 || bind_cell(b, n->right, &right) < 0) {
        return -1;
    }
    struct cells *cells = &b->bound->cells;
    struct cell c = {.left = left, .right = right};
    bool is_negated = false;
    switch ((enum spec_relation)n->relation) {
    case SPEC_NE:
        is_negated = true;
        c.op = CELL_EQUAL;
        break;
    case SPEC_EQ: c.op = CELL_EQUAL; break;
    case SPEC_LT: c.op = CELL_LESS; break;
    case SPEC_LE: c.op = CELL_AT_MOST; break;
    case SPEC_GT: c = (struct cell){.op = CELL_LESS, .left = right, .right = left}; break;
    case SPEC_GE: c = (struct cell){.op = CELL_AT_MOST, .left = right, .right = left}; break;
    }
    *cell = cells_add(cells, c);
    if (is_negated) {
        *cell = cells_not(cells, *cell);
    }
    return 0;
}

/* The operator that joins the bodies of a binder. */
static enum cell_op joining(enum spec_op op)
{
    return op == SPEC_FORALL   ? CELL_AND
           : op == SPEC_EXISTS ? CELL_OR
           : op == SPEC_LEAST  ? CELL_MIN
           : op == SPEC_MOST   ? CELL_MAX
                               : CELL_PLUS;
}

/* forall, exists, count, sum, min, max: the body for each member, joined. */
static int bind_members(struct binding *b, uint32_t node, uint32_t *cell)
{
    const struct spec_node *n = spec_at(b->spec, node);
    const enum cell_op op = joining(n->op);
    bool is_first = true;
    if (check_members(b, n) < 0) {
        return -1;
    }
    for (uint32_t i = 0; (i = next_member(b, n->group, i)) < b->system->process_count; i++) {
        uint32_t body = 0;
        b->process_of[node] = i;
        if (bind_cell(b, n->left, &body) < 0) {
            return -1;
        }
        *cell = is_first
                    ? body
                    : cells_add(&b->bound->cells,
                                (struct cell){.op = (uint8_t)op, .left = *cell, .right = body});
        is_first = false;
    }
    return 0;
}

static int bind_pair(struct binding *b, const struct spec_node *n, enum cell_op op, uint32_t *cell)
{
    struct cell c = {.op = (uint8_t)op};
    if (bind_cell(b, n->left, &c.left) < 0 || bind_cell(b, n->right, &c.right) < 0) {
        return -1;
    }
    if (n->op == SPEC_IMPLIES) {
        c.left = cells_not(&b->bound->cells, c.left);
    }
    *cell = cells_add(&b->bound->cells, c);
    return 0;
}

static int bind_cell(struct binding *b, uint32_t node, uint32_t *cell)
{
    const struct spec_node *n = spec_at(b->spec, node);
    struct cells *cells = &b->bound->cells;
    if (visit(b, n) < 0) {
        return -1;
    }
    switch ((enum spec_op)n->op) {
    case SPEC_TRUE:
    case SPEC_FALSE: *cell = cells_constant(cells, n->op == SPEC_TRUE); return 0;
    case SPEC_NUMBER: *cell = cells_constant(cells, n->number); return 0;
    case SPEC_COMPARE: return bind_comparison(b, n, cell);
    case SPEC_SAME: return bind_same(b, n, cell);
    case SPEC_NOT:
    case SPEC_TIMES:
        if (bind_cell(b, n->left, cell) < 0) {
            return -1;
        }
        *cell = cells_add(cells, (struct cell){.op = n->op == SPEC_NOT ? CELL_NOT : CELL_TIMES,
                                               .left = *cell,
                                               .number = n->number});
        return 0;
    case SPEC_AND: return bind_pair(b, n, CELL_AND, cell);
    case SPEC_OR:
    case SPEC_IMPLIES: return bind_pair(b, n, CELL_OR, cell);
    case SPEC_PLUS: return bind_pair(b, n, CELL_PLUS, cell);
    case SPEC_MINUS: return bind_pair(b, n, CELL_MINUS, cell);
    case SPEC_PRODUCT: return bind_pair(b, n, CELL_PRODUCT, cell);
    case SPEC_MIN: return bind_pair(b, n, CELL_MIN, cell);
    case SPEC_MAX: return bind_pair(b, n, CELL_MAX, cell);
    case SPEC_FORALL:
    case SPEC_EXISTS:
    case SPEC_COUNT:
    case SPEC_SUM:
    case SPEC_LEAST:
    case SPEC_MOST: return bind_members(b, node, cell);
    case SPEC_VARIABLE:
    case SPEC_NOW:
    case SPEC_STEPS:
    case SPEC_MESSAGES: return bind_slot(b, n, cell);
    case SPEC_NEXT:
    case SPEC_UNTIL:
    case SPEC_EVENTUALLY:
    case SPEC_ALWAYS:
    case SPEC_LEADS_TO:
    case SPEC_ONCE:
    case SPEC_SINCE: break;
    }
    bug("a temporal formula inside a moment");
}

/* Temporal formulas */

static int bind_part(struct binding *b, uint32_t node, uint32_t *part);

static uint32_t add_part(struct binding *b, struct part part)
{
    vec_push(&b->bound->parts.list, part);
    return (uint32_t)b->bound->parts.list.count - 1;
}

static uint32_t add_one(struct binding *b, enum part_op op, uint32_t left, uint64_t bound)
{
    return add_part(b,
                    (struct part){.op = (uint8_t)op, .left = left, .right = left, .bound = bound});
}

static uint32_t add_two(struct binding *b, enum part_op op, uint32_t left, uint32_t right)
{
    return add_part(b, (struct part){.op = (uint8_t)op, .left = left, .right = right});
}

static uint32_t add_not(struct binding *b, uint32_t left)
{
    return add_one(b, PART_NOT, left, 0);
}

static uint64_t bound_of(const struct spec_node *n)
{
    return n->number == SPEC_UNBOUNDED ? PART_UNBOUNDED : (uint64_t)n->number;
}

static uint32_t add_atom(struct binding *b, uint32_t cell)
{
    vec_push(&b->bound->atoms, cell);
    return (uint32_t)b->bound->atoms.count - 1;
}

/* forall, exists: the result of `inner` on the body for each member, joined. */
static int bind_part_members(struct binding *b, uint32_t node,
                             int (*inner)(struct binding *b, uint32_t node, uint32_t *part),
                             uint32_t *part)
{
    const struct spec_node *n = spec_at(b->spec, node);
    bool is_first = true;
    if (check_members(b, n) < 0) {
        return -1;
    }
    for (uint32_t i = 0; (i = next_member(b, n->group, i)) < b->system->process_count; i++) {
        uint32_t body = 0;
        b->process_of[node] = i;
        if (inner(b, n->left, &body) < 0) {
            return -1;
        }
        *part =
            is_first ? body : add_two(b, n->op == SPEC_FORALL ? PART_AND : PART_OR, *part, body);
        is_first = false;
    }
    return 0;
}

/* left leads to right, at each moment: not left, or right follows in time. */
static uint32_t add_answer(struct binding *b, uint32_t left, uint32_t right, uint64_t bound)
{
    return add_two(b, PART_OR, add_not(b, left), add_one(b, PART_EVENTUALLY, right, bound));
}

static uint32_t add_always(struct binding *b, uint32_t left, uint64_t bound)
{
    return add_not(b, add_one(b, PART_EVENTUALLY, add_not(b, left), bound));
}

static int bind_temporal(struct binding *b, uint32_t node, uint32_t *part)
{
    const struct spec_node *n = spec_at(b->spec, node);
    uint32_t left = 0;
    uint32_t right = 0;
    if (n->op == SPEC_FORALL || n->op == SPEC_EXISTS) {
        return bind_part_members(b, node, bind_part, part);
    }
    if (bind_part(b, n->left, &left) < 0 ||
        (n->right != SPEC_NONE && bind_part(b, n->right, &right) < 0)) {
        return -1;
    }
    switch ((enum spec_op)n->op) {
    case SPEC_NOT: *part = add_not(b, left); return 0;
    case SPEC_AND: *part = add_two(b, PART_AND, left, right); return 0;
    case SPEC_OR: *part = add_two(b, PART_OR, left, right); return 0;
    case SPEC_IMPLIES: *part = add_two(b, PART_OR, add_not(b, left), right); return 0;
    case SPEC_NEXT: *part = add_one(b, PART_NEXT, left, 0); return 0;
    case SPEC_UNTIL: *part = add_two(b, PART_UNTIL, left, right); return 0;
    case SPEC_SINCE: *part = add_two(b, PART_SINCE, left, right); return 0;
    case SPEC_EVENTUALLY: *part = add_one(b, PART_EVENTUALLY, left, bound_of(n)); return 0;
    case SPEC_ONCE: *part = add_one(b, PART_ONCE, left, bound_of(n)); return 0;
    case SPEC_ALWAYS: *part = add_always(b, left, bound_of(n)); return 0;
    case SPEC_LEADS_TO:
        *part = add_always(b, add_answer(b, left, right, bound_of(n)), PART_UNBOUNDED);
        return 0;
    case SPEC_TRUE:
    case SPEC_FALSE:
    case SPEC_COMPARE:
    case SPEC_SAME:
    case SPEC_FORALL:
    case SPEC_EXISTS:
    case SPEC_NUMBER:
    case SPEC_TIMES:
    case SPEC_PLUS:
    case SPEC_MINUS:
    case SPEC_PRODUCT:
    case SPEC_MIN:
    case SPEC_MAX:
    case SPEC_VARIABLE:
    case SPEC_SUM:
    case SPEC_COUNT:
    case SPEC_LEAST:
    case SPEC_MOST:
    case SPEC_NOW:
    case SPEC_STEPS:
    case SPEC_MESSAGES: break;
    }
    bug("not temporal");
}

static int bind_part(struct binding *b, uint32_t node, uint32_t *part)
{
    const struct spec_node *n = spec_at(b->spec, node);
    if (visit(b, n) < 0) {
        return -1;
    }
    if (n->is_temporal) {
        return bind_temporal(b, node, part);
    }
    uint32_t cell = 0;
    if (bind_cell(b, node, &cell) < 0) {
        return -1;
    }
    *part = add_one(b, PART_ATOM, add_atom(b, cell), 0);
    return 0;
}

/* Properties */

/* An always inside an always is bound once: so the reported step is the one without the response,
 * not the first of the run. */
static int bind_always(struct binding *b, uint32_t node, uint32_t *part)
{
    const struct spec_node *n = spec_at(b->spec, node);
    if (n->op == SPEC_ALWAYS && n->number == SPEC_UNBOUNDED && n->is_temporal) {
        return bind_always(b, n->left, part);
    }
    if (n->op == SPEC_FORALL && n->is_temporal) {
        return bind_part_members(b, node, bind_always, part);
    }
    if (n->op != SPEC_LEADS_TO) {
        return bind_part(b, node, part);
    }
    uint32_t left = 0;
    uint32_t right = 0;
    if (bind_part(b, n->left, &left) < 0 || bind_part(b, n->right, &right) < 0) {
        return -1;
    }
    *part = add_answer(b, left, right, bound_of(n));
    return 0;
}

static int bind_property(struct binding *b, const struct spec_property *property)
{
    const struct spec_node *root = spec_at(b->spec, property->root);
    const bool is_always = property->claim == SPEC_CLAIM_ALWAYS;
    struct bound_property bound = {.is_temporal = root->is_temporal,
                                   .atom_first = (uint32_t)b->bound->atoms.count};
    if (root->is_temporal) {
        const int result = is_always ? bind_always(b, property->root, &bound.part)
                                     : bind_part(b, property->root, &bound.part);
        if (result < 0) {
            return -1;
        }
        bound.part = is_always ? add_not(b, bound.part) : bound.part;
    } else {
        uint32_t cell = 0;
        if (bind_cell(b, property->root, &cell) < 0) {
            return -1;
        }
        bound.atom = add_atom(b, is_always ? cells_not(&b->bound->cells, cell) : cell);
    }
    bound.atom_end = (uint32_t)b->bound->atoms.count;
    must(bound.atom_end >= bound.atom_first);
    must(root->is_temporal || bound.atom < bound.atom_end);
    vec_push(&b->bound->properties, bound);
    return 0;
}

int bind_spec(struct bound *bound, const struct spec *s, const struct checker_system *system,
              struct err *e)
{
    struct arena arena = {0};
    struct binding b = {.spec = s, .system = system, .bound = bound, .e = e};
    b.process_of = arena_array(&arena, uint32_t, s->nodes.count);
    int result = 0;
    for (size_t i = 0; i < s->properties.count && result == 0; i++) {
        result = bind_property(&b, &s->properties.at[i]);
    }
    arena_release(&arena);
    return result;
}
