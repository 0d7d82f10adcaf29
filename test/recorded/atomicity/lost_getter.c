/* unknown at -O0: `seats[199]`, one getter reads it twice, and has read 198 others before. */
#include "two.h"
static int seats[200], sum;
__attribute__((noinline)) static int get(int i)
{
    return seats[i];
}
static void use(int i)
{
    if (get(i) == 0)
        sum += get(i);
}
static void *a(void *u)
{
    for (int i = 0; i < 200; i++)
        use(i);
    return u;
}
static void *b(void *u)
{
    late();
    seats[199] = 1;
    return u;
}
int main()
{
    return run2(a, b);
}
