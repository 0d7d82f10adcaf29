/* nothing: an assertion, and then an update whose result is checked. */
#include <stdatomic.h>

#include "two.h"
static atomic_int references = 2;
static atomic_int left = 2;
static atomic_int freed, sold;
static int drop(void)
{
    assert(atomic_load(&references) > 0);
    return atomic_fetch_sub(&references, 1) - 1;
}
static void put(void)
{
    if (drop() == 0)
        atomic_fetch_add(&freed, 1);
}
static void take(void)
{
    if (atomic_load(&left) <= 0)
        return;
    if (atomic_fetch_sub(&left, 1) > 0)
        atomic_fetch_add(&sold, 1);
    else
        atomic_fetch_add(&left, 1);
}
static void *a(void *u)
{
    take();
    put();
    return u;
}
static void *b(void *u)
{
    late();
    take();
    put();
    return u;
}
int main()
{
    return run2(a, b);
}
