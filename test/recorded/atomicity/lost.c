/* unknown at -O0: `seats[9000]`, the read in get is not recorded. */
#include "two.h"
static int seats[10000], sum;
__attribute__((noinline)) static int get(int i)
{
    return seats[i];
}
__attribute__((noinline)) static void look(int i)
{
    sum += seats[i];
}
static void use(int i)
{
    if (get(i) == 0)
        look(i);
}
static void *a(void *u)
{
    for (int i = 0; i < 10000; i++)
        use(i);
    return u;
}
static void *b(void *u)
{
    late();
    seats[9000] = 1;
    return u;
}
int main()
{
    return run2(a, b);
}
