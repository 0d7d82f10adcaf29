/* nothing: a ticket lock; its loads are what threads wait for. */
#include "two.h"
#include <stdatomic.h>
static atomic_uint next_, serving;
static int x, y;
static void lock(void)
{
    unsigned t = atomic_fetch_add(&next_, 1);
    while (atomic_load(&serving) != t)
        usleep(1);
}
static void unlock(void)
{
    atomic_fetch_add(&serving, 1);
}
static void both(void)
{
    lock();
    x++;
    y++;
    unlock();
}
static void *a(void *u)
{
    for (int i = 0; i < 3; i++)
        both();
    return u;
}
static void *b(void *u)
{
    late();
    for (int i = 0; i < 3; i++)
        both();
    return u;
}
int main()
{
    run2(a, b);
    return x != 6 || y != 6;
}
