#include "monitor/online/report_ring.h"

#include "base/mem.h"

/* The initial capacities. */
enum { RING_FIRST = 16, RECORDS_FIRST = 256 };

enum { BLOCK_FIRST = 16384 };

void rings_release(struct rings *r)
{
    vec_each (&r->blocks, block) {
        mem_free(*block);
    }
    vec_release(&r->blocks);
}

/* Allocates a block of at least `size`, each twice as large as the last up to a huge page. */
static void add_block(struct rings *r, size_t size)
{
    const size_t next = r->block_size == 0 ? BLOCK_FIRST : 2 * r->block_size;
    r->block_size = next > MEM_LARGE_PAGE ? MEM_LARGE_PAGE : next;
    r->block_size = size > r->block_size ? size : r->block_size;
    r->used = 0;
    vec_push(&r->blocks, r->block_size < MEM_LARGE_PAGE ? mem_resize(NULL, r->block_size)
                                                        : mem_large(r->block_size));
}

/* The first bytes of a spare ring hold the pointer to the next one. */
static struct held **next_spare(struct held *ring)
{
    return (struct held **)(void *)ring;
}

static struct held *take_ring(struct rings *r, uint64_t room)
{
    must((room & (room - 1)) == 0);
    const int class = __builtin_ctzll(room);
    const size_t size = mem_product(room, sizeof(struct held));
    must(class < RING_SIZES);
    struct held *ring = r->spare[class];
    if (ring != NULL) {
        r->spare[class] = *next_spare(ring);
        return ring;
    }
    if (r->block_size - r->used < size) {
        add_block(r, size);
    }
    ring = (struct held *)(void *)(*vec_last(&r->blocks) + r->used);
    r->used += size;
    must(r->used <= r->block_size);
    return ring;
}

static void give_ring(struct rings *r, struct held *ring, uint64_t room)
{
    const int class = __builtin_ctzll(room);
    must(class < RING_SIZES);
    *next_spare(ring) = r->spare[class];
    r->spare[class] = ring;
}

void source_init(struct source *s, struct rings *r)
{
    *s = (struct source){
        .frontier = INT64_MIN, .mask = RING_FIRST - 1, .at = take_ring(r, RING_FIRST)};
}

void source_grow(struct source *s, struct rings *r)
{
    const uint64_t room = s->mask + 1;
    must(s->end - s->first <= room);
    struct held *ring = take_ring(r, 2 * room);
    for (uint64_t i = s->first; i < s->end; i++) {
        ring[i & (2 * room - 1)] = *source_held(s, i);
    }
    give_ring(r, s->at, room);
    s->at = ring;
    s->mask = (uint32_t)(2 * room - 1);
}

uint64_t source_search(const struct source *s, uint64_t from, uint64_t to, uint64_t near,
                       int64_t time)
{
    must(from <= to);
    uint64_t at = near < from ? from : near;
    for (uint64_t step = 1; at < to; step *= 2) {
        if (source_held(s, at)->time >= time) {
            to = at;
            break;
        }
        from = at + 1;
        at += step;
    }
    for (uint64_t step = 1; from < to; step *= 2) {
        at = to - from > step ? to - step : from;
        if (source_held(s, at)->time < time) {
            from = at + 1;
            break;
        }
        to = at;
    }
    while (from < to) {
        const uint64_t middle = from + (to - from) / 2;
        if (source_held(s, middle)->time < time) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

void records_init(struct records *r)
{
    *r = (struct records){.mask = RECORDS_FIRST - 1};
    r->at = mem_resize(NULL, mem_product(RECORDS_FIRST, sizeof *r->at));
}

void records_release(struct records *r)
{
    mem_free(r->at);
}

/* Doubles a full ring: the entries whose place changes move to the other half. */
static void double_room(struct records *r)
{
    const uint64_t room = r->mask + 1;
    must(room <= INT32_MAX);
    must((room & r->mask) == 0); /* a power of two */
    r->at = mem_resize(r->at, mem_product(2 * room, sizeof *r->at));
    r->mask = 2 * room - 1;
    for (uint64_t i = r->end - room; i < r->end; i++) {
        r->at[i & r->mask] = r->at[i & (room - 1)];
    }
}

void records_make_room(struct records *r, const struct source *sources, uint32_t source_count)
{
    uint64_t first = r->end;
    for (uint32_t p = 0; p < source_count; p++) {
        if (sources[p].first < sources[p].end) {
            const uint32_t low = source_held(&sources[p], sources[p].first)->record;
            const uint64_t record = r->end - (uint32_t)((uint32_t)r->end - low);
            first = record < first ? record : first;
        }
    }
    must(r->first <= first); /* records are dropped from the front only */
    must(first <= r->end);
    r->first = first;
    /* With less than half of it free it would soon be full again. */
    if (r->end - first > r->mask / 2) {
        double_room(r);
    }
}
