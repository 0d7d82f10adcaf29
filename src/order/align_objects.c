/* Acts of both sides on one object, in different orders. The pairs of each object are visited as
 * the first side has them. A write is compared with the last write before it and with the last read
 * of each other strand, a read with the last write of each other strand. If any two are reversed,
 * then so are two of these: the writes of an object are totally ordered on either side, and a
 * strand keeps its own order on both. */
#include "order/align_parts.h"

/* The last acts of a strand on an object: acts of the first side; ALIGN_NONE: none. */
struct touched {
    uint32_t strand;
    uint32_t read, write;
};

struct object {
    uint32_t write; /* the last of all */
    VEC(struct touched) by;
};

struct objects {
    struct map number_of;
    VEC(struct object) list;
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

static struct touched *touched_by(struct object *o, uint32_t strand)
{
    vec_each (&o->by, t) {
        if (t->strand == strand) {
            return t;
        }
    }
    vec_push(&o->by, (struct touched){.strand = strand, .read = ALIGN_NONE, .write = ALIGN_NONE});
    return vec_last(&o->by);
}

static void touch(struct alignment *a, struct object *o, uint32_t number)
{
    const struct act act = a->sides[ALIGN_FIRST].list.at[number];
    if (!act.is_read) {
        compare(a, o->write, number);
        o->write = number;
    }
    vec_each (&o->by, t) {
        if (t->strand != act.strand) {
            compare(a, act.is_read ? t->write : t->read, number);
        }
    }
    struct touched *own = touched_by(o, act.strand);
    *(act.is_read ? &own->read : &own->write) = number;
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
            vec_push(&objects.list, (struct object){.write = ALIGN_NONE});
        }
        touch(a, &objects.list.at[number], i);
    }
    vec_each (&objects.list, o) {
        vec_release(&o->by);
    }
    vec_release(&objects.list);
    map_release(&objects.number_of);
}
