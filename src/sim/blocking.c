#include "sim/blocking.h"

#include <stdio.h>

#include "sim/handler_guard.h"
#include "sim/net.h"
#include "sim/state_hash.h"

/* Whether no message of its type is before it on its channel. */
static bool is_first_of_type(const struct sim *s, const struct parcel *p)
{
    const struct parcel *q = s->core->queues[net_channel(s, p->from, p->to)].first;
    while (q != p && q->type != p->type) {
        q = q->behind;
    }
    return q == p;
}

bool block_is_awaited(const struct sim *s, const struct parcel *p)
{
    const struct awaited *a = &s->core->nodes[p->to].awaited;
    return a->is_any && p->from == (int32_t)a->from && p->type == a->type &&
           (!net_is_fifo(s, p) || is_first_of_type(s, p));
}

void block_check(struct sim *s)
{
    char who[200] = "";
    char key[100] = "";
    size_t used = 0;
    size_t key_used = 0;
    for (uint32_t i = 0; i < s->node_count && used < sizeof who && key_used < sizeof key; i++) {
        const struct awaited *a = &s->core->nodes[i].awaited;
        if (!a->is_any) {
            continue;
        }
        used += (size_t)snprintf(who + used, sizeof who - used, "%s%s waits for %s from %s",
                                 used == 0 ? "" : ", ", s->names.node_texts[i],
                                 s->system->messages[a->type], s->names.node_texts[a->from]);
        must(a->type < s->type_count);
        must(a->from < s->node_count);
        key_used += (size_t)snprintf(key + key_used, sizeof key - key_used, "%s%s",
                                     key_used == 0 ? "" : " ", s->names.node_texts[i]);
    }
    if (used > 0) {
        guard_end(s, OUTCOME_DEADLOCK, key, "nothing can happen any more: %s", who);
    }
}
