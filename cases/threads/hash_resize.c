/* A table that grows: a reader took the address of its slots before they were copied to a larger
 * place and the old one freed. */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *slots;
static int slot_count = 2;

static int *slots_get(void)
{
    pthread_mutex_lock(&lock);
    int *seen = slots;
    pthread_mutex_unlock(&lock);
    return seen;
}

static void *look_up(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
    assert(slots[1] == 1);
    pthread_mutex_unlock(&lock);
#else
    const int *seen = slots_get();
    assert(seen[1] == 1);
#endif
    return unused;
}

static void *grow(void *unused)
{
    pthread_mutex_lock(&lock);
    int *larger = calloc((size_t)slot_count * 2, sizeof *larger);
    assert(larger != NULL);
    for (int i = 0; i < slot_count; i++) {
        larger[i] = slots[i];
    }
    free(slots);
    slots = larger;
    slot_count *= 2;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    slots = calloc((size_t)slot_count, sizeof *slots);
    assert(slots != NULL);
    slots[1] = 1;
    RUN(look_up, grow);
    free(slots_get());
    return 0;
}
