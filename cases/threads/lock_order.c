/* Three locks, and three who take two of them each: in no two functions the order is reversed, but
 * all three together form a circle. */
#include "threads.h"

static pthread_mutex_t accounts = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t statistics = PTHREAD_MUTEX_INITIALIZER;
static int booked, written, counted;

static void *book(void *unused)
{
    pthread_mutex_lock(&accounts);
    booked++;
    pthread_mutex_lock(&journal);
    written++;
    pthread_mutex_unlock(&journal);
    pthread_mutex_unlock(&accounts);
    return unused;
}

static void *flush(void *unused)
{
    pthread_mutex_lock(&journal);
    written = 0;
    pthread_mutex_lock(&statistics);
    counted++;
    pthread_mutex_unlock(&statistics);
    pthread_mutex_unlock(&journal);
    return unused;
}

static void *report(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&accounts);
    pthread_mutex_lock(&statistics);
#else
    pthread_mutex_lock(&statistics);
    pthread_mutex_lock(&accounts);
#endif
    counted += booked;
    pthread_mutex_unlock(&accounts);
    pthread_mutex_unlock(&statistics);
    return unused;
}

int main(void)
{
    RUN(book, flush, report);
    return 0;
}
