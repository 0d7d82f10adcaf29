/* found: assertions in front of a check and an act. */
#include "two.h"
static pthread_mutex_t m = MUTEX;
static int seats = 9;
static int left(void)
{
    LOCK(m);
    int n = seats;
    UNLOCK(m);
    return n;
}
static void dec(void)
{
    LOCK(m);
    seats = seats - 1;
    UNLOCK(m);
}
static void sell(void)
{
    assert(left() >= 0);
    if (left() > 0)
        dec();
    assert(left() >= 0);
}
static void *a(void *u)
{
    for (int i = 0; i < 3; i++)
        sell();
    return u;
}
static void *b(void *u)
{
    late();
    for (int i = 0; i < 3; i++)
        sell();
    return u;
}
int main()
{
    return run2(a, b);
}
