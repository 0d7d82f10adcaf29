#include "race_slow.h"

#include <stdio.h>

#include "base/mem.h"
#include "test.h"

struct slow_answer slow_answer_take(struct arena *a, const struct rules *r)
{
    return (struct slow_answer){
        .has_order = true,
        .data = arena_array(a, bool, r->data_candidates.count + 1),
        .message = arena_array(a, bool, r->message_candidates.count + 1),
    };
}

static char difference[200];

const char *slow_difference(const struct rules *r, const struct slow_answer *a,
                            const struct slow_answer *b)
{
    if (a->has_order != b->has_order) {
        return "one finds an allowed order, the other none";
    }
    for (size_t i = 0; i < r->data_candidates.count; i++) {
        if (a->data[i] != b->data[i]) {
            const struct rules_pair *pair = &r->data_candidates.at[i];
            (void)snprintf(difference, sizeof difference, "data race of events %u and %u: %s, %s",
                           pair->a, pair->b, a->data[i] ? "yes" : "no", b->data[i] ? "yes" : "no");
            return difference;
        }
    }
    for (size_t i = 0; i < r->message_candidates.count; i++) {
        if (a->message[i] != b->message[i]) {
            const struct rules_pair *pair = &r->message_candidates.at[i];
            (void)snprintf(difference, sizeof difference,
                           "message race of send %u and receive %u: %s, %s", pair->a, pair->b,
                           a->message[i] ? "yes" : "no", b->message[i] ? "yes" : "no");
            return difference;
        }
    }
    return NULL;
}

/* ---- observed ---- */

/* before[a * count + b]: a happens before b. Every edge follows the list, so one pass over the
 * targets in listed order closes the relation. */
struct closure {
    size_t count;
    bool *before;
};

static void closure_add(struct closure *c, event_id from, event_id to)
{
    if (from < to) {
        c->before[from * c->count + to] = true;
    }
}

static void closure_close(struct closure *c)
{
    for (size_t to = 0; to < c->count; to++) {
        for (size_t via = to; via-- > 0;) {
            for (size_t from = 0; c->before[via * c->count + to] && from < via; from++) {
                c->before[from * c->count + to] |= c->before[from * c->count + via];
            }
        }
    }
}

static void observe(const struct rules *r, struct closure *c)
{
    for (event_id a = 0; a < r->count; a++) {
        for (event_id b = a + 1; b < r->count; b++) {
            if (trace_at(r->t, a)->task == trace_at(r->t, b)->task) {
                closure_add(c, a, b);
            }
        }
    }
    vec_each (&r->cross, edge) {
        closure_add(c, edge->from, edge->to);
    }
    vec_each (&r->observed, edge) {
        closure_add(c, edge->from, edge->to);
    }
    vec_each (&r->semaphore_waits, w) {
        if (w->taken != EVENT_NONE) {
            closure_add(c, w->taken, w->wait);
        }
    }
    vec_each (&r->sections, s) {
        vec_each (&r->sections, later) {
            if (rules_exclude(s, later) && s->first < later->first) {
                closure_add(c, s->last, later->first);
            }
        }
    }
    vec_each (&r->waits, w) {
        if (w->server != EVENT_NONE) {
            closure_add(c, w->server, w->end);
        }
    }
    closure_close(c);
}

void slow_observed(const struct rules *r, struct slow_answer *answer)
{
    struct closure c = {.count = r->count};
    c.before = mem_zero(r->count * r->count + 1, sizeof *c.before);
    observe(r, &c);
    for (size_t i = 0; i < r->data_candidates.count; i++) {
        const struct rules_pair *pair = &r->data_candidates.at[i];
        answer->data[i] = !c.before[pair->a * c.count + pair->b];
    }
    for (size_t i = 0; i < r->message_candidates.count; i++) {
        const struct rules_pair *pair = &r->message_candidates.at[i];
        answer->message[i] = !r->is_pool.at[i] && !c.before[pair->b * c.count + pair->a];
    }
    mem_free(c.before);
}
