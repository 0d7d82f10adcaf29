/* Events in buckets: a counting sort that keeps the listed order within each. */
#ifndef CLEW_ORDER_BUCKET_H
#define CLEW_ORDER_BUCKET_H

#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "trace/trace.h"

struct bucket_item {
    uint32_t bucket;
    event_id event;
};

/* {0} is empty; vec_release(&items.list) when done. */
struct bucket_items {
    VEC(struct bucket_item) list;
};

static inline void bucket_add(struct bucket_items *items, uint32_t bucket, event_id event)
{
    vec_push(&items->list, (struct bucket_item){.bucket = bucket, .event = event});
}

struct buckets {
    uint32_t *first; /* per bucket, and one more */
    event_id *events;
};

/* Sorts into the arena; all buckets are below bucket_count. O(items + buckets). */
struct buckets buckets_sort(const struct bucket_items *items, uint32_t bucket_count,
                            struct arena *a);

struct bucket {
    const event_id *at;
    uint32_t count;
};

static inline struct bucket bucket_at(const struct buckets *b, uint32_t bucket)
{
    const uint32_t first = b->first[bucket];
    return (struct bucket){.at = b->events + first, .count = b->first[bucket + 1] - first};
}

#endif
