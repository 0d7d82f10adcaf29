#include "spec/checker.h"

#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "spec/bind.h"
#include "trace/quoted_word.h"

struct checker {
    const struct spec *spec;
    struct checker_system system;
    struct bound bound;
    struct span *slots;   /* the current values */
    struct span *results; /* of the cells */
    size_t slot_count;
    bool is_stale;                 /* a slot changed since the cells were computed */
    bool has_clocks;               /* some cell reads now or steps */
    VEC(uint64_t) times;           /* per step */
    VEC(uint8_t) history;          /* per step, a truth per atom */
    struct checker_status *status; /* per property */
};

static bool reads_clocks(const struct bound *b)
{
    vec_each (&b->cells.list, cell) {
        if (cell->op == CELL_SLOT && cell->left < SLOT_FIRST) {
            return true;
        }
    }
    return false;
}

int checker_new(struct checker **c, const struct spec *s, const struct checker_system *system,
                struct err *e)
{
    struct checker *made = mem_zero(1, sizeof *made);
    made->spec = s;
    made->system = *system;
    if (bind_spec(&made->bound, s, system, e) < 0) {
        checker_free(made);
        return -1;
    }
    made->slot_count = SLOT_FIRST + made->bound.slots.count;
    must(made->bound.properties.count == s->properties.count);
    made->slots = mem_zero(made->slot_count, sizeof *made->slots);
    made->results = mem_zero(made->bound.cells.list.count, sizeof *made->results);
    made->status = mem_zero(s->properties.count, sizeof *made->status);
    made->has_clocks = reads_clocks(&made->bound);
    checker_begin(made);
    *c = made;
    return 0;
}

void checker_free(struct checker *c)
{
    if (c == NULL) {
        return;
    }
    bound_release(&c->bound);
    mem_free(c->slots);
    mem_free(c->results);
    mem_free(c->status);
    vec_release(&c->times);
    vec_release(&c->history);
    mem_free(c);
}

uint32_t checker_slot(const struct checker *c, uint32_t process, const char *variable)
{
    must(process < c->system.process_count);
    const uint32_t name = names_find(&c->spec->names, variable, strlen(variable));
    const uint32_t *slot = name == 0 ? NULL : map_get(&c->bound.variables, map_pair(process, name));
    return slot == NULL ? CHECKER_SLOT_NONE : *slot;
}

uint32_t checker_message_slot(const struct checker *c, uint32_t from, uint32_t to)
{
    must(from < c->system.process_count);
    must(to < c->system.process_count);
    const uint32_t *slot = map_get(&c->bound.messages, map_pair(from, to));
    return slot == NULL ? CHECKER_SLOT_NONE : *slot;
}

struct checker_values checker_values(struct checker *c)
{
    c->is_stale = true;
    return (struct checker_values){.bytes = c->slots, .size = c->slot_count * sizeof *c->slots};
}

static void put(struct checker *c, uint32_t slot, struct span value)
{
    must(slot < c->slot_count);
    struct span *s = &c->slots[slot];
    c->is_stale = c->is_stale || s->low != value.low || s->high != value.high;
    *s = value;
}

void checker_set(struct checker *c, uint32_t slot, int64_t value)
{
    if (slot != CHECKER_SLOT_NONE) {
        put(c, slot, (struct span){value, value});
    }
}

void checker_unset(struct checker *c, uint32_t slot)
{
    if (slot != CHECKER_SLOT_NONE) {
        put(c, slot, SPAN_ANY);
    }
}

static bool is_possibly(const struct checker *c, size_t property)
{
    return c->spec->properties.at[property].claim == SPEC_CLAIM_POSSIBLY;
}

static void forget_status(struct checker *c)
{
    for (size_t i = 0; i < c->spec->properties.count; i++) {
        c->status[i] =
            (struct checker_status){.verdict = is_possibly(c, i) ? CHECKER_UNKNOWN : CHECKER_HELD};
    }
}

void checker_begin(struct checker *c)
{
    for (size_t i = 0; i < c->slot_count; i++) {
        c->slots[i] = SPAN_ANY;
    }
    c->is_stale = true;
    vec_clear(&c->times);
    vec_clear(&c->history);
    forget_status(c);
}

/* Counts the truth of a property at one step. Returns whether this is the first step to violate it.
 */
