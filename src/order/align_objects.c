/* What both sides did to one object, in another order. Of each object the pairs are gone through as
 * the first side has them: a read is held against the last write before it, and a write against
 * that and all reads since. Whatever else is the other way round follows from one of these, for the
 * order of an object's acts is total on either side. */
#include "order/align_parts.h"

/* What an object was last touched by. */
struct touched {
    uint32_t write; /* act of the first side; ALIGN_NONE: there was none */
    VEC(uint32_t) reads;
};

struct objects {
    struct map number_of;
    VEC(struct touched) list;
};

static void compare(struct alignment *a, uint32_t earlier, uint32_t later)
{
    const struct align_acts *first = &a->sides[ALIGN_FIRST];
    const struct align_acts *second = &a->sides[ALIGN_SECOND];
    if (earlier == ALIGN_NONE || first->partner_of[earlier] < first->partner_of[later]) {
        return;
    }
    vec_push(&a->reorderings,
             (struct reordering){.earlier = first->list.at[earlier],
                                 .later = first->list.at[later],
                                 .earlier_index = second->list.at[first->partner_of[earlier]].index,
                                 .later_index = second->list.at[first->partner_of[later]].index});
}

static void touch(struct alignment *a, struct touched *t, uint32_t act)
{
    compare(a, t->write, act);
    if (a->sides[ALIGN_FIRST].list.at[act].is_read) {
        vec_push(&t->reads, act);
        return;
    }
    vec_each (&t->reads, read) {
        compare(a, *read, act);
    }
    vec_clear(&t->reads);
    t->write = act;
}

void alignment_compare_objects(struct alignment *a)
{
    const struct align_acts *first = &a->sides[ALIGN_FIRST];
    struct objects objects = {0};
    for (uint32_t i = 0; i < first->list.count; i++) {
        const uint32_t object = first->list.at[i].object;
        if (object == 0 || first->partner_of[i] == ALIGN_NONE) {
            continue;
        }
        bool is_new = false;
        const uint32_t number =
            *map_slot(&objects.number_of, object, (uint32_t)objects.list.count, &is_new);
        if (is_new) {
            vec_push(&objects.list, (struct touched){.write = ALIGN_NONE});
        }
        touch(a, &objects.list.at[number], i);
    }
    vec_each (&objects.list, t) {
        vec_release(&t->reads);
    }
    vec_release(&objects.list);
    map_release(&objects.number_of);
}
