/* found at -O0: one getter without a lock is called twice, and the pointer is gone between. */
#include "two.h"
static int *ptr;
static int one = 1, got;
__attribute__((noinline)) static int *get(void)
{
    return ptr;
}
static void use(void)
{
    if (get() != NULL)
        got += *get();
}
static void *a(void *u)
{
    use();
    return u;
}
static void *b(void *u)
{
    late();
    ptr = NULL;
    return u;
}
int main()
{
    ptr = &one;
    run2(a, b);
    return got != 1;
}
