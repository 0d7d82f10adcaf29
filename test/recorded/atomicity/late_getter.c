/* found at -O0: the same, and the thread that calls it comes second. */
#include "two.h"
static int *ptr;
static int one = 1, two = 2, got;
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
    ptr = &two;
    return u;
}
static void *b(void *u)
{
    late();
    use();
    return u;
}
int main()
{
    ptr = &one;
    run2(a, b);
    return got == 0;
}
