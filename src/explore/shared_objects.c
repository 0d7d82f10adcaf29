#include "explore/shared_objects.h"

#include <string.h>

#include "pick/operation_name.h"
#include "wire/must.h"

enum { POINTS_MAX = 1 << 16, RUNS_ALL = 256, RUN_ONE_IN = 16 };
enum { WORD_SIZE = 8, WORDS_MAX = 64, CELLS_MAX = WORDS_MAX + 2 };

void shared_release(struct shared *s)
{
    map_release(&s->cells);
    map_release(&s->listed);
    vec_release(&s->points);
    map_release(&s->cell_of);
    vec_release(&s->uses);
    vec_release(&s->before);
    map_release(&s->created);
    map_release(&s->ended);
}

/* An object that an operation touches. */
struct cell {
    uint64_t key;
    bool is_written;
    bool is_lock; /* two tasks that use it conflict, whatever they do */
};

static uint64_t block_key(uint32_t region)
{
    return name_mix(2, region);
}

static bool is_acquisition(const struct pick_operation *o)
{
    return o->kind == EVENT_LOCK || o->kind == EVENT_SEM_WAIT;
}

/* Every access reads the block that it lies in, which freeing the block writes. */
static uint32_t cells_of(const struct pick_operation *o, struct cell cells[CELLS_MAX])
{
    const bool is_written = (o->writes & 1) != 0;
    if (!o->is_access) {
        cells[0] = (struct cell){.key = name_mix(3, o->objects[0]), .is_lock = true};
        return is_acquisition(o) && o->objects[0] != 0 ? 1 : 0;
    }
    if (o->region == 0) {
        cells[0] = (struct cell){.key = name_mix(4, o->objects[0]), .is_written = is_written};
        return o->objects[0] == 0 ? 0 : 1;
    }
    const bool is_of_block = o->end == UINT32_MAX;
    uint32_t count = 0;
    cells[count++] = (struct cell){.key = block_key(o->region), .is_written = is_of_block};
    const uint32_t first = o->begin / WORD_SIZE;
    for (uint32_t word = first;
         !is_of_block && word <= (o->end - 1) / WORD_SIZE && word - first < WORDS_MAX; word++) {
        cells[count++] =
            (struct cell){.key = pick_point_of_word(o->region, word), .is_written = is_written};
    }
    must(count <= CELLS_MAX);
    return count;
}

static void add_point(struct shared *s, uint64_t point)
{
    bool is_new = false;
    if (s->is_full) {
        return;
    }
    (void)map_slot(&s->listed, point, 1, &is_new);
    if (is_new && s->points.count < POINTS_MAX) {
        vec_push(&s->points, point);
    }
    must(s->points.count <= POINTS_MAX);
    s->is_full = s->is_full || (is_new && s->points.count == POINTS_MAX);
}

/* Order by creation and join */

static uint32_t *before_of(struct shared *s, uint32_t task)
{
    must(task < s->task_count);
    return &s->before.at[(size_t)task * s->task_count];
}

static void order_all(uint32_t *later, const uint32_t *earlier, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        later[i] = later[i] > earlier[i] ? later[i] : earlier[i];
    }
}

/* Which step created which task: where a task's first step has its cause. */
static void note_creations(struct shared *s, const struct execution *x)
{
    map_clear(&s->created);
    vec_each (&x->steps, step) {
        const uint32_t task = step->operation.task;
        if (step->cause != STEP_NONE && x->steps.at[step->cause].operation.task != task) {
            map_put(&s->created, step->cause, task);
        }
    }
}

/* A created task comes after the steps of its creator until then, a join after the other's end. */
static void order_step(struct shared *s, const struct execution *x, uint32_t at)
{
    const struct pick_operation *o = &x->steps.at[at].operation;
    uint32_t *own = before_of(s, o->task);
    const uint32_t *created = map_get(&s->created, at);
    if (created != NULL) {
        uint32_t *theirs = before_of(s, *created);
        order_all(theirs, own, s->task_count);
        theirs[o->task] = at + 1;
    }
    const uint32_t *ended = o->kind == EVENT_THREAD_JOIN ? map_get(&s->ended, o->needs) : NULL;
    if (ended != NULL) {
        order_all(own, before_of(s, *ended), s->task_count);
        own[*ended] = UINT32_MAX;
    }
    if (o->kind == EVENT_THREAD_END) {
        map_put(&s->ended, o->objects[0], o->task);
    }
}

/* Whether the use of another task conflicts with the cell that `own` touches now. */
static bool conflicts(const struct shared_use *other, const struct cell *cell, uint32_t task,
                      const uint32_t *own)
{
    const uint32_t last = cell->is_written || cell->is_lock ? other->last : other->last_write;
    return other->task != task && last > own[other->task];
}

