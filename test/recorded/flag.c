/* A volatile flag says that the data is there.
 * race: set test
 * race: data use */
#include "program.h"

static volatile int is_there;
static long data;

static void *produce(void *unused)
{
    data = 42;    /* data */
    is_there = 1; /* set */
    return unused;
}

static void *consume(void *unused)
{
    while (!is_there) { /* test */
    }
    CLAIM(data == 42); /* use */
    return unused;
}

int main(void)
{
    run_both(produce, consume);
    return 0;
}
