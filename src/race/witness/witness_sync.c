#include "race/witness/witness_facts.h"
#include "trace/kind_table.h"

/* ---- waits ---- */

static void add_wait(struct facts *f, struct map *conditions, event_id end, event_id begin)
{
    const struct event *e = trace_at(f->t, end);
    struct fact_wait wait = {
        .condition = facts_number(conditions, facts_scoped(f->t, e, e->object)),
        .begin = begin != EVENT_NONE ? begin : f->of[end].task_before,
        .end = end,
        .is_recorded = begin != EVENT_NONE,
        .next_begun = FACT_NONE,
    };
    f->of[end].wait = (uint32_t)f->waits.count;
    if (wait.begin != EVENT_NONE) {
        wait.next_begun = f->of[wait.begin].waits_begun;
        f->of[wait.begin].waits_begun = (uint32_t)f->waits.count;
    }
    vec_push(&f->waits, wait);
}

void facts_read_waits(struct facts *f)
{
    struct map conditions = {0};
    struct map pending = {0}; /* (task, condition's name) to the WAIT_BEGIN under way */
    for (event_id id = 0; id < f->count; id++) {
        const struct event *e = trace_at(f->t, id);
        if (e->kind == EVENT_SIGNAL || e->kind == EVENT_BROADCAST) {
            f->of[id].thing = facts_number(&conditions, facts_scoped(f->t, e, e->object));
        } else if (e->kind == EVENT_WAIT_BEGIN) {
            map_put(&pending, map_pair(e->task, e->object), id);
        } else if (e->kind == EVENT_WAIT_END) {
            uint32_t *begin = map_slot(&pending, map_pair(e->task, e->object), EVENT_NONE, NULL);
            add_wait(f, &conditions, id, *begin);
            *begin = EVENT_NONE;
        }
    }
    f->condition_count = (uint32_t)conditions.entries.count;
    map_release(&conditions);
    map_release(&pending);
}

/* ---- sections ---- */

/* A task's use of a lock, and the same lock's LOCKs by whomever. */
struct use {
    uint32_t task, lock;
    VEC(event_id) events; /* that take, release or lose the lock */
};

struct lock_use {
    VEC(event_id) locks;
};

struct uses {
    struct map lock_numbers;
    struct map use_numbers; /* (task, lock) */
    VEC(struct use) uses;
    VEC(struct lock_use) of_lock;
};

static bool lock_key(const struct trace *t, const struct event *e, uint64_t *key)
{
    if (e->kind == EVENT_LOCK || e->kind == EVENT_UNLOCK) {
        *key = lock_mode_is_across_processes(e->mode) ? map_pair(FACT_NONE, e->object)
                                                      : facts_scoped(t, e, e->object);
        return true;
    }
    if (e->kind == EVENT_WAIT_BEGIN || e->kind == EVENT_WAIT_END) {
        *key = facts_scoped(t, e, e->text != 0 ? e->text : e->object);
        return true;
    }
    return false;
}

static void uses_add(struct uses *u, uint64_t key, const struct event *e, event_id id)
{
    const uint32_t lock = facts_number(&u->lock_numbers, key);
    if (lock == u->of_lock.count) {
        vec_push(&u->of_lock, (struct lock_use){0});
    }
    if (e->kind == EVENT_LOCK) {
        vec_push(&u->of_lock.at[lock].locks, id);
    }
    const uint32_t number = facts_number(&u->use_numbers, map_pair(e->task, lock));
    if (number == u->uses.count) {
        vec_push(&u->uses, (struct use){.task = e->task, .lock = lock});
    }
    vec_push(&u->uses.at[number].events, id);
}

static void uses_release(struct uses *u)
{
    vec_each (&u->uses, use) {
        vec_release(&use->events);
    }
    vec_each (&u->of_lock, of_lock) {
        vec_release(&of_lock->locks);
    }
    vec_release(&u->uses);
    vec_release(&u->of_lock);
    map_release(&u->lock_numbers);
    map_release(&u->use_numbers);
}

/* A lock as one task holds it while its uses are walked. */
struct grip {
    uint32_t depth, depth_given_up;
    bool is_shared;
    event_id first;
};

static void section_add(struct facts *f, const struct use *use, const struct grip *g, event_id last)
{
    f->of[g->first].section = (uint32_t)f->sections.count;
    vec_push(&f->sections, (struct fact_section){.task = use->task,
                                                 .lock = use->lock,
                                                 .is_shared = g->is_shared,
                                                 .next_over = f->of[last].sections_over});
    f->of[last].sections_over = (uint32_t)(f->sections.count - 1);
    if (g->first != last) {
        facts_need(f, last, g->first);
    }
}

static void grip_wait_end(struct facts *f, const struct use *use, struct grip *g, event_id id)
{
    if (!f->waits.at[f->of[id].wait].is_recorded) {
        if (g->depth > 0) {
            section_add(f, use, g, f->of[id].task_before);
            g->first = id;
        }
        return;
    }
    if (g->depth == 0) {
        g->depth = g->depth_given_up;
        g->first = id;
    }
    g->depth_given_up = 0;
}

static void grip_step(struct facts *f, const struct use *use, struct grip *g, event_id id)
{
    const struct event *e = trace_at(f->t, id);
    if (e->kind == EVENT_LOCK) {
        g->is_shared = lock_mode_is_shared(e->mode) && (g->depth == 0 || g->is_shared);
        g->first = g->depth == 0 ? id : g->first;
        g->depth++;
    } else if (e->kind == EVENT_UNLOCK) {
        if (g->depth > 0 && --g->depth == 0) {
            section_add(f, use, g, id);
        }
    } else if (e->kind == EVENT_WAIT_BEGIN) {
        if (g->depth > 0) {
            section_add(f, use, g, id);
        }
        g->depth_given_up = g->depth;
        g->depth = 0;
    } else {
        grip_wait_end(f, use, g, id);
    }
}

/* The end of a section that is never released: the task's last event before another task takes the
 * lock, or at all. */
static event_id lost_end(const struct facts *f, const struct uses *u, const struct use *use,
                         const struct grip *g)
{
    event_id stop = (event_id)f->count;
    vec_each (&u->of_lock.at[use->lock].locks, id) {
        const struct event *e = trace_at(f->t, *id);
        if (*id > g->first && e->task != use->task &&
            !(g->is_shared && lock_mode_is_shared(e->mode))) {
            stop = *id;
            break;
        }
    }
    event_id last = stop - 1;
    while (trace_at(f->t, last)->task != use->task) {
        last--;
    }
    return last;
}

static void read_use(struct facts *f, const struct uses *u, const struct use *use)
{
    size_t next = 0; /* the use to go on with */
    while (next < use->events.count) {
        struct grip g = {0};
        for (size_t i = next; i < use->events.count; i++) {
            grip_step(f, use, &g, use->events.at[i]);
        }
        if (g.depth == 0) {
            return;
        }
        const event_id last = lost_end(f, u, use, &g);
        section_add(f, use, &g, last);
        while (next < use->events.count && use->events.at[next] <= last) {
            next++;
        }
    }
}

void facts_read_sections(struct facts *f)
{
    struct uses u = {0};
    uint64_t key = 0;
    for (event_id id = 0; id < f->count; id++) {
        const struct event *e = trace_at(f->t, id);
        if (lock_key(f->t, e, &key)) {
            uses_add(&u, key, e, id);
        }
    }
    vec_each (&u.uses, use) {
        read_use(f, &u, use);
    }
    f->lock_count = (uint32_t)u.of_lock.count;
    uses_release(&u);
}
