/* What runs at a quick exit is recorded, and the exit comes last.
 *
 * expect: 1 process-exit
 * order: main@n lock m
 * order: main@n unlock m
 * order: main@n process-exit value=4
 * status: 4 */
#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void use(void)
{
    CLAIM(pthread_mutex_lock(&m) == 0);
    CLAIM(pthread_mutex_unlock(&m) == 0);
}

int main(void)
{
    CLAIM(at_quick_exit(use) == 0);
    quick_exit(4);
}
