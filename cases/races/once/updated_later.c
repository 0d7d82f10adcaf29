/* pthread_once makes the settings; a thread then changes them without a lock.
 *
 * race: settings change read */
#include "../race.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int settings;

static void make(void)
{
    settings = 1;
}

static void *reader(void *unused)
{
    MUST(pthread_once(&once, make) == 0);
    MUST(settings >= 1); /* read */
    return unused;
}

static void *changer(void *unused)
{
    MUST(pthread_once(&once, make) == 0);
    settings = 2; /* change */
    return unused;
}

int main(void)
{
    threads_run(reader, changer);
    return 0;
}
