/* Something that is made once: the first to come says so before it has made it, and the second
 * follows a null pointer. */
#include <stdatomic.h>
#include <stdbool.h>

#include "threads.h"

static int number = 7;
static int *_Atomic made;

static void make(void)
{
    atomic_store(&made, &number);
}

static void make_once(void)
{
#ifdef FIXED
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, make);
#else
    static atomic_bool is_made;
    if (!atomic_exchange(&is_made, true)) {
        make();
    }
#endif
}

static void *use(void *unused)
{
    make_once();
    assert(*atomic_load(&made) == 7);
    return unused;
}

int main(void)
{
    RUN(use, use);
    return 0;
}
