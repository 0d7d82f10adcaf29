/* A hash table with a lock for each bucket, filled and searched by two threads. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { BUCKETS = 1 << 10, KEYS = 60000 };

struct entry {
    uint64_t key, value;
    struct entry *next;
};

static struct {
    pthread_mutex_t lock;
    struct entry *first;
} buckets[BUCKETS];

static void raise_key(uint64_t key)
{
    const uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 54;
    pthread_mutex_lock(&buckets[at].lock);
    struct entry *e = buckets[at].first;
    while (e != NULL && e->key != key) {
        e = e->next;
    }
    if (e == NULL) {
        e = malloc(sizeof *e);
        *e = (struct entry){.key = key, .next = buckets[at].first};
        buckets[at].first = e;
    }
    e->value++;
    pthread_mutex_unlock(&buckets[at].lock);
}

static void *work(void *seed)
{
    uint64_t x = (uint64_t)(uintptr_t)seed;
    for (int i = 0; i < KEYS; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        raise_key(x >> 48);
    }
    return NULL;
}

int main(void)
{
    for (int i = 0; i < BUCKETS; i++) {
        (void)pthread_mutex_init(&buckets[i].lock, NULL);
    }
    pthread_t threads[2];
    for (uintptr_t i = 0; i < 2; i++) {
        if (pthread_create(&threads[i], NULL, work, (void *)(i + 1)) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < 2; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    return 0;
}
