#include "race/observed/fasttrack.h"

#include "wire/must.h"

/* Up to here a list is walked whole, which is cheaper than keeping it in order at each access. */
enum { SHORT_MAX = 16 };

enum { WIDE_FROM = 32 };

void history_release(struct history *h)
{
    vec_release(&h->variables);
    vec_release(&h->cells);
    arena_release(&h->table);
    triples_release(&h->race_of);
    triples_release(&h->cell_of);
    place_clocks_release(&h->rows);
    vec_release(&h->counted);
    vec_release(&h->races);
}

uint32_t history_variable_new(struct history *h, uint32_t alike)
{
    must(h->variables.count < HISTORY_NONE);
    vec_push(&h->variables, (struct history_variable){.is_chain = true,
                                                      .writes_are_chain = true,
                                                      .cell = HISTORY_NONE,
                                                      .atomic_cell = HISTORY_NONE,
                                                      .list = PLACE_LIST_NONE,
                                                      .alike = alike});
    return (uint32_t)(h->variables.count - 1);
}

/* ---- the table of records ---- */

/* The slot of the record for this access, or the free one where it belongs. */
static uint32_t slot_of(const struct history *h, const struct history_access *a)
{
    /* If every access is kept, similar ones differ by their index. */
    const uint64_t apart = h->options.keeps_every_access ? a->index * 0x9e3779b97f4a7c15u : 0;
    size_t slot = (a->hash ^ apart >> 32) & (h->slot_count - 1);
    for (;; slot = (slot + 1) & (h->slot_count - 1)) {
        const struct history_record *r = &h->records[slot];
        if (r->cell == HISTORY_NONE || (r->place == a->place && r->task == a->task &&
                                        h->cells.at[r->cell].variable == a->variable &&
                                        (!h->options.keeps_every_access || r->index == a->index))) {
            return (uint32_t)slot;
        }
    }
}

static void table_init(struct history *h, size_t slot_count)
{
    must(slot_count <= (size_t)1 << 31);
    must((slot_count & (slot_count - 1)) == 0);
    h->slot_count = slot_count;
    h->record_count = 0;
    h->table = (struct arena){0};
    h->records = arena_take(&h->table, arena_product(slot_count, sizeof *h->records), 64);
    for (size_t i = 0; i < slot_count; i++) {
        h->records[i].cell = HISTORY_NONE;
    }
}

/* Puts a record into a new table, at the end of its list; `last` is where that list ends. */
static uint32_t move_record(struct history *h, const struct history_record *r, uint32_t last)
{
    const uint32_t variable = h->cells.at[r->cell].variable;
    const struct history_access key = {.index = r->index,
                                       .hash = history_hash(variable, r->task, r->place),
                                       .variable = variable,
                                       .task = r->task,
                                       .place = r->place};
    const uint32_t slot = slot_of(h, &key);
    h->records[slot] = *r;
    h->records[slot].newer = last;
    h->records[slot].older = HISTORY_NONE;
    struct history_cell *cell = &h->cells.at[r->cell];
    const bool is_write = history_is_write(r->place);
    *(last == HISTORY_NONE ? &cell->heads[is_write] : &h->records[last].older) = slot;
    cell->counts[is_write]++;
    h->record_count++;
    return slot;
}

/* Moves one list of a cell from an old table, up to `depth` records that are later than `floor`. */
static void move_list(struct history *h, const struct history_record *old,
                      struct history_cell *cell, bool is_write, const uint32_t *floors,
                      uint32_t depth)
{
    uint32_t id = cell->heads[is_write];
    uint32_t last = HISTORY_NONE;
    cell->heads[is_write] = HISTORY_NONE;
    cell->counts[is_write] = 0;
    for (; id != HISTORY_NONE && cell->counts[is_write] < depth; id = old[id].older) {
        if (floors == NULL || old[id].clock > floors[cell->column]) {
            last = move_record(h, &old[id], last);
        }
    }
}

static void rebuild(struct history *h, size_t slot_count, const uint32_t *floors, uint32_t depth)
{
    struct arena old_table = h->table;
    const struct history_record *old = h->records;
    table_init(h, slot_count);
    vec_each (&h->cells, cell) {
        move_list(h, old, cell, false, floors, depth);
        move_list(h, old, cell, true, floors, depth);
    }
    arena_release(&old_table);
}

/* ---- wide variables ---- */

static bool is_wide(const struct history *h, const struct history_variable *v)
{
    const uint32_t from = h->options.wide_from == 0 ? WIDE_FROM : h->options.wide_from;
    return v->cell_count >= from && !h->options.keeps_every_access;
}

