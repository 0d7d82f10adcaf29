#include "proc/record/loop_routines.h"

void routines_release(struct routines *r)
{
    vec_each (&r->list, routine) {
        rounds_free(routine->rounds);
    }
    vec_release(&r->list);
    map_release(&r->number_of);
    map_release(&r->depth_of);
}

/* Code of the system may have a function of the program inlined elsewhere. */
static bool is_of(const struct routine *routine, uint64_t position, uint32_t depth)
{
    return routine->depth == depth && !rounds_is_system(routine->rounds) &&
           rounds_covers(routine->rounds, position);
}

struct rounds *routines_at(struct routines *r, struct places *places, uint64_t position,
                           uint32_t depth)
{
    bool is_new = false;
    uint32_t *number = map_slot(&r->number_of, position ^ (uint64_t)depth << 56, 0, &is_new);
    if (!is_new) {
        return *number == 0 ? NULL : r->list.at[*number - 1].rounds;
    }
    for (uint32_t i = 0; i < r->list.count && *number == 0; i++) {
        *number = is_of(&r->list.at[i], position, depth) ? i + 1 : 0;
    }
    if (*number == 0) {
        struct rounds *rounds = rounds_new(places, position, depth);
        if (rounds == NULL) {
            return NULL;
        }
        vec_push(&r->list, (struct routine){.rounds = rounds, .depth = depth});
        *number = (uint32_t)r->list.count;
    }
    return r->list.at[*number - 1].rounds;
}

uint32_t routines_depth(struct routines *r, struct places *places, uint64_t position)
{
    bool is_new = false;
    uint32_t *depth = map_slot(&r->depth_of, position, 0, &is_new);
    if (is_new) {
        const struct rounds *outermost = routines_at(r, places, position, 0);
        *depth = outermost == NULL ? 0 : rounds_depth(outermost, position);
    }
    return *depth;
}
