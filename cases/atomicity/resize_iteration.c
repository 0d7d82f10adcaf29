/* A vector that is resized while another thread iterates over it: size and element are synchronized
 * calls, the loop over them is not. The last elements are gone when the loop comes to them.
 *
 * couple: count size, count element
 * couple: count size, items element_read */
#include "kernel.h"

struct vector {
    pthread_mutex_t lock;
    size_t count;
    long *items;
};

static struct vector vector = {.lock = PTHREAD_MUTEX_INITIALIZER};
static int out_of_range;
static long sum;

static void vector_resize(struct vector *v, size_t count)
{
    pthread_mutex_lock(&v->lock);
    long *items = realloc(v->items, count * sizeof *items);
    if (items == NULL) {
        abort();
    }
    for (size_t i = v->count; i < count; i++) {
        items[i] = (long)i;
    }
    v->items = items;
    v->count = count;
    pthread_mutex_unlock(&v->lock);
}

/* These two are called with the lock held by who wants to hold it over both. */
static size_t size_locked(const struct vector *v)
{
    return v->count; /* size */
}

static long element_locked(const struct vector *v, size_t index)
{
    if (index >= v->count) { /* element */
        out_of_range++;
        return 0;
    }
    return v->items[index]; /* element_read */
}

#ifndef FIXED
static size_t vector_size(struct vector *v)
{
    pthread_mutex_lock(&v->lock);
    const size_t count = size_locked(v);
    pthread_mutex_unlock(&v->lock);
    return count;
}

static long vector_element(struct vector *v, size_t index)
{
    pthread_mutex_lock(&v->lock);
    const long item = element_locked(v, index);
    pthread_mutex_unlock(&v->lock);
    return item;
}
#endif

static long vector_sum(struct vector *v)
{
    long total = 0;
#ifdef FIXED
    pthread_mutex_lock(&v->lock);
    for (size_t i = 0; i < size_locked(v); i++) {
        total += element_locked(v, i);
    }
    pthread_mutex_unlock(&v->lock);
#else
    for (size_t i = 0; i < vector_size(v); i++) {
        total += vector_element(v, i);
    }
#endif
    return total;
}

static void *summer(void *unused)
{
    sum = vector_sum(&vector);
    return unused;
}

static void *resizer(void *unused)
{
    kernel_late();
    vector_resize(&vector, 2);
    return unused;
}

static int is_wrong(void)
{
    return out_of_range != 0 || sum != 6;
}

int main(void)
{
    vector_resize(&vector, 4);
    const int status = kernel_run(summer, resizer, is_wrong);
    free(vector.items);
    return status;
}
