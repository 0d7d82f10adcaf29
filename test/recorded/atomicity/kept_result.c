/* found at -O0: `left`, a check and then an update whose result is returned. */
#include <stdatomic.h>

#include "two.h"
static atomic_int left = 2;
static int bad;
static int take(void)
{
    if (atomic_load(&left) > 0)
        return atomic_fetch_sub(&left, 1) - 1;
    return -1;
}
static void *a(void *u)
{
    if (take() < -1)
        bad++;
    return u;
}
static void *b(void *u)
{
    late();
    if (take() < -1)
        bad++;
    return u;
}
int main()
{
    return run2(a, b);
}
