#include "proc/record/operations.h"

#include <string.h>

#include "wire/must.h"

void operations_take(struct operations *o, const struct record *call)
{
    o->is_told = true;
    o->is_lost |= call->object >= CALLS_LEVELS;
    if (o->is_lost) {
        return;
    }
    const uint32_t level = (uint32_t)call->object;
    o->kept = level < o->kept ? level : o->kept;
    o->has_calls = true;
    o->is_entered |= level <= o->level && call->place != 0;
    o->is_moved |= level == o->level + 1 && call->place != 0;
    must(level < CALLS_LEVELS);
    o->at[level] = call->place;
    o->depth = call->place != 0 ? level + 1 : level;
}

uint64_t operations_position(const struct operations *o, uint32_t level, uint64_t place)
{
    must(o->depth <= CALLS_LEVELS);
    return level + 1 < o->depth ? o->at[level + 1] : place;
}

/* Finds the routine: the first function that is not a header of the system's. */
static void find_routine(struct operations *o, struct routines *r, struct places *places,
                         uint64_t place)
{
    o->level = 0;
    o->routine = routines_at(r, places, operations_position(o, 0, place), 0);
    while (o->routine != NULL && rounds_is_system(o->routine) && o->level + 1 < o->depth) {
        o->level++;
        o->routine = routines_at(r, places, operations_position(o, o->level, place), 0);
    }
    o->is_sought = o->routine != NULL && rounds_is_system(o->routine);
    o->is_moved = o->level + 1 < o->depth;
}

static uint32_t begin_operation(struct operations *o, uint64_t epoch)
{
    o->epoch = epoch;
    must(o->own <= o->count);
    o->number = o->own = ++o->count;
    return o->number;
}

static bool is_divided(struct operations *o, uint64_t position, const struct operation_event *e)
{
    if (o->position == 0 || !rounds_has(o->routine, o->position)) {
        return false;
    }
    /* One call may do several things, but none of them twice; an access to several words is
     * recorded word by word. */
    const bool goes_on = e->size != 0 && e->address == o->end && e->epoch == o->end_epoch;
    const bool is_same = position == o->position && !o->is_moved &&
                         (o->depth > o->level + 1 || e->kind != o->kind || goes_on);
    return !is_same && e->epoch != o->epoch && rounds_divide(o->routine, o->position, position);
}

uint32_t operations_of(struct operations *o, struct routines *r, struct places *places,
                       const struct operation_event *e)
{
    if (o->count == 0) {
        o->number = o->own = o->count = 1;
    }
    if (!o->is_told || o->is_lost || o->depth == 0) {
        return o->number;
    }
    if (o->is_entered && o->has_begun) {
        (void)begin_operation(o, e->epoch);
    }
    if (o->is_entered || o->is_sought) {
        o->is_entered = false;
        o->has_begun = true;
        o->position = 0;
        o->back_count = 0;
        find_routine(o, r, places, e->place);
    }
    const uint64_t position = operations_position(o, o->level, e->place);
    if (o->routine == NULL || o->is_sought) {
        return o->number;
    }
    if (rounds_has(o->routine, position)) {
        if (is_divided(o, position, e)) {
            (void)begin_operation(o, e->epoch);
        }
        o->number = o->own;
        o->position = position;
        o->kind = e->kind;
        o->end = e->address + e->size;
        o->end_epoch = e->epoch;
        o->back_count = 0;
    } else if (o->is_moved && o->back_count++ > 0) {
        o->number = ++o->count;
    }
    o->is_moved = false;
    return o->number;
}

bool operations_is_next(struct operations *o, uint64_t place)
{
    return o->is_told && !o->is_lost && o->routine != NULL && o->position != 0 &&
           rounds_has(o->routine, place) && rounds_divide(o->routine, o->position, place);
}

uint32_t operations_next(struct operations *o, const struct operation_event *e)
{
    o->position = e->place;
    o->kind = e->kind;
    o->back_count = 0;
    return begin_operation(o, e->epoch);
}