static bool count_truth(struct checker *c, size_t property, uint8_t truth, uint64_t step)
{
    struct checker_status *s = &c->status[property];
    const enum checker_verdict shown = is_possibly(c, property) ? CHECKER_HELD : CHECKER_VIOLATED;
    const bool is_settled = s->verdict == shown;
    if (truth == TRUTH_UNKNOWN) {
        s->skips++;
        s->verdict = is_settled ? s->verdict : CHECKER_UNKNOWN;
        return false;
    }
    s->checks++;
    if (truth == TRUTH_NO || is_settled) {
        return false;
    }
    s->verdict = shown;
    s->step = step;
    return shown == CHECKER_VIOLATED;
}

static uint32_t count_step(struct checker *c, uint64_t step)
{
    const uint8_t *truths = c->history.at + step * c->bound.atoms.count;
    must(step < c->times.count);
    uint32_t violated = 0;
    for (size_t i = 0; i < c->spec->properties.count; i++) {
        const struct bound_property *p = &c->bound.properties.at[i];
        if (!p->is_temporal) {
            must(p->atom < c->bound.atoms.count);
            violated += count_truth(c, i, truths[p->atom], step);
        }
    }
    return violated;
}

uint32_t checker_step(struct checker *c, uint64_t now_ns)
{
    const uint64_t step = c->times.count;
    const uint64_t before = step == 0 ? 0 : *vec_last(&c->times);
    vec_push(&c->times, now_ns < before ? before : now_ns);
    if (c->has_clocks) {
        const int64_t now = now_ns > INT64_MAX ? INT64_MAX : (int64_t)now_ns;
        put(c, SLOT_NOW, (struct span){now, now});
        put(c, SLOT_STEPS, (struct span){(int64_t)step + 1, (int64_t)step + 1});
    }
    if (c->is_stale) {
        cells_evaluate(&c->bound.cells, c->slots, c->results);
        c->is_stale = false;
    }
    const size_t atom_count = c->bound.atoms.count;
    vec_reserve(&c->history, c->history.count + atom_count);
    must(c->history.count == step * atom_count);
    for (size_t i = 0; i < atom_count; i++) {
        const struct span s = c->results[c->bound.atoms.at[i]];
        c->history.at[c->history.count++] = (uint8_t)(s.low + s.high);
    }
    return count_step(c, step);
}

/* The layout: the number of steps, then the status of each property, the slots, the times, the
 * history. */

size_t checker_copy_size(const struct checker *c)
{
    return sizeof(uint64_t) + c->spec->properties.count * sizeof *c->status +
           c->slot_count * sizeof *c->slots + c->times.count * sizeof *c->times.at +
           c->history.count;
}

void *checker_copy(const struct checker *c)
{
    const uint64_t step_count = c->times.count;
    must(c->history.count == step_count * c->bound.atoms.count);
    char *copy = mem_resize(NULL, checker_copy_size(c));
    char *at = mempcpy(copy, &step_count, sizeof step_count);
    at = mempcpy(at, c->status, c->spec->properties.count * sizeof *c->status);
    at = mempcpy(at, c->slots, c->slot_count * sizeof *c->slots);
    if (c->history.count > 0) {
        at = mempcpy(at, c->times.at, step_count * sizeof *c->times.at);
        (void)mempcpy(at, c->history.at, c->history.count);
    }
    return copy;
}

static const char *copy_back(void *to, const char *from, size_t size)
{
    memcpy(to, from, size);
    return from + size;
}

void checker_restore(struct checker *c, const void *copy)
{
    uint64_t step_count = 0;
    const char *from = copy_back(&step_count, copy, sizeof step_count);
    from = copy_back(c->status, from, c->spec->properties.count * sizeof *c->status);
    from = copy_back(c->slots, from, c->slot_count * sizeof *c->slots);
    c->is_stale = true;
    c->times.count = step_count;
    c->history.count = step_count * c->bound.atoms.count;
    if (c->history.count > 0) {
        vec_reserve(&c->times, step_count);
        vec_reserve(&c->history, c->history.count);
        from = copy_back(c->times.at, from, step_count * sizeof *c->times.at);
        (void)copy_back(c->history.at, from, c->history.count);
    }
}

