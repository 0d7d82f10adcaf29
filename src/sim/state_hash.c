/* The hash of a state: of all that decides which operations can come next. Its history (counts of
 * sent messages, ages) stays out, so that different ways to one state have one hash.
 *
 * A step runs the code of one node and touches a few channels, so the parts of the hash are kept
 * and only parts that may have changed are computed again: nodes and channels that were touched,
 * and the system's own variables. */
#include "sim/state_hash.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/mem.h"
#include "pick/operation_name.h"
#include "sim/net.h"
#include "sim/variables.h"

void hash_open(struct sim *s)
{
    s->memory.hashes.channels = mem_zero(net_channel_count(s), sizeof *s->memory.hashes.channels);
    hash_touch_all(s);
}

void hash_close(struct sim *s)
{
    for (uint32_t i = 0; i < SIM_NODES_MAX; i++) {
        image_release(&s->memory.hashes.heaps[i]);
        image_release(&s->memory.hashes.disks[i]);
    }
    image_release(&s->memory.hashes.common[0]);
    image_release(&s->memory.hashes.common[1]);
    mem_free(s->memory.hashes.channels);
}

void hash_touch_all(struct sim *s)
{
    s->memory.hashes.nodes_touched = UINT64_MAX;
    s->memory.hashes.disks_touched = UINT64_MAX;
    s->memory.hashes.channels_touched_count = SIM_CHANNELS_TOUCHED_MAX;
}

/* Nodes */

/* How many timers would fire at the same time, but before this one. */
static uint32_t count_earlier(const struct sim *s, const struct node *n, const struct timer *timer)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->timer_count; i++) {
        const struct timer *other = &n->timers[i];
        count +=
            other->is_set && other->deadline == timer->deadline && other->set_at < timer->set_at;
    }
    return count;
}

static uint64_t hash_timers(const struct sim *s, const struct node *n)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < s->timer_count; i++) {
        const struct timer *timer = &n->timers[i];
        hash = name_mix(hash, timer->is_set ? 1 + timer->deadline - n->clock : 0);
        hash += timer->is_set ? count_earlier(s, n, timer) : 0;
    }
    return hash;
}

/* The bytes that have reached the disk. */
static uint64_t hash_platter(struct sim *s, uint32_t node)
{
    struct hashes *h = &s->memory.hashes;
    const struct disk *d = &s->core->nodes[node].disk;
    if ((h->disks_touched >> node & 1) != 0) {
        h->disks_touched &= ~(UINT64_C(1) << node);
        h->platters[node] = d->bytes == NULL
                                ? 0
                                : image_hash(&h->disks[node], d->bytes, s->system->disk_size, NULL);
    }
    return h->platters[node];
}

uint64_t hash_disk(struct sim *s, uint32_t node)
{
    const struct disk *d = &s->core->nodes[node].disk;
    uint64_t hash = hash_platter(s, node);
    for (const struct disk_write *w = d->first; w != NULL; w = w->next) {
        hash =
            XXH3_64bits_withSeed(w->bytes, w->size, name_mix(hash, 2 * w->offset + w->is_failing));
    }
    return hash + d->is_slow;
}

/* The variables that the node has reported, in any order, if a property reads them. */
static uint64_t hash_variables(const struct sim *s, const struct node *n)
{
    uint64_t hash = 0;
    for (uint64_t left = s->claims.count == 0 ? 0 : n->variables_set; left != 0; left &= left - 1) {
        const int i = __builtin_ctzll(left);
        hash += name_mix(s->reported.keys[i], (uint64_t)n->variables[i]);
    }
    return hash;
}

/* The message that a blocked node waits for, and the helpers that have not run, in any order. */
static uint64_t hash_waiting(const struct node *n)
{
    const struct awaited *a = &n->awaited;
    uint64_t hash = a->is_any ? 1 + (((uint64_t)a->from << 32) | a->type) : 0;
    for (const struct help *h = n->helps; h != NULL; h = h->next) {
        hash += XXH3_64bits_withSeed(h->bytes, h->size, h->helper + 1);
    }
    return hash;
}

void hash_beside(const struct sim *s, uint32_t node, struct hash_beside *beside)
{
    const struct node *n = &s->core->nodes[node];
    *beside = (struct hash_beside){
        .is_up = n->state != NULL,
        .is_cut = n->is_cut,
        .timers = hash_timers(s, n),
        .prng = {n->prng.state[0], n->prng.state[1], n->prng.state[2], n->prng.state[3]},
        .waiting = hash_waiting(n),
        .variables = hash_variables(s, n)};
}

