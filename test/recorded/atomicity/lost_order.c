/* found at -O0: `seats[900]`, by accesses that are recorded late. */
#include "two.h"
static int seats[1000];
__attribute__((noinline)) static int get(int i)
{
    return seats[i];
}
__attribute__((noinline)) static void take(int i)
{
    seats[i] = seats[i] * 2 + 1;
}
static void use(int i)
{
    if (get(i) == 0)
        take(i);
}
static void *a(void *u)
{
    for (int i = 0; i < 1000; i++)
        use(i);
    return u;
}
static void *b(void *u)
{
    late();
    seats[900] = 1;
    return u;
}
int main()
{
    return run2(a, b);
}
