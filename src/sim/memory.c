/* Where a system lives, and how it is put aside and brought back. */
#include <string.h>
#include <sys/mman.h>
#include <xxhash.h>

#include "base/mem.h"
#include "base/seam.h"
#include "pick/name.h"
#include "sim/state.h"

/* High enough for address sanitizers, low enough for all kernels; the same in every process. */
static char *const place_wanted = (char *)UINT64_C(0x200000000000);
static const size_t region_size = (size_t)64 << 20;

int memory_open(struct sim *s, struct err *e)
{
    const size_t size = region_size * (s->node_count + 1);
    void *at = seam_fails() ? MAP_FAILED
                            : mmap(place_wanted, size, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
        return err_set(e, "no memory for %u nodes", s->node_count);
    }
    s->memory = at;
    s->core = at;
    return 0;
}

void memory_close(struct sim *s)
{
    if (s->memory != NULL) {
        (void)munmap(s->memory, region_size * (s->node_count + 1));
    }
}

static void *lay_out(char **at, size_t size)
{
    void *begin = *at;
    *at += (size + 63) / 64 * 64;
    return begin;
}

/* Everything as before the first step: nothing sent, nobody started. Blocks are cleared when they
 * are taken, so that heaps are emptied by saying so. */
void memory_reset(struct sim *s)
{
    const size_t channel_count = (size_t)(s->node_count + 1) * s->node_count;
    s->nodes_touched = UINT64_MAX;
    char *at = s->memory;
    struct core *core = lay_out(&at, sizeof *core);
    struct node *nodes = lay_out(&at, s->node_count * sizeof *nodes);
    struct queue *queues = lay_out(&at, channel_count * sizeof *queues);
    uint32_t *sent = lay_out(&at, channel_count * s->type_count * sizeof *sent);
    s->core_size = (size_t)(at - s->memory);
    memset(s->memory, 0, s->core_size);
    core->nodes = nodes;
    core->queues = queues;
    core->sent = sent;
    core->heap = (struct heap){.begin = at, .size = region_size - s->core_size};
    for (uint32_t i = 0; i < s->node_count; i++) {
        nodes[i].heap =
            (struct heap){.begin = s->memory + region_size * (i + 1), .size = region_size};
    }
    const char *fresh = s->segments_fresh;
    for (uint32_t i = 0; i < s->segment_count; i++) {
        memcpy(s->segments[i].begin, fresh, s->segments[i].size);
        fresh += s->segments[i].size;
    }
}

/* Before each block: which class it is of, and its place in a list while it is free. */
struct block {
    uint32_t class;
    uint32_t size; /* asked for */
    struct block *next;
};

enum { CLASS_SIZE_LEAST = 5 }; /* 32 bytes */

static uint32_t class_of(size_t size)
{
    const size_t needed = size + sizeof(struct block);
    uint32_t class = CLASS_SIZE_LEAST;
    while (((size_t)1 << class) < needed) {
        class ++;
    }
    return class;
}

void *heap_take(struct heap *h, size_t size)
{
    if (size > h->size / 2) {
        return NULL;
    }
    const uint32_t class = class_of(size);
    struct block *block = h->free[class - CLASS_SIZE_LEAST];
    if (block != NULL) {
        h->free[class - CLASS_SIZE_LEAST] = block->next;
    } else if (h->used + ((size_t)1 << class) <= h->size) {
        block = (struct block *)(void *)(h->begin + h->used);
        h->used += (size_t)1 << class;
        memset((char *)block + sizeof *block + size, 0,
               ((size_t)1 << class) - sizeof *block - size);
    } else {
        return NULL;
    }
    *block = (struct block){.class = class, .size = (uint32_t)size};
    memset(block + 1, 0, size);
    return block + 1;
}

bool heap_has(const struct heap *h, const void *taken)
{
    const char *at = taken;
    return at >= h->begin + sizeof(struct block) && at < h->begin + h->used &&
           (size_t)(at - h->begin) % sizeof(struct block) == 0 &&
           ((const struct block *)taken - 1)->class >= CLASS_SIZE_LEAST;
}

