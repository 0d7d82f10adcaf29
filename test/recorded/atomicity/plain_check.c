/* found: `slots`, read plainly before an atomic update. */
#include "two.h"
static volatile int slots = 5;
static void grab(void)
{
    if (slots > 0)
        (void)__sync_fetch_and_sub(&slots, 1);
}
static void *a(void *u)
{
    grab();
    return u;
}
static void *b(void *u)
{
    late();
    grab();
    return u;
}
int main()
{
    return run2(a, b);
}