/* Brings the records of one list of a cell into the rows. */
static void rows_add_list(struct history *h, const struct history_cell *cell, bool is_write)
{
    struct history_variable *v = &h->variables.at[cell->variable];
    for (uint32_t id = cell->heads[is_write]; id != HISTORY_NONE; id = h->records[id].older) {
        const struct history_record *r = &h->records[id];
        place_clocks_set(&h->rows, &v->list,
                         &(struct place_access){.variable = cell->variable,
                                                .place = r->place,
                                                .column = cell->column,
                                                .task = r->task,
                                                .clock = r->clock});
    }
}

static void rows_add_cells(struct history *h, uint32_t first, bool is_atomic)
{
    for (uint32_t id = first; id != HISTORY_NONE; id = h->cells.at[id].next) {
        const struct history_cell *cell = &h->cells.at[id];
        *triples_slot(&h->cell_of, cell->variable, cell->column, is_atomic) = id;
        rows_add_list(h, cell, false);
        rows_add_list(h, cell, true);
    }
}

static void rows_add_variable(struct history *h, uint32_t variable)
{
    rows_add_cells(h, h->variables.at[variable].cell, false);
    rows_add_cells(h, h->variables.at[variable].atomic_cell, true);
}

static void rows_rebuild(struct history *h)
{
    place_clocks_clear(&h->rows);
    for (uint32_t variable = 0; variable < h->variables.count; variable++) {
        h->variables.at[variable].list = PLACE_LIST_NONE;
        if (is_wide(h, &h->variables.at[variable])) {
            rows_add_variable(h, variable);
        }
    }
}

void history_trim(struct history *h, const uint32_t *floors, uint32_t depth)
{
    if (h->slot_count > 0) {
        rebuild(h, h->slot_count, floors, depth);
        rows_rebuild(h);
    }
}

/* ---- cells and their lists ---- */

static uint32_t cell_new(struct history *h, const struct history_access *a, uint32_t *first)
{
    must(h->cells.count < HISTORY_NONE);
    const uint32_t id = (uint32_t)h->cells.count;
    vec_push(&h->cells, (struct history_cell){.variable = a->variable,
                                              .column = a->column,
                                              .next = *first,
                                              .heads = {HISTORY_NONE, HISTORY_NONE}});
    *first = id;
    return id;
}

/* The cell of the access, made when it is the first there. Those of a wide variable are looked up,
 * others walked. */
static uint32_t cell_find(struct history *h, const struct history_access *a)
{
    struct history_variable *v = &h->variables.at[a->variable];
    const bool is_atomic = history_is_atomic(a->place);
    uint32_t *first = is_atomic ? &v->atomic_cell : &v->cell;
    if (is_wide(h, v)) {
        uint32_t *slot = triples_slot(&h->cell_of, a->variable, a->column, is_atomic);
        if (*slot == TRIPLE_ABSENT) {
            *slot = cell_new(h, a, first);
            v->cell_count++;
        }
        return *slot;
    }
    uint32_t id = *first;
    while (id != HISTORY_NONE && h->cells.at[id].column != a->column) {
        id = h->cells.at[id].next;
    }
    if (id == HISTORY_NONE) {
        id = cell_new(h, a, first);
        v->cell_count++;
        if (is_wide(h, v)) {
            rows_add_variable(h, a->variable);
        }
    }
    return id;
}

static void push_front(struct history *h, uint32_t id, uint32_t *head)
{
    struct history_record *r = &h->records[id];
    r->newer = HISTORY_NONE;
    r->older = *head;
    if (*head != HISTORY_NONE) {
        h->records[*head].newer = id;
    }
    *head = id;
}

static void move_to_front(struct history *h, uint32_t id, uint32_t *head)
{
    const struct history_record *r = &h->records[id];
    if (r->newer != HISTORY_NONE) {
        h->records[r->newer].older = r->older;
        if (r->older != HISTORY_NONE) {
            h->records[r->older].newer = r->newer;
        }
        push_front(h, id, head);
    }
}

