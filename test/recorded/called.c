/* With --stacks an access tells who called its function, also one that comes to light late, and
 * whatever way functions are left.
 * race: pay pay */
#include <setjmp.h>

#include "program.h"

#define APART __attribute__((noinline))

static volatile long balance;
static __thread volatile long depth;
static __thread jmp_buf back;

APART static void pay(long amount)
{
    balance += amount; /* pay */
}

APART static void settle(long amount)
{
    pay(amount); /* settle */
    depth++;
}

APART static void jump(void)
{
    longjmp(back, 1);
}

APART static long nest(long left)
{
    return left == 0 ? 0 : 1 + nest(left - 1);
}

APART static void before(void)
{
    if (setjmp(back) == 0) {
        jump();
    }
    CLAIM(nest(5000) == 5000);
}

APART static void all(void)
{
    settle(7); /* all */
    depth++;
}

static void *work(void *unused)
{
    before();
    all(); /* work */
    return unused;
}

int main(void)
{
    run_both(work, work);
    return 0;
}
