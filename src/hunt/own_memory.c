#include "hunt/own_memory.h"

#include "base/map.h"
#include "wire/must.h"

/* Bytes are looked up by words. An operation on more of them, and one that is no plain access,
 * counts for its whole region. */
enum { WORD_BYTES = 8, WORDS_MAX = 64 };
#define MANY UINT32_MAX
#define WHOLE_REGION UINT32_MAX /* in place of the number of a word */

static bool has_words(const struct pick_operation *o)
{
    return o->is_access && o->begin < o->end && (o->end - o->begin) / WORD_BYTES < WORDS_MAX;
}

/* The only task of the key so far, or MANY. */
static void add_task(struct map *tasks, uint64_t key, uint32_t task)
{
    const uint32_t *known = map_get(tasks, key);
    map_put(tasks, key, known == NULL || *known == task ? task : MANY);
}

static void add_operation(struct map *tasks, const struct pick_operation *o)
{
    if (!has_words(o)) {
        add_task(tasks, map_pair(o->region, WHOLE_REGION), o->task);
        return;
    }
    for (uint32_t word = o->begin / WORD_BYTES; word <= (o->end - 1) / WORD_BYTES; word++) {
        add_task(tasks, map_pair(o->region, word), o->task);
    }
}

static bool is_own(const struct map *tasks, const struct pick_operation *o)
{
    const uint32_t *whole = map_get(tasks, map_pair(o->region, WHOLE_REGION));
    bool is_alone = whole == NULL || *whole == o->task;
    for (uint32_t word = o->begin / WORD_BYTES; word <= (o->end - 1) / WORD_BYTES; word++) {
        const uint32_t *task = map_get(tasks, map_pair(o->region, word));
        must(task != NULL);
        is_alone = is_alone && *task == o->task;
    }
    return is_alone;
}

struct bits own_memory_find(const struct execution *x, struct arena *a)
{
    const struct bits own = bits_take(a, x->steps.count + 1);
    struct map tasks = {0};
    vec_each (&x->steps, step) {
        if (step->operation.region != 0) {
            add_operation(&tasks, &step->operation);
        }
    }
    for (size_t i = 0; i < x->steps.count; i++) {
        const struct pick_operation *o = &x->steps.at[i].operation;
        if (o->region != 0 && has_words(o) && is_own(&tasks, o)) {
            bits_add(own, i);
        }
    }
    map_release(&tasks);
    return own;
}
