#include "race/strict/place_clocks.h"

#include "wire/must.h"

/* A list with DENSE_MIN entries or more, one in every fourth column at least, is dense. */
enum { DENSE_MIN = 64, DENSE_SHARE = 4, ROW_STEP = 16 };

static void list_release(struct place_list *l)
{
    vec_release(&l->clocks);
    vec_release(&l->entries);
    vec_release(&l->extra_clocks);
    vec_release(&l->extra);
}

void place_clocks_clear(struct place_clocks *p)
{
    vec_each (&p->lists, l) {
        list_release(l);
    }
    vec_clear(&p->lists);
    triples_release(&p->list_of);
    p->list_of = (struct triples){0};
}

void place_clocks_release(struct place_clocks *p)
{
    place_clocks_clear(p);
    vec_release(&p->lists);
}

static struct place_list *list_at(struct place_clocks *p, uint32_t *first,
                                  const struct place_access *a)
{
    uint32_t *number = triples_slot(&p->list_of, a->variable, a->place, 0);
    if (*number == TRIPLE_ABSENT) {
        must(p->lists.count < PLACE_LIST_NONE);
        *number = (uint32_t)p->lists.count;
        vec_push(&p->lists, (struct place_list){.place = a->place, .next = *first});
        *first = *number;
    }
    return &p->lists.at[*number];
}

/* Makes the dense row wide enough for this column. */
static void row_widen(struct place_list *l, uint32_t column)
{
    while (l->clocks.count <= column || l->clocks.count % ROW_STEP != 0) {
        vec_push(&l->clocks, 0);
        vec_push(&l->entries, (struct place_entry){0});
    }
}

/* Takes the entry of this task out of the further ones of its column, if it is there. */
static void extra_remove(struct place_list *l, const struct place_entry *e)
{
    for (size_t i = 0; i < l->extra.count; i++) {
        if (l->extra.at[i].column == e->column && l->extra.at[i].task == e->task) {
            l->extra.at[i] = vec_pop(&l->extra);
            l->extra_clocks.at[i] = vec_pop(&l->extra_clocks);
            return;
        }
    }
}

/* The task that comes is likely the one that goes on in the column, so its entry is in the row. */
static void set_dense(struct place_list *l, struct place_entry e, uint32_t clock)
{
    row_widen(l, e.column);
    if (l->clocks.at[e.column] != 0 && l->entries.at[e.column].task != e.task) {
        const struct place_entry other = l->entries.at[e.column];
        extra_remove(l, &e);
        vec_push(&l->extra, other);
        vec_push(&l->extra_clocks, l->clocks.at[e.column]);
    }
    l->entries.at[e.column] = e;
    l->clocks.at[e.column] = clock;
    must(l->clocks.count % ROW_STEP == 0);
    must(l->clocks.count == l->entries.count);
    must(l->extra.count == l->extra_clocks.count);
}

static void make_dense(struct place_list *l)
{
    struct place_list dense = {.place = l->place, .next = l->next, .is_dense = true};
    for (size_t i = 0; i < l->clocks.count; i++) {
        set_dense(&dense, l->entries.at[i], l->clocks.at[i]);
    }
    list_release(l);
    *l = dense;
}

static void set_sparse(struct place_list *l, struct place_entry e, uint32_t clock)
{
    uint32_t column_max = e.column;
    for (size_t i = 0; i < l->entries.count; i++) {
        if (l->entries.at[i].column == e.column && l->entries.at[i].task == e.task) {
            l->clocks.at[i] = clock;
            return;
        }
        column_max = l->entries.at[i].column > column_max ? l->entries.at[i].column : column_max;
    }
    vec_push(&l->entries, e);
    vec_push(&l->clocks, clock);
    if (l->entries.count >= DENSE_MIN && l->entries.count * DENSE_SHARE > column_max) {
        make_dense(l);
    }
}

void place_clocks_set(struct place_clocks *p, uint32_t *first, const struct place_access *a)
{
    must(a->clock > 0);
    struct place_list *l = list_at(p, first, a);
    const struct place_entry e = {.column = a->column, .task = a->task};
    if (l->is_dense) {
        set_dense(l, e, a->clock);
    } else {
        set_sparse(l, e, a->clock);
    }
}

/* Both rows have a multiple of 16 numbers; the inner loop becomes vector instructions. */
static uint32_t row_unseen(const uint32_t *restrict clocks, const uint32_t *restrict seen,
                           size_t count)
{
    uint32_t unseen = 0;
    for (size_t i = 0; i < count; i += ROW_STEP) {
        for (size_t k = 0; k < ROW_STEP; k++) {
            unseen += clocks[i + k] > seen[i + k];
        }
    }
    return unseen;
}

static uint64_t entries_unseen(const struct place_entry *entries, const uint32_t *clocks,
                               size_t count, const uint32_t *seen)
{
    uint64_t unseen = 0;
    for (size_t i = 0; i < count; i++) {
        unseen += clocks[i] > seen[entries[i].column];
    }
    return unseen;
}

uint64_t place_list_unseen(const struct place_list *l, const uint32_t *seen)
{
    if (!l->is_dense) {
        return entries_unseen(l->entries.at, l->clocks.at, l->clocks.count, seen);
    }
    return row_unseen(l->clocks.at, seen, l->clocks.count) +
           entries_unseen(l->extra.at, l->extra_clocks.at, l->extra.count, seen);
}
