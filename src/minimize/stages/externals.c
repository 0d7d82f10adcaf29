/* Requests and faults, by delta debugging: atoms of them, each with the rest of the execution. */
#include <string.h>

#include "base/mem.h"
#include "minimize/engine/ddmin.h"
#include "minimize/stages/stages.h"

/* The execution whose atoms are reduced: every test begins from it, not from the execution of the
 * test before. */
struct basis {
    struct reducer *reducer;
    VEC(struct pick_want) wants;
    VEC(uint32_t) atom_of; /* of each step; STEP_NONE: it is not from outside */
    uint32_t atom_count;
};

/* Whether the violation shows with these atoms only. */
static bool shows_with(void *context, const bool *is_in, uint32_t count)
{
    struct basis *b = context;
    must(count == b->atom_count);
    struct candidate *c = &b->reducer->candidate;
    vec_clear(&c->wants);
    c->wants_kept = UINT32_MAX;
    for (size_t i = 0; i < b->wants.count; i++) {
        const uint32_t atom = b->atom_of.at[i];
        if (atom == STEP_NONE || is_in[atom]) {
            vec_push(&c->wants, b->wants.at[i]);
        } else if (c->wants_kept == UINT32_MAX) {
            c->wants_kept = (uint32_t)i;
        }
    }
    const bool shows = reducer_shows(b->reducer, c);
    c->wants_kept = 0;
    return shows;
}

static void list_atoms(struct basis *b)
{
    const struct reducer *r = b->reducer;
    for (uint32_t i = 0; i < reducer_size(r); i++) {
        const uint32_t partner = r->partner_of.at[i];
        uint32_t atom = STEP_NONE;
        if (r->result->best.steps.at[i].operation.is_external && reducer_may_go(r, i)) {
            atom = partner < i ? b->atom_of.at[partner] : b->atom_count++;
        }
        vec_push(&b->wants, reducer_want(r, i, r->ways.at[0]));
        vec_push(&b->atom_of, atom);
    }
    must(b->atom_count <= reducer_size(r));
}

void externals_stage(struct reducer *r)
{
    struct basis b = {.reducer = r};
    list_atoms(&b);
    if (b.atom_count == 0) {
        reducer_note_idle(r, "no external event can be removed");
    }
    bool *is_in = mem_zero(b.atom_count + 1, sizeof *is_in);
    memset(is_in, true, b.atom_count);
    if (r->world->has_needs) {
        ddmin_dependent(is_in, b.atom_count, shows_with, &b);
    } else {
        ddmin(is_in, b.atom_count, shows_with, &b);
    }
    mem_free(is_in);
    vec_release(&b.wants);
    vec_release(&b.atom_of);
}
