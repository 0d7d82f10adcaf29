/* Synchronization that clew cannot see, told by annotations: built with -DSILENT it is not told.
 * no race */
#include <clew/clew.h>
#include <unistd.h>

#include "program.h"

#ifdef SILENT
#define clew_happens_before(object) (void)(object)
#define clew_happens_after(object) (void)(object)
#endif

static long data;
static volatile int gate;

static void *produce(void *unused)
{
    data = 42;
    clew_happens_before((const void *)&gate);
    clew_ignore_begin();
    gate = 1;
    clew_ignore_end();
    return unused;
}

static void *consume(void *unused)
{
    clew_ignore_begin();
    while (!gate) {
    }
    clew_ignore_end();
    clew_happens_after((const void *)&gate);
    CLAIM(data == 42);
    return unused;
}

int main(void)
{
    run_both(produce, consume);
    return 0;
}
