#include "race/observed/pending_clocks.h"

#include "wire/must.h"

void parcels_init(struct parcels *p, struct clocks *clocks)
{
    *p = (struct parcels){
        .clocks = clocks, .earliest = PARCEL_NONE, .latest = PARCEL_NONE, .count_max = SIZE_MAX};
}

void parcels_release(struct parcels *p)
{
    vec_release(&p->pool);
    vec_release(&p->unused);
    vec_release(&p->lists);
}

uint32_t parcels_list_new(struct parcels *p)
{
    must(p->lists.count < PARCEL_NONE);
    vec_push(&p->lists,
             (struct parcel_list){.first = PARCEL_NONE, .last = PARCEL_NONE, .kept = PARCEL_NONE});
    return (uint32_t)(p->lists.count - 1);
}

static uint32_t parcel_new(struct parcels *p)
{
    if (p->unused.count > 0) {
        return vec_pop(&p->unused);
    }
    must(p->pool.count < PARCEL_NONE);
    vec_push(&p->pool, (struct parcel){0});
    return (uint32_t)(p->pool.count - 1);
}

static void parcel_free(struct parcels *p, uint32_t id)
{
    clocks_row_free(p->clocks, p->pool.at[id].row);
    vec_push(&p->unused, id);
}

/* Takes a parcel out of the order of all. */
static void unlink_from_all(struct parcels *p, uint32_t id)
{
    const struct parcel *parcel = &p->pool.at[id];
    *(parcel->earlier == PARCEL_NONE ? &p->earliest : &p->pool.at[parcel->earlier].later) =
        parcel->later;
    *(parcel->later == PARCEL_NONE ? &p->latest : &p->pool.at[parcel->later].earlier) =
        parcel->earlier;
    p->count--;
}

static uint32_t unlink_first(struct parcels *p, struct parcel_list *l)
{
    const uint32_t id = l->first;
    must(id != PARCEL_NONE);
    l->first = p->pool.at[id].next;
    if (l->first == PARCEL_NONE) {
        l->last = PARCEL_NONE;
    }
    unlink_from_all(p, id);
    return id;
}

/* The earliest of all is the first of its list, since lists are in the order of putting. */
static void lose_earliest(struct parcels *p)
{
    struct parcel_list *l = &p->lists.at[p->pool.at[p->earliest].list];
    must(l->first == p->earliest);
    parcel_free(p, unlink_first(p, l));
    l->lost_count++;
    p->lost_count++;
}

struct parcel *parcels_put(struct parcels *p, uint32_t list, uint32_t row)
{
    while (p->count > 0 && p->count >= p->count_max) {
        lose_earliest(p);
    }
    const uint32_t copy = clocks_row_new(p->clocks);
    clocks_copy(p->clocks, copy, row);
    const uint32_t id = parcel_new(p);
    p->pool.at[id] = (struct parcel){
        .row = copy, .list = list, .next = PARCEL_NONE, .earlier = p->latest, .later = PARCEL_NONE};
    *(p->latest == PARCEL_NONE ? &p->earliest : &p->pool.at[p->latest].later) = id;
    p->latest = id;
    p->count++;
    struct parcel_list *l = &p->lists.at[list];
    *(l->last == PARCEL_NONE ? &l->first : &p->pool.at[l->last].next) = id;
    l->last = id;
    l->was_put = true;
    return &p->pool.at[id];
}

/* Makes the list keep this parcel, at the price of the one that was kept longest. */
static void keep(struct parcels *p, uint32_t list, uint32_t id)
{
    struct parcel_list *l = &p->lists.at[list];
    if (l->kept != PARCEL_NONE) {
        parcel_free(p, l->kept);
    }
    l->kept = id;
    l->kept_ticket = p->ticket_next++;
    uint32_t *keeper = &p->kept_lists[l->kept_ticket % PARCELS_KEPT_MAX];
    if (l->kept_ticket >= PARCELS_KEPT_MAX) {
        struct parcel_list *oldest = &p->lists.at[*keeper];
        if (oldest->kept != PARCEL_NONE &&
            oldest->kept_ticket == l->kept_ticket - PARCELS_KEPT_MAX) {
            parcel_free(p, oldest->kept);
            oldest->kept = PARCEL_NONE;
        }
    }
    *keeper = list;
}

const struct parcel *parcels_take(struct parcels *p, uint32_t list)
{
    struct parcel_list *l = &p->lists.at[list];
    if (l->lost_count > 0) {
        l->lost_count--;
        return NULL;
    }
    if (l->first != PARCEL_NONE) {
        keep(p, list, unlink_first(p, l));
    }
    return l->kept == PARCEL_NONE ? NULL : &p->pool.at[l->kept];
}

void parcels_drop(struct parcels *p, uint32_t list, struct parcel *before)
{
    struct parcel_list *l = &p->lists.at[list];
    if (before == NULL) {
        parcel_free(p, unlink_first(p, l));
        return;
    }
    const uint32_t id = before->next;
    must(id != PARCEL_NONE);
    before->next = p->pool.at[id].next;
    if (l->last == id) {
        l->last = (uint32_t)(before - p->pool.at);
    }
    unlink_from_all(p, id);
    parcel_free(p, id);
}
