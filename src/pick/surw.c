/* Selectively uniform random walk (Zhao, Wolff, Mathur and Roychoudhury, ASPLOS 2025): the
 * operations on one object are interleaved uniformly. An earlier run gives their number per task.
 * The task of the next one is drawn in proportion to its remaining operations, including those of
 * tasks it has still to create. Operations on other objects are chosen at random in between. The
 * object is drawn for each run among those that several tasks touch; where there is none, every
 * operation counts. */
#include <string.h>

#include "pick/strategy.h"

#define NOBODY UINT32_MAX

void surw_init(struct pick *p, struct carving *c)
{
    const uint32_t object_max = p->limits.object_max;
    p->surw.tasks = carve(c, p->limits.task_max, sizeof *p->surw.tasks);
    p->surw.objects = carve(c, object_max, sizeof *p->surw.objects);
    struct table *tables[] = {&p->surw.users, &p->surw.before};
    for (int i = 0; i < 2; i++) {
        table_init(tables[i], carve(c, table_entries(object_max * 4), sizeof(struct table_entry)),
                   object_max * 4);
    }
}

static uint64_t user_key(uint32_t object, uint32_t task)
{
    return (uint64_t)object << 32 | task;
}

static bool counts(const struct surw *s, const struct pick_operation *o)
{
    return s->object == 0 || o->objects[0] == s->object || o->objects[1] == s->object;
}

/* A task's weight includes those of the tasks that it creates, each of which is created once. */
static void weigh(struct pick *p)
{
    struct surw *s = &p->surw;
    for (uint32_t t = 0; t < p->limits.task_max; t++) {
        const uint64_t *expected = table_get(&s->before, user_key(s->object, t));
        s->tasks[t].expected = expected == NULL ? 0 : (uint32_t)*expected;
        s->tasks[t].weight = 0;
    }
    for (uint32_t t = 0; t < p->limits.task_max; t++) {
        uint32_t holder = t;
        uint32_t depth = 0;
        s->tasks[t].weight += s->tasks[t].expected;
        while (s->tasks[t].expected > 0 && s->tasks[holder].parent != holder &&
               depth++ < p->limits.task_max) {
            holder = s->tasks[holder].parent;
            s->tasks[holder].weight += s->tasks[t].expected;
        }
    }
}

static void begin(struct pick *p)
{
    struct surw *s = &p->surw;
    s->object = s->object_count == 0 ? 0 : s->objects[prng_below(&p->prng, s->object_count)];
    s->intended = NOBODY;
    s->last = NOBODY;
    table_clear(&s->users);
    for (uint32_t t = 0; t < p->limits.task_max; t++) {
        if (!s->tasks[t].was_known) {
            s->tasks[t].parent = t;
        }
        s->tasks[t].is_known = false;
    }
    weigh(p);
}

/* A new task: the last running task created it. */
static void meet(struct surw *s, uint32_t task)
{
    struct surw_task *own = &s->tasks[task];
    if (own->is_known) {
        return;
    }
    own->is_known = true;
    if (own->parent != task) {
        struct surw_task *parent = &s->tasks[own->parent];
        parent->weight -= own->weight < parent->weight ? own->weight : parent->weight;
    } else if (s->last != NOBODY) {
        own->parent = s->last;
    }
}

/* At least one for a pending operation: the profile may be wrong. */
static uint64_t weight(const struct surw *s, const struct pick_operation *o)
{
    const uint32_t own = s->tasks[o->task].weight;
    return own > 0 ? own : 1;
}

/* Draws the next of the operations that count; NOBODY when none is pending. */
static uint32_t draw(struct pick *p, const struct offer *offer)
{
    const struct surw *s = &p->surw;
    uint64_t total = 0;
    for (uint32_t i = 0; i < offer->count; i++) {
        const struct pick_operation *o = &offer->pending[offer->among[i]];
        total += s->tasks[o->task].weight > 0 || counts(s, o) ? weight(s, o) : 0;
    }
    if (total == 0) {
        return NOBODY;
    }
    uint64_t left = prng_below(&p->prng, total);
    for (uint32_t i = 0; i < offer->count; i++) {
        const struct pick_operation *o = &offer->pending[offer->among[i]];
        const uint64_t own = s->tasks[o->task].weight > 0 || counts(s, o) ? weight(s, o) : 0;
        if (left < own) {
            return o->task;
        }
        left -= own;
    }
    bug("a draw beyond the total");
}

static uint32_t choose(struct pick *p, const struct offer *offer)
{
    struct surw *s = &p->surw;
    bool is_intended_there = false;
    for (uint32_t i = 0; i < offer->count; i++) {
        const uint32_t task = offer->pending[offer->among[i]].task;
        meet(s, task);
        is_intended_there = is_intended_there || task == s->intended;
    }
    if (!is_intended_there) {
        s->intended = draw(p, offer);
    }
    /* Any operation that does not count, or the drawn one; reservoir of one. */
    uint32_t chosen = offer->among[0];
    uint32_t seen = 0;
    for (uint32_t i = 0; i < offer->count; i++) {
        const struct pick_operation *o = &offer->pending[offer->among[i]];
        if ((!counts(s, o) || o->task == s->intended) && prng_below(&p->prng, ++seen) == 0) {
            chosen = offer->among[i];
        }
    }
    return chosen;
}

static void count(struct surw *s, uint32_t object, uint32_t task)
{
    uint64_t *times = table_slot(&s->users, user_key(object, task), 0);
    if (times != NULL) {
        ++*times;
    }
}

static void done(struct pick *p, const struct offer *offer, uint32_t chosen)
{
    struct surw *s = &p->surw;
    const struct pick_operation *o = &offer->pending[chosen];
    meet(s, o->task);
    count(s, 0, o->task);
    for (unsigned i = 0; i < 2; i++) {
        if (o->objects[i] != 0 && o->objects[i] != PICK_EVERYTHING) {
            count(s, o->objects[i], o->task);
        }
    }
    if (counts(s, o)) {
        s->tasks[o->task].weight -= s->tasks[o->task].weight > 0;
        s->intended = NOBODY;
    }
    s->last = o->task;
}

/* This run is the profile of the next: the tasks that touch each object, and the creator of each
 * task. */
static void end(struct pick *p)
{
    struct surw *s = &p->surw;
    const struct table profile = s->users;
    s->users = s->before;
    s->before = profile;
    must(s->users.mask == s->before.mask);
    for (uint32_t t = 0; t < p->limits.task_max; t++) {
        s->tasks[t].was_known = s->tasks[t].is_known;
    }
    struct table first_user = s->users; /* object to a user, plus one; of the old memory */
    table_clear(&first_user);
    s->object_count = 0;
    for (uint32_t i = 0; i <= profile.mask; i++) {
        const struct table_entry *entry = &profile.entries[i];
        const uint32_t object = (uint32_t)(entry->key >> 32);
        if (entry->age != profile.age || object == 0) {
            continue;
        }
        uint64_t *user_count = table_slot(&first_user, object, 0);
        if (user_count != NULL && ++*user_count == 2 && s->object_count < p->limits.object_max) {
            s->objects[s->object_count++] = object;
        }
    }
    must(s->object_count <= p->limits.object_max);
    s->users.age = first_user.age;
}

const struct strategy strategy_surw = {.begin = begin, .choose = choose, .done = done, .end = end};
