/* Hashes of states, and of their parts. */
#ifndef CLEW_SIM_STATE_HASH_H
#define CLEW_SIM_STATE_HASH_H

#include "sim/sim_state.h"

void hash_open(struct sim *s);
void hash_close(struct sim *s);
uint64_t hash_state(struct sim *s); /* never 0 */
uint64_t hash_heap(struct sim *s, uint32_t node);
uint64_t hash_disk(struct sim *s, uint32_t node);
void hash_beside(const struct sim *s, uint32_t node, struct hash_beside *beside); /* but the disk */
uint64_t hash_words(const struct hash_beside *beside);
uint64_t hash_segments(struct sim *s);            /* the system's own variables */
uint64_t hash_view(struct sim *s, uint32_t node); /* the part that properties read; never 0 */
/* Notes parts that may have changed. */
void hash_touch_all(struct sim *s);
static inline void hash_touch_node(struct sim *s, uint32_t node)
{
    s->memory.hashes.nodes_touched |= UINT64_C(1) << node;
}
static inline void hash_touch_disk(struct sim *s, const struct node *n)
{
    s->memory.hashes.disks_touched |= UINT64_C(1) << (n - s->core->nodes);
}
static inline void hash_touch_channel(struct sim *s, uint32_t channel)
{
    struct hashes *h = &s->memory.hashes;
    if (h->channels_touched_count < SIM_CHANNELS_TOUCHED_MAX) {
        h->channels_touched[h->channels_touched_count++] = channel;
    }
}

#endif
