/* found: a limit is checked, and then a counter incremented, both atomic. */
#include "two.h"
#include <stdatomic.h>
static atomic_int users;
enum { MAX = 5 };
static int in[2];
static int enter(void)
{
    if (atomic_load(&users) >= MAX)
        return 0;
    atomic_fetch_add(&users, 1);
    return 1;
}
static void *a(void *u)
{
    for (int i = 0; i < 2; i++)
        in[0] += enter();
    return u;
}
static void *b(void *u)
{
    late();
    for (int i = 0; i < 2; i++)
        in[1] += enter();
    return u;
}
int main()
{
    return run2(a, b);
}
