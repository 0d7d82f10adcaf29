/* What a program did before it died is there.
 *
 * expect: 1 lock m
 * allow: lock-held
 * allow: not-ended
 * status: 134 */
#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    CLAIM(pthread_mutex_lock(&m) == 0);
    abort();
}
