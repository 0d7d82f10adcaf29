#include "proc/control/program_scopes.h"

#include "trace/kind_table.h"

enum { PLACE_BITS = 48 };
#define PLACE_MASK ((UINT64_C(1) << PLACE_BITS) - 1)

enum { DEPTH_MAX = 512 };

/* The calls that a task is in, the outermost first: level 0 is its first function. */
struct path {
    uint64_t at[CALLS_LEVELS];
    uint32_t depth;
};

/* Keeps the outermost levels: the code in deeper calls counts as that of the last one. False where
 * the calls are not known. The program may have written over the page. */
static bool read_path(const struct controlled *c, const struct control_step *s, struct path *path)
{
    const struct control_calls *calls = control_at(c, CONTROL_PLACE(CALLS));
    const uint64_t image = s->place & ~PLACE_MASK;
    uint64_t inner_first[DEPTH_MAX + 1];
    uint32_t count = 0;
    uint16_t number = s->callers;
    for (; number >= CONTROL_CALLS_FIRST && count < DEPTH_MAX; count++) {
        inner_first[count] = (calls->nodes[number] & PLACE_MASK) | image;
        number = (uint16_t)(calls->nodes[number] >> PLACE_BITS);
    }
    if (number == CONTROL_CALLS_OUTERMOST) {
        inner_first[count++] = 1; /* its caller does not matter */
    }
    path->depth = count < CALLS_LEVELS ? count : CALLS_LEVELS;
    for (uint32_t i = 0; i < path->depth; i++) {
        path->at[i] = inner_first[count - 1 - i];
    }
    return number < CONTROL_CALLS_FIRST;
}

static void take_level(struct operations *o, uint32_t level, uint64_t place)
{
    const struct record call = {.kind = RECORD_CALL, .object = level, .place = place};
    operations_take(o, &call);
}

/* Takes the calls of the step: those that are not the same as at the task's last one. */
static void take_calls(const struct controlled *c, const struct control_step *s,
                       struct operations *o)
{
    struct path path;
    if (s->calls_kept == CONTROL_CALLS_LOST || !read_path(c, s, &path)) {
        take_level(o, CALLS_LOST, 0);
        return;
    }
    uint32_t level = s->calls_kept < o->depth ? s->calls_kept : o->depth;
    if (path.depth < o->depth && path.depth <= level) {
        take_level(o, path.depth, 0);
    }
    for (; level < path.depth; level++) {
        take_level(o, level, path.at[level]);
    }
    o->has_calls = true; /* the position in the innermost function is another one */
}

static struct control_task_calls *calls_of(struct control_scopes *s, uint32_t task)
{
    while (s->tasks.count <= task) {
        vec_push(&s->tasks, (struct control_task_calls){0});
    }
    return &s->tasks.at[task];
}

static void append_operation(struct control_scopes *s, struct control_task_calls *calls,
                             uint32_t number, uint32_t task)
{
    if (number != calls->operation) {
        calls->operation = number;
        trace_append(s->trace,
                     &(struct event){
                         .kind = EVENT_OPERATION, .task = task, .has = HAS_COUNT, .count = number});
    }
}

static void append_scopes(struct control_scopes *s, struct control_task_calls *calls,
                          uint64_t place, uint32_t task)
{
    struct scope_change change;
    if (scopes_follow(&calls->scopes, &calls->operations, &s->c->routines, s->c->places, place,
                      &change)) {
        trace_append(s->trace, &(struct event){.kind = EVENT_SCOPE,
                                               .task = task,
                                               .has = HAS_COUNT | HAS_SIZE | HAS_VALUE,
                                               .count = change.kept,
                                               .size = change.count,
                                               .value = (int64_t)change.rounds});
    }
}

void control_scopes_follow(struct control_scopes *s, const struct control_step *step, uint32_t task)
{
    if (step->task >= CONTROL_TASKS_MAX) {
        return; /* the program wrote over the page */
    }
    struct control_task_calls *calls = calls_of(s, step->task);
    struct operations *o = &calls->operations;
    take_calls(s->c, step, o);
    const struct kind *kind = step->traced == 0 ? NULL : kind_of(step->traced);
    const bool is_access =
        kind != NULL && (kind->class == CLASS_ACCESS || kind->class == CLASS_ATOMIC);
    if (kind == NULL || (!is_access && kind->class != CLASS_MEMORY && kind->class != CLASS_SYNC)) {
        return; /* it had no effect, or is no part of an operation */
    }
    /* A large access has a step for each part. */
    const uint64_t begin = (uint64_t)step->region << 32 | step->begin;
    const bool is_part = is_access && begin == o->end && step->traced == o->kind;
    const struct operation_event e = {.place = step->place,
                                      .epoch = is_part ? o->end_epoch : ++s->epoch,
                                      .address = is_access ? begin : 0,
                                      .size = is_access ? step->end - step->begin : 0,
                                      .kind = step->traced};
    append_operation(s, calls, operations_of(o, &s->c->routines, s->c->places, &e), task);
    if (is_access && !is_part) {
        append_scopes(s, calls, step->place, task);
    }
}

void control_scopes_release(struct control_scopes *s)
{
    vec_each (&s->tasks, calls) {
        scopes_release(&calls->scopes);
    }
    vec_release(&s->tasks);
}
