/* Two threads count their look-ups in a shared table while they hold its lock for reading only.
 *
 * race: table.hits count count */
#include "../race.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct {
    int values[4];
    int hits;
} table = {.values = {3, 1, 4, 1}};

static void *look_up(void *unused)
{
    MUST(pthread_rwlock_rdlock(&lock) == 0);
    MUST(table.values[2] == 4);
    table.hits++; /* count */
    MUST(pthread_rwlock_unlock(&lock) == 0);
    return unused;
}

int main(void)
{
    threads_run(look_up, look_up);
    return 0;
}
