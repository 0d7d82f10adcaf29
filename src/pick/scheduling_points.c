/* Scheduling points: accesses to memory at which the scheduler chooses. An access to a word that
 * only one task uses commutes with everything, so a choice before it only makes runs longer. */
#include "pick/operation_name.h"
#include "pick/strategy.h"

enum { WORD_SIZE = 8, WORDS_MAX = 64 };

void point_init(struct pick *p, struct carving *c)
{
    table_init(&p->points, carve(c, table_entries(p->limits.point_max), sizeof(struct table_entry)),
               p->limits.point_max);
}

/* Adds the points that the list has gained since the last run. */
void point_begin(struct pick *p)
{
    if (p->plan.points == NULL) {
        return;
    }
    must(p->plan.points_number != 0);
    if (p->points_number != p->plan.points_number) {
        table_clear(&p->points);
        p->points_number = p->plan.points_number;
        p->point_count = 0;
        p->has_all_points = false;
    }
    for (; p->point_count < p->plan.point_count && !p->has_all_points; p->point_count++) {
        p->has_all_points = table_slot(&p->points, p->plan.points[p->point_count], 1) == NULL;
    }
}

uint64_t pick_point_of_word(uint32_t region, uint32_t word)
{
    return name_mix(name_mix(6, region), word);
}

uint64_t pick_point_of_place(uint64_t place)
{
    return name_mix(7, place);
}

uint64_t pick_point_of_region(uint32_t region)
{
    return name_mix(8, region);
}

bool pick_is_point(const struct pick *p, const struct pick_operation *o)
{
    if (p->plan.points == NULL || p->has_all_points || !o->is_access || o->region == 0 ||
        o->end - o->begin > WORDS_MAX * WORD_SIZE) {
        return true;
    }
    for (uint32_t word = o->begin / WORD_SIZE; word <= (o->end - 1) / WORD_SIZE; word++) {
        if (table_get(&p->points, pick_point_of_word(o->region, word)) != NULL) {
            return true;
        }
    }
    return table_get(&p->points, pick_point_of_place(o->place)) != NULL &&
           table_get(&p->points, pick_point_of_region(o->region)) == NULL;
}

bool pick_pass(struct pick *p, const struct pick_operation *o)
{
    if (p->plan.points == NULL || p->turn < p->plan.turn_count || p->step < p->plan.steps_first ||
        p->plan.wants != NULL || pick_is_point(p, o)) {
        return false;
    }
    if (p->plan.constraint_count > 0) {
        keep_done(p, o);
    }
    if (p->plan.wish_count > 0) {
        wish_done(p, o);
    }
    p->step++;
    return true;
}