uint64_t hash_words(const struct hash_beside *beside)
{
    return XXH3_64bits(beside, sizeof *beside);
}

uint64_t hash_heap(struct sim *s, uint32_t node)
{
    const struct heap *heap = &s->core->nodes[node].heap;
    return image_hash(&s->memory.hashes.heaps[node], heap->begin, heap->used, NULL);
}

uint64_t hash_view(struct sim *s, uint32_t node)
{
    const struct node *n = &s->core->nodes[node];
    const uint64_t own = s->claims.sees_states ? hash_heap(s, node) + (n->state != NULL) : 0;
    return name_mix(own, hash_variables(s, n)) | 1;
}

static uint64_t hash_node(struct sim *s, uint32_t node)
{
    struct hashes *h = &s->memory.hashes;
    if ((h->nodes_touched >> node & 1) != 0) {
        h->nodes_touched &= ~(UINT64_C(1) << node);
        struct hash_beside beside;
        hash_beside(s, node, &beside);
        beside.disk = hash_disk(s, node);
        h->nodes[node] = name_mix(hash_words(&beside), hash_heap(s, node));
    }
    return h->nodes[node];
}

static uint64_t hash_nodes(struct sim *s, uint64_t hash)
{
    for (uint32_t i = 0; i < s->node_count; i++) {
        hash = hash * 0x9e3779b97f4a7c15u + hash_node(s, i);
        hash += s->core->reads_clock ? s->core->nodes[i].clock : 0;
    }
    return hash;
}

/* Channels */

/* The content of a message is hashed once. */
static uint64_t hash_parcel(struct parcel *p)
{
    if (p->content == 0) {
        const uint64_t kind = p->type | (uint64_t)p->is_unignorable << 32;
        p->content = XXH3_64bits_withSeed(p->bytes, p->size, kind) | 1;
    }
    return p->content;
}

/* Messages of a channel count in their order where it matters, else as a set. */
static uint64_t hash_channel(const struct queue *q, bool is_fifo)
{
    uint64_t hash = 0;
    for (struct parcel *p = q->first; p != NULL; p = p->behind) {
        hash = is_fifo ? name_mix(hash, hash_parcel(p)) : hash + name_mix(1, hash_parcel(p));
    }
    return hash;
}

static void rehash_channel(struct sim *s, uint32_t channel)
{
    struct hashes *h = &s->memory.hashes;
    const struct queue *q = &s->core->queues[channel];
    const uint64_t hash =
        q->first == NULL ? 0 : name_mix(hash_channel(q, s->channels.is_fifo[channel]), channel + 1);
    h->channel_sum += hash - h->channels[channel];
    h->channels[channel] = hash;
}

static uint64_t hash_channels(struct sim *s)
{
    struct hashes *h = &s->memory.hashes;
    const bool is_all = h->channels_touched_count == SIM_CHANNELS_TOUCHED_MAX;
    const uint32_t count = is_all ? net_channel_count(s) : h->channels_touched_count;
    for (uint32_t i = 0; i < count; i++) {
        rehash_channel(s, is_all ? i : h->channels_touched[i]);
    }
    must(count <= net_channel_count(s) || !is_all);
    h->channels_touched_count = 0;
    return h->channel_sum;
}

/* Memory of no node. Loaded bytes are compared with their first values, as variables are. */
static uint64_t hash_common(struct sim *s)
{
    const struct heap *heap = s->memory.common;
    const size_t loaded =
        s->memory.common_fresh_used < heap->used ? s->memory.common_fresh_used : heap->used;
    const char *fresh = s->memory.common_fresh + (heap->begin - (const char *)heap);
    return image_hash(&s->memory.hashes.common[0], heap->begin, loaded, fresh) +
           image_hash(&s->memory.hashes.common[1], heap->begin + loaded, heap->used - loaded, NULL);
}

uint64_t hash_segments(struct sim *s)
{
    const uint64_t hash = variables_hash(s);
    return s->memory.common->used == 0 ? hash : name_mix(hash, hash_common(s));
}

uint64_t hash_state(struct sim *s)
{
    const struct core *core = s->core;
    const uint64_t steps = s->claims.asks_steps ? (uint64_t)core->steps << 32 : 0;
    const uint64_t faults = XXH3_64bits_withSeed(core->fault_counts, sizeof core->fault_counts,
                                                 core->events_come + steps);
    const uint64_t outside = hash_segments(s) + core->drawn_outside;
    return (name_mix(hash_nodes(s, faults), hash_channels(s)) + outside) | 1;
}
