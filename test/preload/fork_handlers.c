/* What handlers of a fork do is recorded in the process that does it.
 *
 * expect: 3 lock
 * expect: 3 unlock
 * order: main@n lock m
 * order: main@n process-fork
 * order: main@n/1 lock c
 * order: main@n/1 unlock c */
#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER;

static void in_parent(void)
{
    CLAIM(pthread_mutex_lock(&m) == 0);
    CLAIM(pthread_mutex_unlock(&m) == 0);
}

static void in_child(void)
{
    CLAIM(pthread_mutex_lock(&c) == 0);
    CLAIM(pthread_mutex_unlock(&c) == 0);
}

int main(void)
{
    CLAIM(pthread_atfork(NULL, in_parent, in_child) == 0);
    in_parent();
    const pid_t pid = fork();
    if (pid != 0) {
        child_wait(pid);
    }
    return 0;
}
