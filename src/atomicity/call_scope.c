#include "atomicity/call_scope.h"

void scope_tree_release(struct scope_tree *t)
{
    vec_release(&t->nodes);
}

void scope_move(struct scope_tree *t, struct scope_path *p, const struct event *e)
{
    const uint64_t count = e->size < SCOPE_DEPTH_MAX ? e->size : SCOPE_DEPTH_MAX;
    p->count = e->count < p->count ? e->count : p->count;
    p->count = count < p->count ? (uint32_t)count : p->count;
    while (p->count < count) {
        const uint32_t parent = scope_now(p);
        vec_push(&t->nodes,
                 (struct scope_node){.parent = parent,
                                     .depth = p->count + 1,
                                     .is_round = ((uint64_t)e->value >> p->count & 1) != 0});
        p->at[p->count++] = (uint32_t)t->nodes.count;
    }
    must(p->count == count);
}

void scope_act(struct scope_tree *t, uint32_t scope)
{
    must(scope <= t->nodes.count);
    while (scope != SCOPE_ROOT && !t->nodes.at[scope - 1].has_acted) {
        t->nodes.at[scope - 1].has_acted = true;
        scope = t->nodes.at[scope - 1].parent;
    }
}

static uint32_t depth_of(const struct scope_tree *t, uint32_t scope)
{
    return scope == SCOPE_ROOT ? 0 : t->nodes.at[scope - 1].depth;
}

struct scope_meeting scope_meet(const struct scope_tree *t, uint32_t first, uint32_t second)
{
    struct scope_meeting m = {0};
    while (first != second) {
        if (depth_of(t, first) >= depth_of(t, second)) {
            must(first != SCOPE_ROOT);
            m.first = first;
            first = t->nodes.at[first - 1].parent;
        } else {
            m.second = second;
            second = t->nodes.at[second - 1].parent;
        }
    }
    m.common = first;
    must(m.first == SCOPE_ROOT || m.first != m.second);
    return m;
}

bool scope_is_in(const struct scope_tree *t, uint32_t scope, uint32_t around)
{
    must(scope <= t->nodes.count);
    must(around <= t->nodes.count);
    while (depth_of(t, scope) > depth_of(t, around)) {
        scope = t->nodes.at[scope - 1].parent;
    }
    return scope == around;
}
