#include "race/observed/pending_clocks.h"

#include "wire/must.h"

void pending_clocks_init(struct pending_clocks *p, struct clocks *clocks)
{
    *p = (struct pending_clocks){
        .clocks = clocks, .earliest = PENDING_NONE, .latest = PENDING_NONE, .count_max = SIZE_MAX};
}

/* The invariant of the list of all pending clocks. O(1). */
static void check(const struct pending_clocks *p)
{
    must((p->count == 0) == (p->earliest == PENDING_NONE));
    must((p->count == 0) == (p->latest == PENDING_NONE));
    must(p->count + p->unused.count <= p->pool.count);
}

void pending_clocks_release(struct pending_clocks *p)
{
    vec_release(&p->pool);
    vec_release(&p->unused);
    vec_release(&p->lists);
}

uint32_t pending_clocks_list_new(struct pending_clocks *p)
{
    must(p->lists.count < PENDING_NONE);
    vec_push(&p->lists, (struct pending_clock_list){
                            .first = PENDING_NONE, .last = PENDING_NONE, .kept = PENDING_NONE});
    return (uint32_t)(p->lists.count - 1);
}

static uint32_t pending_clock_new(struct pending_clocks *p)
{
    if (p->unused.count > 0) {
        return vec_pop(&p->unused);
    }
    must(p->pool.count < PENDING_NONE);
    vec_push(&p->pool, (struct pending_clock){0});
    return (uint32_t)(p->pool.count - 1);
}

static void pending_clock_free(struct pending_clocks *p, uint32_t id)
{
    clocks_row_free(p->clocks, p->pool.at[id].row);
    vec_push(&p->unused, id);
}

/* Takes a pending_clock out of the order of all. */
static void unlink_from_all(struct pending_clocks *p, uint32_t id)
{
    const struct pending_clock *pending_clock = &p->pool.at[id];
    *(pending_clock->earlier == PENDING_NONE ? &p->earliest
                                             : &p->pool.at[pending_clock->earlier].later) =
        pending_clock->later;
    *(pending_clock->later == PENDING_NONE ? &p->latest
                                           : &p->pool.at[pending_clock->later].earlier) =
        pending_clock->earlier;
    must(p->count > 0);
    p->count--;
}

static uint32_t unlink_first(struct pending_clocks *p, struct pending_clock_list *l)
{
    const uint32_t id = l->first;
    must(id != PENDING_NONE);
    l->first = p->pool.at[id].next;
    if (l->first == PENDING_NONE) {
        l->last = PENDING_NONE;
    }
    unlink_from_all(p, id);
    return id;
}

/* The earliest of all is the first of its list, since lists are in the order of putting. */
static void lose_earliest(struct pending_clocks *p)
{
    struct pending_clock_list *l = &p->lists.at[p->pool.at[p->earliest].list];
    must(l->first == p->earliest);
    pending_clock_free(p, unlink_first(p, l));
    l->lost_count++;
    p->lost_count++;
}

struct pending_clock *pending_clocks_put(struct pending_clocks *p, uint32_t list, uint32_t row)
{
    must(list < p->lists.count);
    while (p->count > 0 && p->count >= p->count_max) {
        lose_earliest(p);
    }
    const uint32_t copy = clocks_row_new(p->clocks);
    clocks_copy(p->clocks, copy, row);
    const uint32_t id = pending_clock_new(p);
    p->pool.at[id] = (struct pending_clock){.row = copy,
                                            .list = list,
                                            .next = PENDING_NONE,
                                            .earlier = p->latest,
                                            .later = PENDING_NONE};
    *(p->latest == PENDING_NONE ? &p->earliest : &p->pool.at[p->latest].later) = id;
    p->latest = id;
    p->count++;
    struct pending_clock_list *l = &p->lists.at[list];
    *(l->last == PENDING_NONE ? &l->first : &p->pool.at[l->last].next) = id;
    l->last = id;
    l->was_put = true;
    check(p);
    return &p->pool.at[id];
}

/* Makes the list keep this pending_clock, at the price of the one that was kept longest. */
static void keep(struct pending_clocks *p, uint32_t list, uint32_t id)
{
    struct pending_clock_list *l = &p->lists.at[list];
    if (l->kept != PENDING_NONE) {
        pending_clock_free(p, l->kept);
    }
    l->kept = id;
    l->kept_ticket = p->ticket_next++;
    uint32_t *keeper = &p->kept_lists[l->kept_ticket % PENDING_KEPT_MAX];
    if (l->kept_ticket >= PENDING_KEPT_MAX) {
        struct pending_clock_list *oldest = &p->lists.at[*keeper];
        if (oldest->kept != PENDING_NONE &&
            oldest->kept_ticket == l->kept_ticket - PENDING_KEPT_MAX) {
            pending_clock_free(p, oldest->kept);
            oldest->kept = PENDING_NONE;
        }
    }
    *keeper = list;
}

const struct pending_clock *pending_clocks_take(struct pending_clocks *p, uint32_t list)
{
    struct pending_clock_list *l = &p->lists.at[list];
    if (l->lost_count > 0) {
        l->lost_count--;
        return NULL;
    }
    if (l->first != PENDING_NONE) {
        keep(p, list, unlink_first(p, l));
    }
    check(p);
    return l->kept == PENDING_NONE ? NULL : &p->pool.at[l->kept];
}

void pending_clocks_drop(struct pending_clocks *p, uint32_t list, struct pending_clock *before)
{
    struct pending_clock_list *l = &p->lists.at[list];
    if (before == NULL) {
        pending_clock_free(p, unlink_first(p, l));
        return;
    }
    const uint32_t id = before->next;
    must(id != PENDING_NONE);
    must(p->pool.at[id].list == list);
    before->next = p->pool.at[id].next;
    if (l->last == id) {
        l->last = (uint32_t)(before - p->pool.at);
    }
    unlink_from_all(p, id);
    pending_clock_free(p, id);
}
