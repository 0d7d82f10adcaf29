/* The values of local formulas in each state of their process. */
#include "base/sort.h"
#include "monitor/offline/state_history.h"
#include "wire/kind.h"

static uint32_t joined_owner(uint32_t left, uint32_t right)
{
    if (left == OWNER_UNKNOWN || right == OWNER_UNKNOWN) {
        return OWNER_UNKNOWN;
    }
    if (left == OWNER_NONE || right == OWNER_NONE || left == right) {
        return left == OWNER_NONE ? right : left;
    }
    return OWNER_SEVERAL;
}

static uint32_t owner_of_slot(const struct state_history *h, uint32_t slot)
{
    const struct bound *b = h->bound;
    if (slot < SLOT_FIRST) {
        return OWNER_UNKNOWN;
    }
    const struct slot *s = vec_at(&b->slots, slot - SLOT_FIRST);
    return s->other == UINT32_MAX                         ? s->process
           : h->counts_messages && s->other != s->process ? OWNER_SEVERAL
                                                          : OWNER_UNKNOWN;
}

void state_history_find_owners(struct state_history *h)
{
    const struct bound *b = h->bound;
    uint32_t *owner = arena_array(&h->arena, uint32_t, b->cells.list.count);
    for (size_t i = 0; i < b->cells.list.count; i++) {
        const struct cell *cell = &b->cells.list.at[i];
        owner[i] = cell->op == CELL_SLOT   ? owner_of_slot(h, cell->left)
                   : !cell_has_left(cell)  ? OWNER_NONE
                   : !cell_has_right(cell) ? owner[cell->left]
                                           : joined_owner(owner[cell->left], owner[cell->right]);
    }
    h->owner = owner;
}

