/* Threads are created and waited for; their paths are their creation.
 *
 * expect: 2 thread-create
 * expect: 2 thread-start
 * expect: 2 thread-end
 * expect: 2 thread-join
 * order: main@n thread-create main/1@n
 * order: main/1@n thread-create main/1/1@n
 * order: main/1@n thread-join main/1/1@n
 * order: main@n thread-join main/1@n
 * order: main@n process-exit */
#include "program.h"

static void *inner(void *argument)
{
    return argument;
}

static void *outer(void *argument)
{
    thread_wait(thread_begin(inner, NULL));
    return argument;
}

int main(void)
{
    thread_wait(thread_begin(outer, NULL));
    return 0;
}
