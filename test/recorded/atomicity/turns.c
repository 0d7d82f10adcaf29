/* nothing: a flag says whose turn it is, and orders nothing else. */
#include "two.h"
#include <stdatomic.h>
static atomic_int turn;
static void go(int me)
{
    while (atomic_load(&turn) != me)
        usleep(10);
    atomic_store(&turn, 1 - me);
}
static void *a(void *u)
{
    for (int i = 0; i < 3; i++)
        go(0);
    return u;
}
static void *b(void *u)
{
    for (int i = 0; i < 3; i++)
        go(1);
    return u;
}
int main()
{
    return run2(a, b);
}
