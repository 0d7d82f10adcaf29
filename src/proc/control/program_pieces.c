#include "proc/control/program_pieces.h"

#define NONE UINT32_MAX

/* Above all addresses. */
#define IN_BLOCK (UINT64_C(1) << 63)
#define KEY_KINDS                                                                              \
    (CONTROL_KEY_OF_BLOCK | CONTROL_KEY_OF_KIND | CONTROL_KEY_OF_PLACE | CONTROL_KEY_OF_TIME | \
     CONTROL_KEY_OF_TASK)

static bool is_access(const struct control_step *s)
{
    switch (s->traced) {
    case EVENT_READ:
    case EVENT_WRITE:
    case EVENT_ATOMIC_LOAD:
    case EVENT_ATOMIC_STORE:
    case EVENT_ATOMIC_RMW: return s->size > 0;
    default: return false;
    }
}

static struct named name_of(const struct control_step *s)
{
    return (struct named){s->key, s->ordinal, s->offset, s->owner};
}

uint32_t control_pieces_object(struct control_pieces *p, struct named n)
{
    return tuples_intern(&p->objects, (struct tuple){{(uint32_t)(n.key >> 32), (uint32_t)n.key,
                                                      n.ordinal, n.owner}});
}

static uint64_t byte_of(struct control_pieces *p, const struct control_step *s)
{
    const uint64_t object = control_pieces_object(p, name_of(s));
    return s->address != 0 ? s->address : IN_BLOCK | object << 32 | s->offset;
}

void control_pieces_build(struct control_pieces *p, const struct control_step *steps,
                          uint64_t count)
{
    *p = (struct control_pieces){.steps = steps};
    must(count < NONE);
    for (uint64_t i = 0; i < count; i++) {
        if (is_access(&steps[i])) {
            const uint64_t at = byte_of(p, &steps[i]);
            map_put(&p->cuts, at, 1);
            map_put(&p->cuts, at + steps[i].size, 1);
            (void)map_slot(&p->step_at, at, (uint32_t)i, NULL);
        }
    }
}

void control_pieces_release(struct control_pieces *p)
{
    tuples_release(&p->objects);
    map_release(&p->cuts);
    map_release(&p->step_at);
    map_release(&p->is_used);
    map_release(&p->last_of);
    vec_release(&p->used);
}

/* The name of a byte in the step's access. What has its name from the place of its first use is
 * called so in all accesses that reach it. */
static struct named name_at(const struct control_pieces *p, const struct control_step *s,
                            uint64_t distance, uint64_t at)
{
    struct named n = name_of(s);
    const uint32_t *first = s->address == 0 ? NULL : map_get(&p->step_at, at);
    if (distance == 0 || first != NULL) {
        return distance == 0 ? n : name_of(&p->steps[*first]);
    }
    if ((n.key & KEY_KINDS) == 0) {
        n.key += distance;
    } else {
        n.offset += (uint32_t)distance;
    }
    return n;
}

/* Pieces of blocks are kept for when the block is freed. */
static void keep(struct control_pieces *p, const struct control_step *s,
                 const struct control_piece *piece)
{
    bool is_new = false;
    (void)map_slot(&p->is_used, piece->at, 1, &is_new);
    if (s->address == 0 && is_new) {
        uint32_t *last = map_slot(&p->last_of, control_pieces_object(p, name_of(s)), NONE, NULL);
        vec_push(&p->used, *piece);
        p->used.at[p->used.count - 1].before = *last;
        *last = (uint32_t)p->used.count - 1;
    }
}

bool control_pieces_next(struct control_pieces *p, const struct control_step *s,
                         struct control_piece *piece)
{
    if (!is_access(s)) {
        return false;
    }
    const uint64_t start = byte_of(p, s);
    const uint64_t from = piece->size == 0 ? start : piece->at + piece->size;
    const uint64_t end = start + s->size;
    uint64_t to = from + 1;
    while (to < end && map_get(&p->cuts, to) == NULL) {
        to++;
    }
    if (from >= end) {
        return false;
    }
    *piece = (struct control_piece){
        .name = name_at(p, s, from - start, from), .size = (uint32_t)(to - from), .at = from};
    keep(p, s, piece);
    return true;
}

void control_pieces_use(struct control_pieces *p, const struct control_step *s)
{
    const struct control_piece piece = {.name = name_of(s), .size = 1, .at = byte_of(p, s)};
    keep(p, s, &piece);
}

bool control_pieces_next_used(struct control_pieces *p, const struct control_step *s,
                              struct control_piece *piece)
{
    uint32_t index = piece->before;
    if (piece->size == 0) {
        const uint32_t *last = map_get(&p->last_of, control_pieces_object(p, name_of(s)));
        index = last == NULL ? NONE : *last;
    }
    if (index == NONE) {
        return false;
    }
    *piece = p->used.at[index];
    return true;
}
