#include "race/scoped_ids.h"

#include "wire/must.h"

void scoped_release(struct scoped *s)
{
    vec_release(&s->firsts);
    map_release(&s->others);
}

uint32_t scoped_other(struct scoped *s, const struct names *names, uint32_t node, uint32_t object)
{
    must(s->count < UINT32_MAX - 1);
    must(node != SCOPED_EVERYWHERE);
    while (s->firsts.count <= object) {
        vec_push(&s->firsts, (struct scoped_first){0});
    }
    struct scoped_first *first = &s->firsts.at[object];
    if (first->number == 0) {
        const bool is_whole = scope_is_whole(names, object);
        *first = (struct scoped_first){.node = is_whole ? SCOPED_EVERYWHERE : node,
                                       .number = ++s->count};
        return first->number - 1;
    }
    must(first->node != node);
    must(first->node != SCOPED_EVERYWHERE);
    bool is_new = false;
    const uint32_t number = *map_slot(&s->others, map_pair(node, object), s->count, &is_new);
    s->count += is_new;
    must(number < s->count);
    return number;
}
