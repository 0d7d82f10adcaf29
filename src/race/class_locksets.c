#include "race/class_locksets.h"

#include "base/vec.h"
#include "wire/must.h"

typedef VEC(struct class_lock) lock_list;

/* Whether the set of sections has one of this lock; *is_shared: that is held with others. */
static bool set_has(const struct hb *hb, const struct held *held, uint32_t set, uint32_t lock,
                    bool *is_shared)
{
    for (uint32_t i = held->first[set]; i < held->first[set + 1]; i++) {
        const struct section *s = &hb->sections.list[held->sections[i]];
        if (s->lock == lock) {
            *is_shared = s->is_shared;
            return true;
        }
    }
    return false;
}

/* Appends the locks of a set. */
static void push_set(const struct hb *hb, const struct held *held, uint32_t set, lock_list *list)
{
    for (uint32_t i = held->first[set]; set != 0 && i < held->first[set + 1]; i++) {
        const struct section *s = &hb->sections.list[held->sections[i]];
        vec_push(list, (struct class_lock){.lock = s->lock, .is_shared = s->is_shared});
    }
}

/* Keeps, of the locks from `from` on, those that the set has as well. */
static void intersect(const struct hb *hb, const struct held *held, uint32_t set, lock_list *list,
                      size_t from)
{
    size_t kept = from;
    for (size_t i = from; set != 0 && i < list->count; i++) {
        struct class_lock lock = list->at[i];
        bool is_shared = false;
        if (set_has(hb, held, set, lock.lock, &is_shared)) {
            lock.is_shared = lock.is_shared || is_shared;
            list->at[kept++] = lock;
        }
    }
    list->count = kept;
}

void class_locks_build(struct class_locks *l, const struct hb *hb, const struct held *held,
                       const struct accesses *a, struct arena *arena)
{
    must(hb->contexts.count == hb->contexts.task_count);
    uint32_t *first = arena_array(arena, uint32_t, a->class_count + 1);
    lock_list list = {0};
    for (uint32_t c = 0; c < a->class_count; c++) {
        const struct access_class *class = &a->classes[c];
        const event_id *events = a->events + class->first;
        must(class->count > 0);
        must(class->first + class->count <= a->count);
        uint32_t set = held->set_of[events[0]];
        first[c] = (uint32_t)list.count;
        push_set(hb, held, set, &list);
        for (uint32_t i = 1; i < class->count && list.count > first[c]; i++) {
            if (held->set_of[events[i]] != set) {
                set = held->set_of[events[i]];
                intersect(hb, held, set, &list, first[c]);
            }
        }
    }
    first[a->class_count] = (uint32_t)list.count;
    struct class_lock *locks = arena_array(arena, struct class_lock, list.count + 1);
    for (size_t i = 0; i < list.count; i++) {
        locks[i] = list.at[i];
    }
    vec_release(&list);
    *l = (struct class_locks){.accesses = a, .first = first, .locks = locks};
}

bool class_locks_exclude(const struct class_locks *l, const struct access_class *first,
                         const struct access_class *second)
{
    const size_t a = (size_t)(first - l->accesses->classes);
    const size_t b = (size_t)(second - l->accesses->classes);
    must(a < l->accesses->class_count);
    must(b < l->accesses->class_count);
    must(first->task != second->task);
    for (uint32_t i = l->first[a]; i < l->first[a + 1]; i++) {
        for (uint32_t k = l->first[b]; k < l->first[b + 1]; k++) {
            if (l->locks[i].lock == l->locks[k].lock &&
                !(l->locks[i].is_shared && l->locks[k].is_shared)) {
                return true;
            }
        }
    }
    return false;
}
