/* Check-then-act in a cache: a page is fetched only if the cache has it, but the question and the
 * fetch are two calls that each lock. An eviction between them leaves nothing to fetch.
 *
 * couple: key contains, key fetch */
#include "kernel.h"

enum { SLOTS = 8, PAGE_SIZE = 16 };

struct page {
    long key; /* 0: the slot is free */
    char text[PAGE_SIZE];
};

static struct {
    pthread_mutex_t lock;
    struct page pages[SLOTS];
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int misses;

static struct page *slot_of(long key)
{
    return &cache.pages[key % SLOTS];
}

static void cache_store(long key, char letter)
{
    pthread_mutex_lock(&cache.lock);
    struct page *page = slot_of(key);
    page->key = key;
    for (int i = 0; i < PAGE_SIZE; i++) {
        page->text[i] = letter;
    }
    pthread_mutex_unlock(&cache.lock);
}

static void cache_evict(long key)
{
    pthread_mutex_lock(&cache.lock);
    struct page *page = slot_of(key);
    if (page->key == key) {
        page->key = 0;
    }
    pthread_mutex_unlock(&cache.lock);
}

#ifndef FIXED
static int cache_contains(long key)
{
    pthread_mutex_lock(&cache.lock);
    const int is_there = slot_of(key)->key == key; /* contains */
    pthread_mutex_unlock(&cache.lock);
    return is_there;
}
#endif

/* The first letter of the page; 0 when the cache has none. */
static char cache_fetch(long key)
{
    pthread_mutex_lock(&cache.lock);
    const struct page *page = slot_of(key);
    const char letter = page->key == key ? page->text[0] : '\0'; /* fetch */
    pthread_mutex_unlock(&cache.lock);
    return letter;
}

static void serve(long key)
{
#ifdef FIXED
    if (cache_fetch(key) == '\0') {
        cache_store(key, 'b'); /* as if it had been read from the disk */
    }
#else
    if (cache_contains(key)) {
        misses += cache_fetch(key) == '\0';
    } else {
        cache_store(key, 'b');
    }
#endif
}

static void *server(void *unused)
{
    for (long key = 1; key <= 3; key++) {
        serve(key);
    }
    return unused;
}

static void *janitor(void *unused)
{
    kernel_late();
    cache_evict(2);
    return unused;
}

static int is_wrong(void)
{
    return misses != 0;
}

int main(void)
{
    cache_store(2, 'a');
    return kernel_run(server, janitor, is_wrong);
}
