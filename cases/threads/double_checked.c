/* Double-checked locking: the object is known to others before it is filled. */
#include <stdatomic.h>

#include "threads.h"

struct settings {
    int is_filled;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct settings *_Atomic settings;

static struct settings *settings_get(void)
{
    struct settings *seen = atomic_load(&settings);
    if (seen != NULL) {
        return seen;
    }
    pthread_mutex_lock(&lock);
    seen = atomic_load(&settings);
    if (seen == NULL) {
        seen = calloc(1, sizeof *seen);
        assert(seen != NULL);
#ifdef FIXED
        seen->is_filled = 1;
        atomic_store(&settings, seen);
#else
        atomic_store(&settings, seen);
        seen->is_filled = 1;
#endif
    }
    pthread_mutex_unlock(&lock);
    return seen;
}

static void *use(void *unused)
{
    assert(settings_get()->is_filled);
    return unused;
}

int main(void)
{
    RUN(use, use);
    free(atomic_load(&settings));
    return 0;
}
