/* A buffer of log lines that is written out when the next line does not fit, after Apache's bug
 * 25520. Two workers that append at once overwrite each other's lines, or count past the end. The
 * twin appends under a lock. */
#include <stdatomic.h>

#include "threads.h"

enum { SIZE = 4, LINE = 2, LINES = 2, WORKERS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int used;
static atomic_char buffer[SIZE + WORKERS * LINE];
static atomic_int written[WORKERS + 1]; /* characters of each worker */

static void write_out(void)
{
    const int count = atomic_load(&used);
    for (int i = 0; i < count; i++) {
        atomic_fetch_add(&written[(int)atomic_load(&buffer[i])], 1);
    }
    atomic_store(&used, 0);
}

static void append(char worker)
{
    if (atomic_load(&used) + LINE > SIZE) {
        write_out();
    }
    const int at = atomic_load(&used);
    for (int i = 0; i < LINE; i++) {
        atomic_store(&buffer[at + i], worker);
    }
    atomic_store(&used, at + LINE);
}

static void *work(void *place)
{
    for (int i = 0; i < LINES; i++) {
#ifdef FIXED
        pthread_mutex_lock(&lock);
#endif
        append((char)((intptr_t)place + 1));
#ifdef FIXED
        pthread_mutex_unlock(&lock);
#endif
    }
    return place;
}

int main(void)
{
    RUN(work, work);
    write_out();
    for (int i = 1; i <= WORKERS; i++) {
        assert(atomic_load(&written[i]) == LINE * LINES);
    }
    (void)lock;
    return 0;
}