/* A free block is cleared, so that equal states have equal bytes. */
void heap_give(struct heap *h, void *taken)
{
    struct block *block = (struct block *)taken - 1;
    const uint32_t class = block->class;
    must(class >= CLASS_SIZE_LEAST);
    must(class < CLASS_SIZE_LEAST + SIM_HEAP_CLASSES);
    memset(taken, 0, block->size);
    *block = (struct block){.next = h->free[class - CLASS_SIZE_LEAST]};
    h->free[class - CLASS_SIZE_LEAST] = block;
}

/* The used part of the core region. */
static size_t core_used(const struct sim *s)
{
    return s->core_size + s->core->heap.used;
}

static size_t checkpoint_size(const struct sim *s)
{
    size_t size = core_used(s);
    for (uint32_t i = 0; i < s->node_count; i++) {
        size += s->core->nodes[i].heap.used;
    }
    for (uint32_t i = 0; i < s->segment_count; i++) {
        size += s->segments[i].size;
    }
    return size;
}

/* The core comes first: it knows how much of the rest is used. */
void *memory_checkpoint(struct sim *s)
{
    char *copy = mem_resize(NULL, checkpoint_size(s));
    char *at = mempcpy(copy, s->memory, core_used(s));
    for (uint32_t i = 0; i < s->node_count; i++) {
        const struct heap *heap = &s->core->nodes[i].heap;
        at = mempcpy(at, heap->begin, heap->used);
    }
    for (uint32_t i = 0; i < s->segment_count; i++) {
        at = mempcpy(at, s->segments[i].begin, s->segments[i].size);
    }
    return copy;
}

static const char *copy_back(void *to, const char *from, size_t size)
{
    memcpy(to, from, size);
    return from + size;
}

void memory_restore(struct sim *s, const void *checkpoint)
{
    s->nodes_touched = UINT64_MAX;
    const char *from = copy_back(s->memory, checkpoint, s->core_size);
    from = copy_back(s->core->heap.begin, from, s->core->heap.used);
    for (uint32_t i = 0; i < s->node_count; i++) {
        const struct heap *heap = &s->core->nodes[i].heap;
        from = copy_back(heap->begin, from, heap->used);
    }
    for (uint32_t i = 0; i < s->segment_count; i++) {
        from = copy_back(s->segments[i].begin, from, s->segments[i].size);
    }
}

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

static uint64_t hash_disk(const struct sim *s, const struct disk *d)
{
    uint64_t hash = d->bytes == NULL ? 0 : XXH3_64bits(d->bytes, s->system->disk_size);
    for (const struct disk_write *w = d->first; w != NULL; w = w->next) {
        hash = XXH3_64bits_withSeed(w->bytes, w->size, hash + w->offset + w->is_failing);
    }
    return hash + d->is_slow;
}

/* What the node has reported, in any order, if there is a claim to see it. */
static uint64_t hash_variables(const struct sim *s, const struct node *n)
{
    uint64_t hash = 0;
    for (uint64_t left = s->claim_count == 0 ? 0 : n->variables_set; left != 0; left &= left - 1) {
        const int i = __builtin_ctzll(left);
        hash += name_mix(s->variable_keys[i], (uint64_t)n->variables[i]);
    }
    return hash;
}

/* What a blocked node waits for, and the helpers that have not run, in any order. */
static uint64_t hash_waiting(const struct node *n)
{
    const struct awaited *a = &n->awaited;
    uint64_t hash = a->is_any ? 1 + (((uint64_t)a->from << 32) | a->type) : 0;
    for (const struct help *h = n->helps; h != NULL; h = h->next) {
        hash += XXH3_64bits_withSeed(h->bytes, h->size, h->helper + 1);
    }
    return hash;
}

uint64_t memory_hash_beside(const struct sim *s, const struct node *n)
{
    const uint64_t parts[] = {
        n->state != NULL,
        n->is_cut,
        hash_timers(s, n),
        hash_disk(s, &n->disk),
        XXH3_64bits(&n->prng, sizeof n->prng),
        hash_variables(s, n),
        hash_waiting(n),
    };
    return XXH3_64bits(parts, sizeof parts);
}

