/* Two threads count events under a lock and meet at that counter only. The one that changes the
 * state after it counts begins a moment later, so that its count nearly always comes last.
 *
 * race: state before after */
#include "../race.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long events;
static int state;

static void count(long bytes)
{
    pthread_mutex_lock(&lock);
    events += bytes;
    pthread_mutex_unlock(&lock);
}

static void *changes_before(void *unused)
{
    state = 1; /* before */
    count(10);
    return unused;
}

static void *changes_after(void *unused)
{
    MUST(usleep(1000) == 0);
    count(20);
    state = 2; /* after */
    return unused;
}

int main(void)
{
    threads_run(changes_before, changes_after);
    MUST(events == 30);
    MUST(state == 1 || state == 2);
    return 0;
}
