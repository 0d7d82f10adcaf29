/* Two threads count how many of them are done, under a lock; the one that finds itself to be the
 * last takes what the other has left.
 *
 * no race */
#include "../race.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;
static int parts[2];
static int sum;

static void finish(int part)
{
    parts[part] = part + 1;
    pthread_mutex_lock(&lock);
    done++;
    const int is_last = done == 2;
    pthread_mutex_unlock(&lock);
    if (is_last) {
        sum = parts[0] + parts[1];
    }
}

static void *first(void *unused)
{
    finish(0);
    return unused;
}

static void *second(void *unused)
{
    MUST(usleep(1000) == 0);
    finish(1);
    return unused;
}

int main(void)
{
    threads_run(first, second);
    MUST(sum == 3);
    return 0;
}
