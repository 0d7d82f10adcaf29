/* A stack with a flag that says that it holds something, after the stack program of the SCTBench
 * suite. Every access holds the lock, but the pop that takes the last item leaves the flag up. */
#include <stdbool.h>

#include "threads.h"

enum { ITEMS = 5 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items[ITEMS];
static int size;
static bool is_filled;

static void *push_all(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        items[size++] = i;
        is_filled = true;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *pop_all(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        if (is_filled) {
            assert(size > 0);
            size--;
#ifdef FIXED
            is_filled = size > 0;
#endif
        }
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    RUN(push_all, pop_all);
    return 0;
}
