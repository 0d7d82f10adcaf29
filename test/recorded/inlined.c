/* The functions of an access are known, those that were inlined too.
 * race: pay pay */
#include "program.h"

static long balance;

static inline __attribute__((always_inline)) void pay(long amount)
{
    balance += amount; /* pay */
}

static inline __attribute__((always_inline)) void settle(long amount)
{
    pay(amount); /* settle */
}

static void *work(void *unused)
{
    settle(7); /* work */
    return unused;
}

int main(void)
{
    run_both(work, work);
    return 0;
}