static uint64_t hash_node(const struct sim *s, const struct node *n)
{
    return XXH3_64bits_withSeed(n->heap.begin, n->heap.used, memory_hash_beside(s, n));
}

uint64_t memory_view(const struct sim *s, uint32_t node)
{
    const struct node *n = &s->core->nodes[node];
    const uint64_t own =
        s->sees_states ? XXH3_64bits_withSeed(n->heap.begin, n->heap.used, n->state != NULL) : 0;
    return name_mix(own, hash_variables(s, n)) | 1;
}

/* Messages of a channel count in their order where it matters, else as a set. */
static uint64_t hash_channel(const struct queue *c, bool is_fifo)
{
    uint64_t hash = 0;
    for (const struct parcel *p = c->first; p != NULL; p = p->behind) {
        const uint64_t seed = is_fifo ? hash : 0;
        hash = XXH3_64bits_withSeed(p->bytes, p->size, seed + p->type + 1) + (is_fifo ? 0 : hash);
    }
    return hash;
}

enum { PAGE_SIZE = 4096 };

/* The first bytes of what is left, the last word filled up with zeros. */
static inline uint64_t word_at(const char *bytes, size_t left)
{
    uint64_t word = 0;
    if (left >= sizeof word) {
        memcpy(&word, bytes, sizeof word); /* of a size that the compiler knows: one load */
    } else {
        memcpy(&word, bytes, left);
    }
    return word;
}

/* The words of a page that are not as they were loaded. */
static uint64_t hash_changes(const char *page, const char *fresh, size_t size, uint64_t hash)
{
    for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
        const uint64_t word = word_at(page + at, size - at);
        if (word != word_at(fresh + at, size - at)) {
            hash = name_mix(name_mix(hash, at), word);
        }
    }
    return hash;
}

/* What is as it was loaded is so in every run, and may hold addresses, which are others in every
 * process: it does not count. */
static uint64_t hash_segments(const struct sim *s, uint64_t hash)
{
    const char *fresh = s->segments_fresh;
    for (uint32_t i = 0; i < s->segment_count; i++) {
        const struct segment *segment = &s->segments[i];
        for (size_t at = 0; at < segment->size; at += PAGE_SIZE) {
            const size_t left = segment->size - at;
            const size_t size = left < PAGE_SIZE ? left : PAGE_SIZE;
            if (memcmp(segment->begin + at, fresh + at, size) != 0) {
                hash = hash_changes(segment->begin + at, fresh + at, size, name_mix(hash, i + at));
            }
        }
        fresh += segment->size;
    }
    return hash;
}

/* A step runs the code of one node, and a node's memory is its own, so that the pages of one node
 * have to be looked at. Which of these were written could be told only by comparing them with a
 * copy, which reads twice as much as hashing them does.
 *
 * Of what decides what can happen next. How it came to be (counts of what was sent, ages) stays
 * out, so that different ways to one state are seen to meet. */
uint64_t memory_hash(struct sim *s)
{
    uint64_t hash = XXH3_64bits_withSeed(s->core->fault_counts, sizeof s->core->fault_counts,
                                         s->core->events_come);
    for (uint64_t left = s->nodes_touched; left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(left);
        if (i < s->node_count) {
            s->node_hashes[i] = hash_node(s, &s->core->nodes[i]);
        }
    }
    s->nodes_touched = 0;
    for (uint32_t i = 0; i < s->node_count; i++) {
        hash = hash * 0x9e3779b97f4a7c15u + s->node_hashes[i];
        hash += s->core->reads_clock ? s->core->nodes[i].clock : 0;
    }
    const uint32_t channel_count = (s->node_count + 1) * s->node_count;
    for (uint32_t i = 0; i < channel_count; i++) {
        if (s->core->queues[i].first != NULL) {
            hash += XXH3_64bits_withSeed(&i, sizeof i,
                                         hash_channel(&s->core->queues[i], s->is_fifo[i]));
        }
    }
    return hash_segments(s, hash) | 1;
}
