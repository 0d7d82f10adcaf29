#include "proc/record/repeated_accesses.h"

#include "base/sort.h"
#include "proc/record/collector.h"

enum { MERGE_MIN = 1 << 16, COUNT_MAX = 2 };

void repeated_release(struct repeated *r)
{
    vec_release(&r->list);
}

static int compare(const void *left, const void *right, __attribute__((unused)) const void *context)
{
    const struct repeated_access *a = left;
    const struct repeated_access *b = right;
    const int by_address = (a->address > b->address) - (a->address < b->address);
    const int by_place = (a->place > b->place) - (a->place < b->place);
    return by_address != 0 ? by_address : by_place != 0 ? by_place : a->kind - b->kind;
}

static uint8_t sum(uint8_t a, uint8_t b)
{
    return a + b < COUNT_MAX ? (uint8_t)(a + b) : COUNT_MAX;
}

/* Makes one of all that are the same. */
static void merge(struct repeated *r)
{
    sort_stable(r->list.at, r->list.count, sizeof *r->list.at, compare, NULL);
    size_t kept = 0;
    for (size_t i = 0; i < r->list.count; i++) {
        const struct repeated_access *a = &r->list.at[i];
        struct repeated_access *before = kept > 0 ? &r->list.at[kept - 1] : NULL;
        if (before != NULL && compare(before, a, NULL) == 0) {
            before->count = sum(before->count, a->count);
            before->recent = before->part == a->part ? sum(before->recent, a->recent) : a->recent;
            before->part = a->part;
            before->size = before->size > a->size ? before->size : a->size;
        } else {
            r->list.at[kept++] = *a;
        }
    }
    r->list.count = r->merged = kept;
}

void repeated_take(struct repeated *r, const struct record *access)
{
    if (r->list.count >= MERGE_MIN && r->list.count >= 2 * r->merged) {
        merge(r);
    }
    vec_push(&r->list, (struct repeated_access){.address = access->object,
                                                .place = access->place,
                                                .part = r->part,
                                                .count = 1,
                                                .recent = 1,
                                                .size = (uint8_t)record_access_size(access),
                                                .kind = access->kind});
}

void repeated_divide(struct repeated *r)
{
    r->part += r->list.count > 0;
}

size_t repeated_end(struct repeated *r)
{
    if (r->part == 0) {
        return 0;
    }
    merge(r);
    size_t kept = 0;
    vec_each (&r->list, a) {
        if (a->count == COUNT_MAX && (a->part != r->part || a->recent < COUNT_MAX)) {
            r->list.at[kept++] = *a;
        }
    }
    r->list.count = kept;
    return kept;
}

void repeated_begin(struct repeated *r)
{
    r->list.count = r->merged = 0;
    r->part = 0;
}
