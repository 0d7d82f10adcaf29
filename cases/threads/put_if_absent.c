/* Look up and insert each hold the lock, both together do not: the same key is inserted twice. */
#include <stdbool.h>

#include "threads.h"

enum { KEY = 5, ROOM = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int keys[ROOM];
static int count;

static bool has_key(int key)
{
    for (int i = 0; i < count; i++) {
        if (keys[i] == key) {
            return true;
        }
    }
    return false;
}

static void *put_if_absent(void *unused)
{
    pthread_mutex_lock(&lock);
    const bool is_absent = !has_key(KEY);
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    if (is_absent) {
        keys[count++] = KEY;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(put_if_absent, put_if_absent);
    assert(count == 1);
    return 0;
}