static int compare_cells(const void *left, const void *right, const void *context)
{
    (void)context;
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

struct cell_list {
    VEC(uint32_t) cells;
};

/* The cell and all cells that it depends on, in ascending order. */
static struct cell_list cells_below(const struct cells *c, uint32_t root)
{
    struct cell_list below = {0};
    struct map seen = {0};
    map_put(&seen, root, 0);
    for (size_t i = 0; i < seen.entries.count; i++) {
        const uint32_t at = (uint32_t)seen.entries.at[i].key;
        const struct cell *cell = vec_at(&c->list, at);
        vec_push(&below.cells, at);
        if (cell_has_left(cell)) {
            map_put(&seen, cell->left, 0);
        }
        if (cell_has_right(cell)) {
            map_put(&seen, cell->right, 0);
        }
    }
    map_release(&seen);
    sort_stable(below.cells.at, below.cells.count, sizeof *below.cells.at, compare_cells, NULL);
    return below;
}

/* The slots that a formula reads, and which of them are unknown now. */
struct reads {
    uint32_t *slots;
    uint32_t count;
    bool *is_open; /* per slot */
    uint32_t open_count;
};

static void set_open(struct reads *r, uint32_t slot, bool is_open)
{
    r->open_count += (uint32_t)is_open - (uint32_t)r->is_open[slot];
    r->is_open[slot] = is_open;
}

static void find_reads(const struct state_history *h, const struct cell_list *below,
                       struct reads *r)
{
    const struct state_history_base *base = h->base;
    vec_each (&below->cells, index) {
        const struct cell *cell = vec_at(&h->bound->cells.list, *index);
        if (cell->op == CELL_SLOT) {
            const uint32_t slot = cell->left;
            r->slots[r->count++] = slot;
            r->is_open[slot] = false;
            h->slot_work[slot] = base == NULL ? SPAN_ANY : base->slots[slot];
            set_open(r, slot,
                     !bits_has(h->is_reported, slot) || (base != NULL && base->is_open[slot]));
        }
    }
}

/* Updates the values after the report. Only the variables of the formula matter. A variable that is
 * never reported stays unknown when its process restarts. */
static void take_report(const struct state_history *h, struct reads *r, const struct report *report)
{
    for (uint32_t i = 0; i < r->count; i++) {
        const uint32_t slot = r->slots[i];
        if (report->slot == slot || report->slot >= REPORT_SPECIAL) {
            h->slot_work[slot] = report->value;
            set_open(r, slot,
                     report->slot == REPORT_GAP || report->is_wrong ||
                         !bits_has(h->is_reported, slot));
        }
    }
}

/* Allocates the values of all slots and cells, once for all columns. */
static void take_work(struct state_history *h)
{
    if (h->slot_work == NULL) {
        const size_t slot_count = SLOT_FIRST + h->bound->slots.count;
        h->slot_work = arena_array(&h->arena, struct span, slot_count);
        h->open_work = arena_array(&h->arena, bool, slot_count);
        h->cell_work = arena_array(&h->arena, struct span, h->bound->cells.list.count);
    }
}

void state_history_scan(struct state_history *h, uint32_t root, column_see *see, void *context)
{
    take_work(h);
    const uint32_t process = h->owner[root];
    must(process < h->processes.count);
    const struct cells *cells = &h->bound->cells;
    struct cell_list below = cells_below(cells, root);
    const uint32_t from = h->cuts.first[process];
    const struct arena_mark mark = arena_mark(&h->arena);
    struct span *results = h->cell_work;
    struct reads reads = {.slots = arena_array(&h->arena, uint32_t, below.cells.count),
                          .is_open = h->open_work};
    find_reads(h, &below, &reads);
    struct column_run run = {0};
    for (uint32_t i = h->change_first[process]; i <= h->change_first[process + 1]; i++) {
        const bool is_last = i == h->change_first[process + 1];
        cells_evaluate_some(cells, below.cells.at, below.cells.count, h->slot_work, results);
        run.value = results[root];
        run.is_open = reads.open_count > 0;
        run.end = (is_last ? h->cuts.first[process + 1] : h->changes[i]) - from + 1;
        see(context, &run);
        run.first = run.end;
        if (!is_last) {
            take_report(h, &reads, &h->reports[h->changes[i]]);
        }
    }
    arena_reset(&h->arena, mark);
    vec_release(&below.cells);
}

static void fill_run(void *context, const struct column_run *run)
{
    struct column *column = context;
    column->is_known = column->is_known && !run->is_open;
    for (uint32_t i = run->first; i < run->end; i++) {
        column->at[i] = run->value;
        column->is_open[i] = run->is_open;
    }
}

static void fill_column(struct state_history *h, struct column *column, uint32_t root)
{
    const uint32_t count = h->cuts.first[column->process + 1] - h->cuts.first[column->process];
    column->at = arena_array(&h->arena, struct span, count + 1);
    column->is_open = arena_array(&h->arena, bool, count + 1);
    column->is_known = true;
    state_history_scan(h, root, fill_run, column);
}

void state_history_find_changes(struct state_history *h)
{
    const uint32_t process_count = h->cuts.process_count;
    uint32_t *first = arena_array(&h->arena, uint32_t, process_count + 1);
    uint32_t *changes = arena_array(&h->arena, uint32_t, cuts_report_count(&h->cuts));
    uint32_t count = 0;
    for (uint32_t p = 0; p < process_count; p++) {
        first[p] = count;
        for (uint32_t r = h->cuts.first[p]; r < h->cuts.first[p + 1]; r++) {
            changes[count] = r;
            count += h->reports[r].slot != REPORT_NO_SLOT;
        }
    }
    first[process_count] = count;
    h->change_first = first;
    h->changes = changes;
}

bool state_history_is_send(const struct state_history *h, uint32_t report)
{
    return trace_at(h->trace, h->reports[report].event)->kind == EVENT_SEND;
}

/* Per report of the sender: one more than the last receive of its message by the receiver; 0: none.
 * A stream may bring a message in pieces. */
static uint32_t *find_receives(struct state_history *h, const struct slot *slot)
{
    const struct cuts *c = &h->cuts;
    const uint32_t first = c->first[slot->process];
    uint32_t *received = arena_array(&h->arena, uint32_t, c->first[slot->process + 1] - first);
    for (uint32_t r = c->first[slot->other]; r < c->first[slot->other + 1]; r++) {
        for (uint32_t n = c->need_first[r]; n < c->need_first[r + 1]; n++) {
            const uint32_t send = c->needs[n];
            if (c->process[send] == slot->process && state_history_is_send(h, send)) {
                received[send - first] = r + 1;
            }
        }
    }
    return received;
}

/* The number of messages that the sender has sent to the receiver, or that the receiver has
 * received, in each state. A message that nobody received may be in transit to anybody: then
 * nothing is known. */
static void fill_messages(struct state_history *h, struct column *column, const struct slot *slot,
                          enum column_part part)
{
    const struct cuts *c = &h->cuts;
    const uint32_t first = c->first[column->process];
    const uint32_t count = c->first[column->process + 1] - first;
    struct span *at = arena_array(&h->arena, struct span, count + 1);
    bool *is_open = arena_array(&h->arena, bool, count + 1);
    const uint32_t *received = find_receives(h, slot);
    for (uint32_t send = c->first[slot->process]; send < c->first[slot->process + 1]; send++) {
        const uint32_t last = received[send - c->first[slot->process]];
        if (last > 0) {
            at[(part == COLUMN_SENT ? send : last - 1) - first + 1].low++;
        }
    }
    column->is_known = !bits_has(h->has_lost, slot->process);
    for (uint32_t i = 0; i <= count; i++) {
        at[i].low += i > 0 ? at[i - 1].low : 0;
        at[i].high = at[i].low;
    }
    for (uint32_t i = 0; !column->is_known && i <= count; i++) {
        at[i] = SPAN_ANY;
        is_open[i] = true;
    }
    column->at = at;
    column->is_open = is_open;
}

const struct column *state_history_part(struct state_history *h, uint32_t cell,
                                        enum column_part part)
{
    bool is_new = false;
    const uint32_t index =
        *map_slot(&h->column_of, map_pair(part, cell), (uint32_t)h->columns.count, &is_new);
    if (is_new && part == COLUMN_VALUE) {
        struct column column = {.process = h->owner[cell]};
        must(column.process < h->processes.count);
        fill_column(h, &column, cell);
        vec_push(&h->columns, column);
    } else if (is_new) {
        const uint32_t number = vec_at(&h->bound->cells.list, cell)->left - SLOT_FIRST;
        const struct slot *slot = vec_at(&h->bound->slots, number);
        struct column column = {.process = part == COLUMN_SENT ? slot->process : slot->other};
        fill_messages(h, &column, slot, part);
        vec_push(&h->columns, column);
    }
    return vec_at(&h->columns, index);
}

const struct column *state_history_column(struct state_history *h, uint32_t cell)
{
    return state_history_part(h, cell, COLUMN_VALUE);
}
