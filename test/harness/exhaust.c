#include "exhaust.h"

#include <string.h>

#include "base/mem.h"
#include "explore/step_order.h"
#include "pick/operation_name.h"

uint64_t exhaust_class(const struct execution *x)
{
    struct relation r = {0};
    relation_build(&r, x, SIZE_MAX);
    uint64_t class = 1;
    for (size_t second = 0; second < x->steps.count; second++) {
        uint64_t before = 0;
        for (size_t first = 0; first < second; first++) {
            before += relation_is_before(&r, first, second)
                          ? name_mix(7, x->steps.at[first].operation.name)
                          : 0;
        }
        class += name_join(x->steps.at[second].operation.name, before);
    }
    relation_release(&r);
    return class;
}

struct exhausting {
    struct world *world;
    const struct plan *plan;
    uint64_t executions_max;
    struct exhausted *found;
    struct execution x;
};

/* Notes a number of steps; 0 is none. */
static void note_least(uint64_t *least, uint64_t steps)
{
    *least = *least == 0 || steps < *least ? steps : *least;
}

static void end(struct exhausting *h, bool is_broken)
{
    struct exhausted *found = h->found;
    found->executions++;
    found->violations += is_broken;
    if (is_broken) {
        note_least(&found->shortest, h->x.steps.count);
    }
    if (is_broken && found->like != NULL && found->is_like(&h->x, found->like)) {
        note_least(&found->shortest_like, h->x.steps.count);
    }
    if (is_broken) {
        map_put(&found->keys, name_text(h->x.key, strlen(h->x.key)), 1);
    }
    map_put(&found->classes, exhaust_class(&h->x), 1);
    map_put(&found->outcomes, is_broken ? 2 : h->world->ops->state_hash(h->world), 1);
    found->is_too_much = found->is_too_much || found->executions > h->executions_max;
}

static void go_on(struct exhausting *h)
{
    const struct world_ops *ops = h->world->ops;
    const struct pick_operation *pending = NULL;
    const uint32_t count = ops->pending(h->world, &pending);
    if (count == 0 || pending[0].fault != 0) {
        end(h, false);
    }
    if (count == 0) {
        return;
    }
    void *here = ops->checkpoint(h->world);
    const size_t step_count = h->x.steps.count;
    for (uint32_t i = 0; i < count && !h->found->is_too_much; i++) {
        if (ops->step(h->world, i, &h->x)) {
            go_on(h);
        } else {
            end(h, true);
        }
        h->x.steps.count = step_count;
        ops->restore(h->world, here);
    }
    mem_free(here);
}

void exhaust(struct world *w, const struct plan *p, uint64_t executions_max, struct exhausted *x)
{
    struct exhausting h = {.world = w, .plan = p, .executions_max = executions_max, .found = x};
    w->ops->begin(w, p, &h.x);
    go_on(&h);
    execution_release(&h.x);
}

void exhausted_release(struct exhausted *x)
{
    map_release(&x->keys);
    map_release(&x->classes);
    map_release(&x->outcomes);
}