void checker_rewind(struct checker *c, uint64_t step_count)
{
    must(step_count <= c->times.count);
    c->times.count = step_count;
    c->history.count = step_count * c->bound.atoms.count;
    c->is_stale = true;
    forget_status(c);
    for (uint64_t step = 0; step < step_count; step++) {
        (void)count_step(c, step);
    }
}

/* The end of a run */

/* A track under construction: the run, and its known continuation. */
struct unrolled {
    struct track track;
    uint64_t *times;
    uint8_t *atoms;
};

static void append(struct unrolled *u, const struct checker *c, size_t step, uint64_t time)
{
    must(step < c->times.count);
    must(u->track.count == 0 || time >= u->times[u->track.count - 1]);
    const size_t atom_count = u->track.atom_count;
    u->times[u->track.count] = time;
    if (atom_count > 0) {
        memcpy(u->atoms + u->track.count * atom_count, c->history.at + step * atom_count,
               atom_count);
    }
    u->track.count++;
}

static uint64_t later(uint64_t time, uint64_t by)
{
    uint64_t sum = 0;
    return __builtin_add_overflow(time, by, &sum) ? UINT64_MAX : sum;
}

/* The run with `turns` more turns of its loop, the last of which repeats forever. */
static struct track unroll(const struct checker *c, const struct checker_ending *ending,
                           size_t turns, struct arena *arena)
{
    const size_t steps = c->times.count;
    const size_t atom_count = c->bound.atoms.count;
    const bool is_lasso = ending->kind == CHECKER_LASSO;
    const size_t loop_first = is_lasso ? ending->repeats + 1 : steps;
    const size_t loop_count = is_lasso ? steps - loop_first : 1;
    const size_t room = steps + (turns + 1) * loop_count;
    struct unrolled u = {.track = {.loop = TRACK_OPEN, .atom_count = atom_count},
                         .times = arena_array(arena, uint64_t, room),
                         .atoms = arena_array(arena, uint8_t, room * atom_count + 1)};
    for (size_t i = 0; i < steps; i++) {
        append(&u, c, i, c->times.at[i]);
    }
    if (ending->kind == CHECKER_REST) {
        u.track.loop = u.track.count;
        append(&u, c, steps - 1, UINT64_MAX);
    }
    if (is_lasso) {
        const uint64_t turn_ns = c->times.at[steps - 1] - c->times.at[ending->repeats];
        uint64_t offset = 0;
        u.track.loop = loop_first;
        u.track.loop_ns = turn_ns;
        for (size_t turn = 0; turn < turns; turn++) {
            offset = later(offset, turn_ns);
            u.track.loop = u.track.count;
            for (size_t i = loop_first; i < steps; i++) {
                append(&u, c, i, later(c->times.at[i], offset));
            }
        }
    }
    must(u.track.count <= room);
    u.track.times = u.times;
    u.track.atoms = u.atoms;
    return u.track;
}

enum { UNROLLED_MAX = 1 << 22 };

/* The number of turns of the loop that the property needs, SIZE_MAX when they are too many to
 * expand. */
static size_t turns_wanted(const struct checker *c, const struct bound_property *p,
                           const struct checker_ending *ending)
{
    if (ending->kind != CHECKER_LASSO) {
        return 0;
    }
    const uint64_t *times = c->times.at;
    const size_t last = c->times.count - 1;
    const size_t turns =
        temporal_turns(&c->bound.parts, p->part, times[last] - times[ending->repeats], times[last]);
    const size_t loop_count = last - ending->repeats;
    return turns > UNROLLED_MAX / loop_count ? SIZE_MAX : turns;
}

static uint32_t end_property(struct checker *c, size_t property,
                             const struct checker_ending *ending)
{
    const struct bound_property *p = &c->bound.properties.at[property];
    const size_t steps = c->times.count;
    const struct checker_ending open = {.kind = CHECKER_CUT};
    size_t turns = turns_wanted(c, p, ending);
    if (turns == SIZE_MAX) {
        ending = &open;
        turns = 0;
    }
    struct arena arena = {0};
    const struct track track = unroll(c, ending, turns, &arena);
    const uint8_t *truths = temporal_decide(&c->bound.parts, p->part, &track, &arena);
    uint32_t violated = 0;
    for (size_t i = 0; i < track.count; i++) {
        /* The continuation repeats the last step, or a step of the loop. */
        const size_t loop = ending->kind == CHECKER_LASSO ? ending->repeats + 1 : steps - 1;
        const size_t step = i < steps ? i : loop + (i - steps) % (steps - loop);
        const struct checker_status before = c->status[property];
        must(truths[i] <= TRUTH_YES);
        must(step < steps);
        violated += count_truth(c, property, truths[i], step);
        if (i >= steps) {
            c->status[property].checks = before.checks;
            c->status[property].skips = before.skips;
        }
    }
    arena_release(&arena);
    return violated;
}

