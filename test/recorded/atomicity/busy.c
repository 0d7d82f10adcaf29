/* found at -O0: a state in between is written without a lock, and seen. */
#include "two.h"
static int state, seen;
static char log_[64];
static void work(void)
{
    state = 1;
    for (int i = 0; i < 10; i++)
        log_[i] = i;
    state = 2;
}
static void *a(void *u)
{
    work();
    return u;
}
static void *b(void *u)
{
    late();
    seen = state;
    return u;
}
int main()
{
    run2(a, b);
    return seen == 1;
}
