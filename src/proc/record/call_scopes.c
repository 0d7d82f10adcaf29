#include "proc/record/call_scopes.h"

#include "wire/must.h"

void scopes_release(struct scopes *s)
{
    vec_release(&s->list);
}

/* Adds a function, and the round of its outermost loop that the position is in. */
static void add_function(struct scopes *s, struct scope scope)
{
    vec_push(&s->list, scope);
    scope.loop = rounds_loop(scope.function, scope.position);
    if (scope.loop != 0) {
        vec_push(&s->list, scope);
    }
}

/* Adds the functions of the program at a level of the calls: the one called there, and those that
 * were inlined into it. The routine itself is no scope, but the rounds of its loop are. */
static void add_level(struct scopes *s, const struct operations *o, struct routines *r,
                      struct places *places, struct scope scope)
{
    const uint32_t count = routines_depth(r, places, scope.position);
    const bool is_routine =
        scope.level == o->level && o->routine != NULL && rounds_has(o->routine, scope.position);
    scope.loop = is_routine ? rounds_loop(o->routine, scope.position) : 0;
    if (scope.loop != 0) {
        scope.function = o->routine;
        vec_push(&s->list, scope);
        scope.loop = 0;
    }
    for (scope.depth = scope.level == o->level ? 1 : 0; scope.depth < count; scope.depth++) {
        scope.function = routines_at(r, places, scope.position, scope.depth);
        if (scope.function != NULL && s->list.count + 2 <= SCOPES_MAX) {
            add_function(s, scope);
        }
    }
}

/* Whether the task is still in the same inlined call. A step backwards in the call's code means
 * another call, unless the code itself leads there: by a loop, or because the compiler has moved
 * the code that runs first behind the rest. */
static bool is_same_inlined(const struct scope *before, const struct scope *now)
{
    return now->position > before->position ||
           rounds_lead(now->function, before->position, now->position);
}

/* Whether a scope that the task was in goes on as the present one. The innermost function that the
 * task has not left is at another position now. */
static bool goes_on(const struct scope *before, const struct scope *now, uint32_t kept)
{
    if (before->function != now->function || before->level != now->level ||
        before->loop != now->loop || before->operation != now->operation || now->level >= kept) {
        return false;
    }
    if (now->level + 1 < kept) {
        return true;
    }
    return now->loop != 0 ? !rounds_divide(now->function, before->position, now->position)
                          : now->depth == 0 || is_same_inlined(before, now);
}

static struct scopes scopes_now(const struct operations *o, struct routines *r,
                                struct places *places, uint64_t place)
{
    struct scopes now = {0};
    for (uint32_t level = o->level; level < o->depth; level++) {
        add_level(&now, o, r, places,
                  (struct scope){.position = operations_position(o, level, place),
                                 .level = level,
                                 .operation = o->number});
    }
    return now;
}

bool scopes_follow(struct scopes *s, struct operations *o, struct routines *r,
                   struct places *places, uint64_t place, struct scope_change *change)
{
    if (!o->has_calls || o->is_lost || o->is_sought) {
        return false;
    }
    struct scopes now = scopes_now(o, r, places, place);
    *change = (struct scope_change){.count = (uint32_t)now.list.count};
    while (change->kept < now.list.count && change->kept < s->list.count &&
           goes_on(&s->list.at[change->kept], &now.list.at[change->kept], o->kept)) {
        change->kept++;
    }
    for (uint32_t i = 0; i < now.list.count; i++) {
        change->rounds |= (uint64_t)(now.list.at[i].loop != 0) << i;
    }
    must(now.list.count <= 64); /* `rounds` has a bit for each */
    must(change->kept <= change->count);
    const bool is_changed = change->kept < change->count || change->kept < s->list.count;
    scopes_release(s);
    *s = now;
    o->kept = o->depth;
    o->has_calls = false;
    return is_changed;
}