/* Takes note of the use of a cell by the step; true when it conflicts with another task's. */
static bool use_cell(struct shared *s, const struct cell *cell, const struct pick_operation *o,
                     uint32_t at)
{
    uint32_t *first = map_slot(&s->cell_of, cell->key, 0, NULL);
    const uint32_t *own = before_of(s, o->task);
    bool is_conflict = false;
    struct shared_use *mine = NULL;
    for (uint32_t i = *first; i != 0; i = s->uses.at[i - 1].next) {
        struct shared_use *use = &s->uses.at[i - 1];
        is_conflict = is_conflict || conflicts(use, cell, o->task, own);
        mine = use->task == o->task ? use : mine;
    }
    if (mine == NULL) {
        vec_push(&s->uses, (struct shared_use){.task = o->task, .next = *first});
        *first = (uint32_t)s->uses.count;
        mine = vec_last(&s->uses);
    }
    mine->last = at + 1;
    mine->last_write = cell->is_written ? at + 1 : mine->last_write;
    return is_conflict;
}

static void use_step(struct shared *s, const struct pick_operation *o, uint32_t at)
{
    struct cell cells[CELLS_MAX];
    const uint32_t count = cells_of(o, cells);
    for (uint32_t i = 0; i < count; i++) {
        if (map_get(&s->cells, cells[i].key) == NULL && use_cell(s, &cells[i], o, at)) {
            map_put(&s->cells, cells[i].key, 1);
        }
    }
}

/* Words that are shared, places from where they are used, and regions used from there that have no
 * other words of that kind. */
static void list_points(struct shared *s, const struct execution *x)
{
    vec_each (&x->steps, step) {
        const struct pick_operation *o = &step->operation;
        if (o->is_access && o->region != 0 && shared_has(s, o)) {
            struct cell cells[CELLS_MAX];
            const uint32_t count = cells_of(o, cells);
            const size_t before = s->points.count;
            for (uint32_t i = 1; i < count; i++) {
                if (map_get(&s->cells, cells[i].key) != NULL) {
                    add_point(s, cells[i].key);
                }
            }
            s->word_count += (uint32_t)(s->points.count - before);
            const size_t word_end = s->points.count;
            add_point(s, pick_point_of_place(o->place));
            s->place_count += (uint32_t)(s->points.count - word_end);
        }
    }
    vec_each (&x->steps, step) {
        const struct pick_operation *o = &step->operation;
        if (o->is_access && o->region != 0 && map_get(&s->cells, block_key(o->region)) == NULL &&
            map_get(&s->listed, pick_point_of_place(o->place)) != NULL) {
            add_point(s, pick_point_of_region(o->region));
        }
    }
    must((size_t)s->word_count + s->place_count <= s->points.count);
}

/* Forgets the run before. */
static void begin_run(struct shared *s, const struct execution *x)
{
    uint32_t task_count = 0;
    vec_each (&x->steps, step) {
        task_count = step->operation.task >= task_count ? step->operation.task + 1 : task_count;
    }
    s->task_count = task_count;
    map_clear(&s->cell_of);
    map_clear(&s->ended);
    vec_clear(&s->uses);
    vec_clear(&s->before);
    vec_reserve(&s->before, (size_t)task_count * task_count);
    s->before.count = (size_t)task_count * task_count;
    if (task_count > 0) {
        memset(s->before.at, 0, s->before.count * sizeof *s->before.at);
    }
}

bool shared_learn(struct shared *s, const struct execution *x)
{
    if (++s->run_count > RUNS_ALL && s->run_count % RUN_ONE_IN != 0) {
        return false;
    }
    begin_run(s, x);
    note_creations(s, x);
    for (uint32_t i = 0; i < x->steps.count; i++) {
        order_step(s, x, i);
        use_step(s, &x->steps.at[i].operation, i);
    }
    list_points(s, x);
    return true;
}

void shared_narrow(const struct shared *s, uint64_t number, struct pick_plan *p)
{
    static const uint64_t none = 0;
    must(number != 0);
    if (!s->is_full && s->run_count > 0) {
        p->points = s->points.count == 0 ? &none : s->points.at;
        p->point_count = s->points.count;
        p->points_number = number;
    }
}

void shared_deepen(const struct shared *s, struct pick_plan *p)
{
    enum { DEPTH_LEAST = 2, PLACES_MAX = 15 };
    if (p->strategy == PICK_PCT && p->depth == 0 && s->place_count > 0) {
        const uint32_t places = s->place_count < PLACES_MAX ? s->place_count : PLACES_MAX;
        p->depth = DEPTH_LEAST + (uint32_t)(name_mix(p->seed, DEPTH_LEAST) % places);
    }
}

bool shared_has(const struct shared *s, const struct pick_operation *o)
{
    struct cell cells[CELLS_MAX];
    const uint32_t count = cells_of(o, cells);
    for (uint32_t i = 0; i < count; i++) {
        if (map_get(&s->cells, cells[i].key) != NULL) {
            return true;
        }
    }
    return false;
}
