/* found: `left`, a check by adding 0, and then an update. */
#include "two.h"
static int left = 2;
static void take(void)
{
    if (__sync_fetch_and_add(&left, 0) > 0)
        __sync_fetch_and_sub(&left, 1);
}
static void *a(void *u)
{
    take();
    return u;
}
static void *b(void *u)
{
    late();
    take();
    return u;
}
int main()
{
    return run2(a, b);
}