/* Puts a list that has just become long into order, the latest first. */
static void sort(struct history *h, uint32_t *head)
{
    uint32_t sorted[SHORT_MAX + 1] = {0};
    uint32_t count = 0;
    for (uint32_t id = *head; id != HISTORY_NONE; id = h->records[id].older) {
        must(count <= SHORT_MAX);
        uint32_t at = count++;
        for (; at > 0 && h->records[sorted[at - 1]].clock < h->records[id].clock; at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = id;
    }
    must(count == SHORT_MAX + 1);
    *head = HISTORY_NONE;
    while (count > 0) {
        push_front(h, sorted[--count], head);
    }
}

static void record_new(struct history *h, uint32_t id, const struct history_access *a)
{
    h->records[id] = (struct history_record){
        .task = a->task, .place = a->place, .clock = a->clock, .cell = cell_find(h, a)};
    h->record_count++;
    struct history_cell *cell = &h->cells.at[h->records[id].cell];
    const bool is_write = history_is_write(a->place);
    push_front(h, id, &cell->heads[is_write]);
    if (++cell->counts[is_write] == SHORT_MAX + 1) {
        sort(h, &cell->heads[is_write]);
    }
}

static void record(struct history *h, const struct history_access *a)
{
    if ((h->record_count + 1) * 3 > h->slot_count * 2) {
        rebuild(h, h->slot_count == 0 ? 64 : h->slot_count * 2, NULL, UINT32_MAX);
    }
    must((h->record_count + 1) * 3 <= h->slot_count * 2);
    const uint32_t id = slot_of(h, a);
    struct history_record *r = &h->records[id];
    if (r->cell == HISTORY_NONE) {
        record_new(h, id, a);
    }
    r->index = a->index;
    r->clock = a->clock;
    must_in_tests(r->cell < h->cells.count);
    struct history_cell *cell = &h->cells.at[r->cell];
    const bool is_write = history_is_write(a->place);
    cell->clocks[is_write] = a->clock;
    if (cell->counts[is_write] > SHORT_MAX) {
        move_to_front(h, id, &cell->heads[is_write]);
    }
    struct history_variable *v = &h->variables.at[a->variable];
    if (is_wide(h, v)) {
        place_clocks_set(&h->rows, &v->list,
                         &(struct place_access){.variable = a->variable,
                                                .place = a->place,
                                                .column = a->column,
                                                .task = a->task,
                                                .clock = a->clock});
    }
}

/* ---- races ---- */

static void report(struct history *h, const struct history_record *r,
                   const struct history_access *a)
{
    const uint32_t low = r->place < a->place ? r->place : a->place;
    const uint32_t high = r->place < a->place ? a->place : r->place;
    const uint32_t alike = h->variables.at[a->variable].alike;
    uint32_t *slot = triples_slot(&h->race_of, alike, low, high);
    const bool is_new = *slot == TRIPLE_ABSENT;
    const struct history_race race = {
        .first = {.index = r->index,
                  .variable = a->variable,
                  .task = r->task,
                  .column = h->cells.at[r->cell].column,
                  .clock = r->clock,
                  .place = r->place},
        .second = *a,
        .pair_count = 1,
    };
    if (is_new) {
        *slot = (uint32_t)h->races.count;
        vec_push(&h->races, race);
    } else {
        h->races.at[*slot].pair_count++;
    }
    if (is_new || h->options.keeps_every_access) {
        h->options.found(h->options.owner, &race);
    }
}

/* Tells every record of one kind that the access has not seen; true when there is one. */
static bool report_unseen(struct history *h, const struct history_cell *cell,
                          const struct history_access *a, const uint32_t *seen, bool is_write)
{
    const uint32_t limit = seen[cell->column];
    if (cell->clocks[is_write] <= limit) {
        return false;
    }
    const bool is_sorted = cell->counts[is_write] > SHORT_MAX;
    for (uint32_t id = cell->heads[is_write]; id != HISTORY_NONE; id = h->records[id].older) {
        const struct history_record *r = &h->records[id];
        if (r->clock > limit) {
            report(h, r, a);
        } else if (is_sorted) {
            break;
        }
    }
    return true;
}

static void check_read(struct history *h, struct history_variable *v,
                       const struct history_access *a, const uint32_t *seen)
{
    v->is_chain = v->is_chain && v->clock <= seen[v->column];
    if (v->writes_are_chain && v->write_clock <= seen[v->write_column]) {
        return;
    }
    for (uint32_t id = v->cell; id != HISTORY_NONE; id = h->cells.at[id].next) {
        if (report_unseen(h, &h->cells.at[id], a, seen, true)) {
            v->is_chain = false;
        }
    }
}

static void check_write(struct history *h, struct history_variable *v,
                        const struct history_access *a, const uint32_t *seen)
{
    bool has_unseen_read = false;
    bool has_unseen_write = false;
    for (uint32_t id = v->cell; id != HISTORY_NONE; id = h->cells.at[id].next) {
        has_unseen_read |= report_unseen(h, &h->cells.at[id], a, seen, false);
        has_unseen_write |= report_unseen(h, &h->cells.at[id], a, seen, true);
    }
    v->is_chain = !has_unseen_read && !has_unseen_write;
    v->writes_are_chain = !has_unseen_write;
}

/* Whether the epochs alone say that the access has seen every plain one it conflicts with. */
static bool has_seen_plain(const struct history_variable *v, const struct history_access *a,
                           const uint32_t *seen)
{
    return (v->is_chain && v->clock <= seen[v->column]) ||
           (!history_is_write(a->place) && v->writes_are_chain &&
            v->write_clock <= seen[v->write_column]);
}

/* Tells the unseen accesses of a list of cells that conflict with this one. */
static void report_others(struct history *h, uint32_t first, const struct history_access *a,
                          const uint32_t *seen)
{
    for (uint32_t id = first; id != HISTORY_NONE; id = h->cells.at[id].next) {
        (void)report_unseen(h, &h->cells.at[id], a, seen, true);
        if (history_is_write(a->place)) {
            (void)report_unseen(h, &h->cells.at[id], a, seen, false);
        }
    }
}

/* The state of plain accesses stays as it is. */
static void add_atomic(struct history *h, const struct history_access *a, const uint32_t *seen)
{
    const struct history_variable *v = &h->variables.at[a->variable];
    if (!has_seen_plain(v, a, seen)) {
        report_others(h, v->cell, a, seen);
    }
}

static void add_plain(struct history *h, const struct history_access *a, const uint32_t *seen)
{
    struct history_variable *v = &h->variables.at[a->variable];
    report_others(h, v->atomic_cell, a, seen);
    if (!v->is_chain || v->clock > seen[v->column]) {
        if (history_is_write(a->place)) {
            check_write(h, v, a, seen);
        } else {
            check_read(h, v, a, seen);
        }
    }
}

/* ---- races at wide variables ---- */

/* Plain accesses to the variable that the access has not seen, of those it conflicts with. */
struct unseen {
    bool has_read, has_write;
};

/* Counts the unseen accesses of the variable that conflict with this one, all of one place at once.
 * False, and nothing counted, when a pair of places is new: the records say which pair to report.
 */
static bool count_unseen(struct history *h, const struct history_access *a, const uint32_t *seen,
                         struct unseen *unseen)
{
    const struct history_variable *v = &h->variables.at[a->variable];
    const bool skips_plain = has_seen_plain(v, a, seen);
    vec_clear(&h->counted);
    for (uint32_t id = v->list; id != PLACE_LIST_NONE; id = h->rows.lists.at[id].next) {
        const struct place_list *l = &h->rows.lists.at[id];
        const bool is_plain = !history_is_atomic(l->place);
        if (!history_conflict(a->place, l->place) || (is_plain && skips_plain)) {
            continue;
        }
        const uint64_t count = place_list_unseen(l, seen);
        if (count == 0) {
            continue;
        }
        const uint32_t low = l->place < a->place ? l->place : a->place;
        const uint32_t high = l->place < a->place ? a->place : l->place;
        const uint32_t race = triples_get(&h->race_of, v->alike, low, high);
        if (race == TRIPLE_ABSENT) {
            return false;
        }
        vec_push(&h->counted, (struct history_counted){.race = race, .count = count});
        unseen->has_write |= is_plain && history_is_write(l->place);
        unseen->has_read |= is_plain && !history_is_write(l->place);
    }
    vec_each (&h->counted, counted) {
        must(counted->race < h->races.count);
        h->races.at[counted->race].pair_count += counted->count;
    }
    return true;
}

/* Computes from the unseen columns whether the accesses are chains, as the walk over cells would.
 */
static void note_chains(struct history_variable *v, const struct history_access *a,
                        const uint32_t *seen, const struct unseen *unseen)
{
    if (history_is_atomic(a->place) || (v->is_chain && v->clock <= seen[v->column])) {
        return;
    }
    if (history_is_write(a->place)) {
        v->is_chain = !unseen->has_read && !unseen->has_write;
        v->writes_are_chain = !unseen->has_write;
    } else {
        v->is_chain = false;
    }
}

static bool add_wide(struct history *h, const struct history_access *a, const uint32_t *seen)
{
    struct unseen unseen = {0};
    if (!count_unseen(h, a, seen, &unseen)) {
        return false;
    }
    note_chains(&h->variables.at[a->variable], a, seen, &unseen);
    return true;
}

void history_add(struct history *h, const struct history_access *a, const uint32_t *seen)
{
    struct history_variable *v = &h->variables.at[a->variable];
    must_in_tests(a->clock > 0);
    must_in_tests(a->hash == history_hash(a->variable, a->task, a->place));
    const bool is_atomic = history_is_atomic(a->place);
    if (!is_wide(h, v) || !add_wide(h, a, seen)) {
        if (is_atomic) {
            add_atomic(h, a, seen);
        } else {
            add_plain(h, a, seen);
        }
    }
    if (!is_atomic) {
        const bool is_write = history_is_write(a->place);
        v->column = a->column;
        v->clock = a->clock;
        v->place = a->place;
        v->write_column = is_write ? a->column : v->write_column;
        v->write_clock = is_write ? a->clock : v->write_clock;
    }
    record(h, a);
}
