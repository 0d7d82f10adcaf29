/* C11 conditions and call_once.
 *
 * expect: 1+ wait-begin c
 * expect: 1 signal c
 * expect: 1 broadcast c
 * expect: 2 once o */
#include <threads.h>

#include "program.h"

static mtx_t m;
static cnd_t c;
static once_flag o = ONCE_FLAG_INIT;
static int is_ready;

static void nothing(void)
{
}

static int run(void *argument)
{
    (void)argument;
    call_once(&o, nothing);
    CLAIM(mtx_lock(&m) == thrd_success);
    is_ready = 1;
    CLAIM(cnd_signal(&c) == thrd_success);
    CLAIM(cnd_broadcast(&c) == thrd_success);
    CLAIM(mtx_unlock(&m) == thrd_success);
    return 0;
}

int main(void)
{
    thrd_t thread;
    const struct timespec past = time_past();
    CLAIM(mtx_init(&m, mtx_plain) == thrd_success);
    CLAIM(cnd_init(&c) == thrd_success);
    CLAIM(mtx_lock(&m) == thrd_success);
    CLAIM(cnd_timedwait(&c, &m, &past) == thrd_timedout);
    CLAIM(thrd_create(&thread, run, NULL) == thrd_success);
    while (!is_ready) {
        CLAIM(cnd_wait(&c, &m) == thrd_success);
    }
    CLAIM(mtx_unlock(&m) == thrd_success);
    CLAIM(thrd_join(thread, NULL) == thrd_success);
    call_once(&o, nothing);
    return 0;
}