uint32_t checker_end(struct checker *c, const struct checker_ending *ending)
{
    uint32_t violated = 0;
    if (c->times.count == 0) {
        return 0;
    }
    must(ending->kind != CHECKER_LASSO || ending->repeats < c->times.count - 1);
    for (size_t i = 0; i < c->spec->properties.count; i++) {
        if (c->bound.properties.at[i].is_temporal) {
            violated += end_property(c, i, ending);
        }
    }
    return violated;
}

uint32_t checker_foresee(struct checker *c, const struct checker_ending *ending)
{
    const size_t count = c->spec->properties.count;
    struct arena arena = {0};
    struct checker_status *before = arena_array(&arena, struct checker_status, count + 1);
    memcpy(before, c->status, count * sizeof *before);
    const uint32_t violated = checker_end(c, ending);
    if (violated == 0) {
        memcpy(c->status, before, count * sizeof *before);
    }
    arena_release(&arena);
    return violated;
}

static bool looks_ahead(const struct part *part)
{
    return part->op == PART_NEXT || part->op == PART_UNTIL || part->op == PART_EVENTUALLY;
}

bool checker_wants_loops(const struct checker *c)
{
    bool is_wanted = false;
    vec_each (&c->bound.parts.list, part) {
        is_wanted = is_wanted || looks_ahead(part);
    }
    return is_wanted && !c->has_clocks;
}

bool checker_has_durations(const struct checker *c)
{
    vec_each (&c->bound.parts.list, part) {
        const bool is_timed = part->op == PART_EVENTUALLY || part->op == PART_ONCE;
        if (is_timed && part->bound != PART_UNBOUNDED) {
            return true;
        }
    }
    return false;
}

const struct checker_status *checker_status(const struct checker *c, uint32_t property)
{
    must(property < c->spec->properties.count);
    return &c->status[property];
}

/* Values */

static void print_slot(const struct checker *c, uint32_t index, struct out *out)
{
    const struct span value = c->slots[index];
    if (index < SLOT_FIRST) {
        out_text(out, index == SLOT_NOW ? "now" : "steps");
    } else {
        const struct slot *slot = vec_at(&c->bound.slots, index - SLOT_FIRST);
        const char *process = c->system.processes[slot->process];
        if (slot->other == UINT32_MAX) {
            const char *variable = names_text(&c->spec->names, slot->variable);
            word_print(out, process, strlen(process));
            out_char(out, '.');
            word_print(out, variable, strlen(variable));
        } else {
            const char *other = c->system.processes[slot->other];
            out_text(out, "messages(");
            word_print(out, process, strlen(process));
            out_text(out, ", ");
            word_print(out, other, strlen(other));
            out_char(out, ')');
        }
    }
    if (span_is_known(value)) {
        out_text(out, " = ");
        out_i64(out, value.low);
    } else {
        out_text(out, " absent");
    }
}

void checker_print_values(const struct checker *c, uint32_t property, struct out *out)
{
    const struct bound_property *p = vec_at(&c->bound.properties, property);
    const struct cells *cells = &c->bound.cells;
    struct arena arena = {0};
    struct bits is_read = bits_take(&arena, cells->list.count);
    for (uint32_t i = p->atom_first; i < p->atom_end; i++) {
        bits_add(is_read, c->bound.atoms.at[i]);
    }
    cells_mark_below(cells, is_read);
    struct bits slots = bits_take(&arena, c->slot_count);
    for (size_t i = 0; i < cells->list.count; i++) {
        if (bits_has(is_read, i) && cells->list.at[i].op == CELL_SLOT) {
            bits_add(slots, cells->list.at[i].left);
        }
    }
    const char *separator = "";
    for (uint32_t i = 0; i < c->slot_count; i++) {
        if (bits_has(slots, i)) {
            out_text(out, separator);
            print_slot(c, i, out);
            separator = ", ";
        }
    }
    arena_release(&arena);
}
