/* found: check, then act on an atomic variable whose own loads order the threads. */
#include "two.h"
#include <stdatomic.h>
static atomic_int tickets = 10;
static int sold[2];
static int buy(void)
{
    int t = atomic_load(&tickets);
    if (t > 0) {
        atomic_store(&tickets, t - 1);
        return 1;
    }
    return 0;
}
static void *a(void *u)
{
    for (int i = 0; i < 3; i++)
        sold[0] += buy();
    return u;
}
static void *b(void *u)
{
    late();
    for (int i = 0; i < 3; i++)
        sold[1] += buy();
    return u;
}
int main()
{
    return run2(a, b);
}
