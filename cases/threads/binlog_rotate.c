/* A log that is closed and opened again when it is full, after MySQL's bug 791. A transaction that
 * commits between the two finds the log closed and is not written. The twin rotates under the lock
 * that commits hold. */
#include <stdbool.h>

#include "threads.h"

enum { COMMITS = 2 };

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_open = true;
static int written;

static void set_open(bool is_now_open)
{
    pthread_mutex_lock(&log_lock);
    is_open = is_now_open;
    pthread_mutex_unlock(&log_lock);
}

static void *rotate(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&log_lock);
    is_open = false;
    is_open = true;
    pthread_mutex_unlock(&log_lock);
    (void)set_open;
#else
    set_open(false);
    set_open(true);
#endif
    return unused;
}

static void *commit(void *unused)
{
    for (int i = 0; i < COMMITS; i++) {
        pthread_mutex_lock(&log_lock);
        if (is_open) {
            written++;
        }
        pthread_mutex_unlock(&log_lock);
    }
    return unused;
}

int main(void)
{
    RUN(commit, rotate, commit);
    assert(written == 2 * COMMITS);
    return 0;
}
