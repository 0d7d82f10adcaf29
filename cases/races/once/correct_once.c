/* pthread_once makes the table before anybody reads it.
 *
 * no race */
#include "../race.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table[4];

static void make(void)
{
    for (int i = 0; i < 4; i++) {
        table[i] = i + 1;
    }
}

static void *user(void *unused)
{
    MUST(pthread_once(&once, make) == 0);
    MUST(table[0] + table[3] == 5);
    return unused;
}

int main(void)
{
    const pthread_t third = thread_start(user, NULL);
    threads_run(user, user);
    thread_join(third);
    return 0;
}
