#include "atomicity/version.h"

#include <string.h>

#include "base/map.h"
#include "base/sort.h"

/* A resource whose writes are checked, in the list of those that a write to some name changes. */
struct changed {
    uint32_t variable;
    uint32_t next; /* in `changed`, UINT32_MAX: the last */
};

struct build {
    struct sections *s;
    const struct trace *t;
    const struct variables *v;
    struct map lock_of;     /* checked variable to its lock */
    struct map variable_of; /* (node, its name) to it */
    struct map changed_by;  /* (node, name) to the checked resources there and below */
    VEC(struct changed) changed;
    VEC(struct section) sections; /* those of locks, then those of versions */
};

/* ---- resources above and below ---- */

/* The next shorter resource above a name of this size, 0 when there is none. */
static size_t size_above(const char *name, size_t size)
{
    while (size > 1) {
        size--;
        if (name[size] == '/' || name[size - 1] == '/') {
            return size;
        }
    }
    return 0;
}

static void add_changed(struct build *b, uint32_t name, uint32_t variable)
{
    const uint64_t key = map_pair(b->v->list.at[variable].node, name);
    uint32_t *first = map_slot(&b->changed_by, key, UINT32_MAX, NULL);
    vec_push(&b->changed, (struct changed){.variable = variable, .next = *first});
    *first = (uint32_t)b->changed.count - 1;
}

/* Enters a checked resource at its own name and at all above that the trace has. */
static void add_checked(struct build *b, uint32_t variable)
{
    const struct names *names = &b->t->tables.names;
    const struct variable *v = &b->v->list.at[variable];
    const uint32_t name = v->name;
    const char *text = trace_name(b->t, name);
    map_put(&b->lock_of, variable, b->s->lock_count + (uint32_t)b->lock_of.entries.count);
    map_put(&b->variable_of, map_pair(v->node, name), variable);
    add_changed(b, name, variable);
    for (size_t size = size_above(text, strlen(text)); size > 0; size = size_above(text, size)) {
        const uint32_t above = names_find(names, text, size);
        if (above != 0) {
            add_changed(b, above, variable);
        }
    }
}

/* ---- sections ---- */

static void add_section(struct build *b, uint32_t variable, const struct access *begin,
                        const struct access *end)
{
    vec_push(&b->sections, (struct section){.lock = *map_get(&b->lock_of, variable),
                                            .task = end->task,
                                            .begin = begin->event,
                                            .end = end->event,
                                            .is_released = true});
}

/* A write passes through a section of its own for each checked resource that it changes, but not
 * where it ends one. */
static void add_write(struct build *b, const struct access *write)
{
    const struct variable *v = &b->v->list.at[write->variable];
    const char *text = trace_name(b->t, v->name);
    const uint32_t *first = map_get(&b->changed_by, map_pair(v->node, v->name));
    for (uint32_t i = first == NULL ? UINT32_MAX : *first; i != UINT32_MAX;
         i = b->changed.at[i].next) {
        const uint32_t variable = b->changed.at[i].variable;
        const bool is_own = variable == write->variable;
        add_section(b, variable,
                    is_own && write->asked != ACCESS_NONE ? &b->v->accesses.at[write->asked]
                                                          : write,
                    write);
    }
    for (size_t size = size_above(text, strlen(text)); size > 0; size = size_above(text, size)) {
        const uint32_t above = names_find(&b->t->tables.names, text, size);
        const uint32_t *variable =
            above == 0 ? NULL : map_get(&b->variable_of, map_pair(v->node, above));
        if (variable != NULL) {
            add_section(b, *variable, write, write);
        }
    }
}

static int compare_begins(const void *left, const void *right, const void *context)
{
    (void)context;
    const event_id a = ((const struct section *)left)->begin;
    const event_id b = ((const struct section *)right)->begin;
    return (a > b) - (a < b);
}

/* ---- laying out ---- */

/* Whether a task waits for the end of a section of the lock, and another has any. */
static bool is_contended(const struct build *b, const uint32_t *by_lock, const struct lock *lock)
{
    for (uint32_t i = 0; i < lock->count; i++) {
        const struct section *one = &b->sections.at[by_lock[lock->first + i]];
        for (uint32_t k = 0; one->begin != one->end && k < lock->count; k++) {
            if (b->sections.at[by_lock[lock->first + k]].task != one->task) {
                return true;
            }
        }
    }
    return false;
}

static void lay_out(struct build *b, struct arena *a)
{
    const uint32_t count = (uint32_t)b->sections.count;
    const uint32_t version_first = b->s->lock_count;
    const uint32_t lock_count = version_first + (uint32_t)b->lock_of.entries.count;
    struct section *list = arena_array(a, struct section, (size_t)count + 1);
    struct lock *locks = arena_array(a, struct lock, (size_t)lock_count + 1);
    uint32_t *by_lock = arena_array(a, uint32_t, (size_t)count + 1);
    sort_stable(b->sections.at, count, sizeof *b->sections.at, compare_begins, NULL);
    for (uint32_t lock = 0; lock < version_first; lock++) {
        locks[lock] = b->s->locks[lock];
        locks[lock].count = 0;
    }
    vec_each (&b->lock_of.entries, checked) {
        const struct variable *v = &b->v->list.at[checked->key];
        locks[checked->value] = (struct lock){.node = v->node, .name = v->name};
    }
    for (uint32_t i = 0; i < count; i++) {
        list[i] = b->sections.at[i];
        locks[list[i].lock].count++;
    }
    uint32_t first = 0;
    for (uint32_t lock = 0; lock < lock_count; lock++) {
        locks[lock].first = first;
        first += locks[lock].count;
        locks[lock].count = 0;
    }
    must(first == count);
    for (uint32_t i = 0; i < count; i++) {
        struct lock *lock = &locks[list[i].lock];
        by_lock[lock->first + lock->count++] = i;
    }
    for (uint32_t lock = version_first; lock < lock_count; lock++) {
        locks[lock].is_contended = is_contended(b, by_lock, &locks[lock]);
    }
    *b->s = (struct sections){
        .list = list, .count = count, .locks = locks, .lock_count = lock_count, .by_lock = by_lock};
}

void versions_add(struct sections *s, const struct trace *t, const struct variables *v,
                  struct arena *a)
{
    struct build b = {.s = s, .t = t, .v = v};
    for (uint32_t i = 0; i < v->list.count; i++) {
        if (v->list.at[i].is_checked) {
            add_checked(&b, i);
        }
    }
    if (b.lock_of.entries.count > 0) {
        for (uint32_t i = 0; i < s->count; i++) {
            vec_push(&b.sections, s->list[i]);
        }
        vec_each (&v->accesses, access) {
            if (access->is_write) {
                add_write(&b, access);
            }
        }
        lay_out(&b, a);
    }
    map_release(&b.lock_of);
    map_release(&b.variable_of);
    map_release(&b.changed_by);
    vec_release(&b.changed);
    vec_release(&b.sections);
}
