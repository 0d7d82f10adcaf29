#include "order/bucket.h"

struct buckets buckets_sort(const struct bucket_items *items, uint32_t bucket_count,
                            struct arena *a)
{
    struct buckets b = {
        .first = arena_array(a, uint32_t, (size_t)bucket_count + 2),
        .events = arena_array(a, event_id, items->list.count + 1),
    };
    uint32_t *next =
        b.first + 1; /* the place of a bucket's next event; in the end, the bucket's end */
    vec_each (&items->list, item) {
        must(item->bucket < bucket_count);
        next[item->bucket + 1]++;
    }
    for (uint32_t i = 0; i < bucket_count; i++) {
        next[i + 1] += next[i];
    }
    vec_each (&items->list, item) {
        b.events[next[item->bucket]++] = item->event;
    }
    must(b.first[bucket_count] == items->list.count);
    return b;
}
