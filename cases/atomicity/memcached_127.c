/* After issue 127 of memcached: to increment a counter, the server gets the item, makes a new one
 * from its text and replaces the old. The cache is locked in each step, not over them: of two
 * increments at once, one is lost.
 *
 * couple: table get, table replace */
#include "kernel.h"

#include <string.h>

enum { BUCKETS = 16, DATA_MAX = 24 };

struct item {
    int reference_count; /* under cache_lock */
    char data[DATA_MAX];
};

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static struct item *table[BUCKETS];

static struct item *item_make(unsigned long long value)
{
    struct item *it = calloc(1, sizeof *it);
    if (it == NULL) {
        abort();
    }
    it->reference_count = 1;
    (void)snprintf(it->data, sizeof it->data, "%llu", value);
    return it;
}

static void do_release(struct item *it)
{
    it->reference_count--;
    if (it->reference_count == 0) {
        free(it);
    }
}

static struct item *item_get(int key)
{
    pthread_mutex_lock(&cache_lock);
    struct item *it = table[key]; /* get */
    it->reference_count++;
    pthread_mutex_unlock(&cache_lock);
    return it;
}

static void item_replace(int key, struct item *new_item)
{
    pthread_mutex_lock(&cache_lock);
    struct item *old = table[key]; /* replace */
    table[key] = new_item;         /* replace */
    do_release(old);
    pthread_mutex_unlock(&cache_lock);
}

static void item_release(struct item *it)
{
    pthread_mutex_lock(&cache_lock);
    do_release(it);
    pthread_mutex_unlock(&cache_lock);
}

#ifdef FIXED
static pthread_mutex_t delta_lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void add_delta(int key, unsigned long long delta)
{
#ifdef FIXED
    pthread_mutex_lock(&delta_lock);
#endif
    struct item *it = item_get(key);
    const unsigned long long value = strtoull(it->data, NULL, 10);
    item_replace(key, item_make(value + delta));
    item_release(it);
#ifdef FIXED
    pthread_mutex_unlock(&delta_lock);
#endif
}

static void *first(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        add_delta(5, 1);
    }
    return unused;
}

static void *second(void *unused)
{
    kernel_late();
    for (int i = 0; i < ROUNDS; i++) {
        add_delta(5, 10);
    }
    return unused;
}

static int is_wrong(void)
{
    return strcmp(table[5]->data, "33") != 0;
}

int main(void)
{
    table[5] = item_make(0);
    const int status = kernel_run(first, second, is_wrong);
    free(table[5]);
    return status;
}
