/* nothing: calls of a cache that moves its entries, each complete. */
#include "two.h"
#define CAP 4
#define BUCKETS 8
struct entry {
    int key, value;
    struct entry *prev, *next, *chain;
};
static pthread_mutex_t m = MUTEX;
static struct entry *buckets[BUCKETS];
static struct entry head = {.prev = &head, .next = &head};
static int count;
static long hits, misses;
static void unlink_(struct entry *e)
{
    e->prev->next = e->next;
    e->next->prev = e->prev;
}
static void push_front(struct entry *e)
{
    e->next = head.next;
    e->prev = &head;
    head.next->prev = e;
    head.next = e;
}
static struct entry *find(int key)
{
    for (struct entry *e = buckets[key % BUCKETS]; e; e = e->chain)
        if (e->key == key)
            return e;
    return NULL;
}
static void evict(void)
{
    struct entry *e = head.prev;
    unlink_(e);
    struct entry **at = &buckets[e->key % BUCKETS];
    while (*at != e)
        at = &(*at)->chain;
    *at = e->chain;
    free(e);
    count--;
}
static int get(int key, int *value)
{
    LOCK(m);
    struct entry *e = find(key);
    int found = 0;
    if (e) {
        unlink_(e);
        push_front(e);
        *value = e->value;
        found = 1;
        hits++;
    } else
        misses++;
    UNLOCK(m);
    return found;
}
static void put(int key, int value)
{
    LOCK(m);
    struct entry *e = find(key);
    if (e) {
        e->value = value;
        unlink_(e);
        push_front(e);
    } else {
        if (count == CAP)
            evict();
        e = malloc(sizeof *e);
        e->key = key;
        e->value = value;
        e->chain = buckets[key % BUCKETS];
        buckets[key % BUCKETS] = e;
        push_front(e);
        count++;
    }
    UNLOCK(m);
}
static void *a(void *u)
{
    for (int i = 0; i < 20; i++) {
        int v;
        put(i % 7, i);
        get(i % 3, &v);
    }
    return u;
}
static void *b(void *u)
{
    late();
    for (int i = 0; i < 20; i++) {
        int v;
        put(i % 5, i);
        get(i % 3, &v);
    }
    return u;
}
int main()
{
    return run2(a, b);
}
