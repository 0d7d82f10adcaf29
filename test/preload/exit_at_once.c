/* _exit has a status, and skips what exit would do.
 *
 * expect: 1 process-exit
 * order: main@n process-exit value=3
 * allow: lock-held
 * status: 3 */
#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    CLAIM(pthread_mutex_lock(&m) == 0);
    _exit(3);
}
