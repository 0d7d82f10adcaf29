/* A map that one thread makes, one reads and one fills. Nobody waits until it is made: reading one
 * that is not there yet is harmless, writing to it is not. After Dara's first program. */
#include "threads.h"

enum { ENTRIES = 3 };

struct map {
    int entries[ENTRIES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct map *map;

static struct map *map_get(void)
{
    pthread_mutex_lock(&lock);
    struct map *seen = map;
    pthread_mutex_unlock(&lock);
    return seen;
}

static void *make(void *unused)
{
    pthread_mutex_lock(&lock);
    map = calloc(1, sizeof *map);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *read_all(void *unused)
{
    for (int i = 0; i < ENTRIES; i++) {
        const struct map *seen = map_get();
        if (seen != NULL) {
            pthread_mutex_lock(&lock);
            assert(seen->entries[i] == 0 || seen->entries[i] == i + 1);
            pthread_mutex_unlock(&lock);
        }
    }
    return unused;
}

static void *write_all(void *unused)
{
    for (int i = 0; i < ENTRIES; i++) {
        struct map *seen = map_get();
        pthread_mutex_lock(&lock);
        seen->entries[i] = i + 1;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
#ifdef FIXED
    (void)make(NULL);
    RUN(read_all, write_all);
#else
    RUN(make, read_all, write_all);
#endif
    free(map);
    return 0;
}
