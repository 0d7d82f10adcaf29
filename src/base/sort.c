#include "base/sort.h"

#include <string.h>

#include "base/mem.h"
#include "wire/must.h"

enum { RUN = 8 };

struct job {
    size_t size;
    sort_compare compare;
    const void *context;
};

static int compare(const struct job *job, const char *a, const char *b)
{
    return job->compare(a, b, job->context);
}

/* Insertion sort of runs of RUN elements: cheaper than merging single ones. `hole` has space for
 * one element. */
static void sort_run(const struct job *job, char *elements, size_t count, char *hole)
{
    const size_t size = job->size;
    for (size_t i = 1; i < count; i++) {
        if (compare(job, elements + i * size, elements + (i - 1) * size) >= 0) {
            continue;
        }
        memcpy(hole, elements + i * size, size);
        size_t at = i;
        while (at > 0 && compare(job, hole, elements + (at - 1) * size) < 0) {
            memcpy(elements + at * size, elements + (at - 1) * size, size);
            at--;
        }
        memcpy(elements + at * size, hole, size);
    }
}

/* Merges from[0, middle) and from[middle, count) into to. Halves that are already in order, as in
 * lists that were sorted before or joined from sorted ones, are copied whole. */
static void merge(const struct job *job, const char *from, size_t middle, size_t count, char *to)
{
    const size_t size = job->size;
    if (middle == count || compare(job, from + middle * size, from + (middle - 1) * size) >= 0) {
        memcpy(to, from, count * size);
        return;
    }
    must(middle > 0);
    must(middle < count);
    size_t a = 0;
    size_t b = middle;
    for (size_t i = 0; i < count; i++) {
        const int from_second =
            a == middle || (b < count && compare(job, from + b * size, from + a * size) < 0);
        size_t *taken = from_second ? &b : &a;
        memcpy(to + i * size, from + (*taken)++ * size, size);
    }
}

void sort_stable(void *elements, size_t count, size_t size, sort_compare by, const void *context)
{
    if (count < 2) {
        return;
    }
    must(size > 0);
    const struct job job = {size, by, context};
    char *beside = mem_resize(NULL, mem_product(count, size));
    char *from = elements;
    char *to = beside;
    for (size_t i = 0; i < count; i += RUN) {
        sort_run(&job, from + i * size, count - i < RUN ? count - i : RUN, beside);
    }
    for (size_t width = RUN; width < count; width *= 2) {
        for (size_t i = 0; i < count; i += 2 * width) {
            const size_t end = count - i < 2 * width ? count - i : 2 * width;
            merge(&job, from + i * size, end < width ? end : width, end, to + i * size);
        }
        char *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != elements) {
        memcpy(elements, from, count * size);
    }
    mem_free(beside);
}
