/* found at -O0: a length is read twice without a lock, and becomes shorter between. */
#include "two.h"
static int count = 6;
static char value[64] = "abcdef", out[64];
static void append(void)
{
    int n = count;
    char *d = malloc(n + 1);
    for (int i = 0; i < n; i++)
        d[i] = value[i];
    if (n != count)
        puts("changed");
    memcpy(out, d, n);
    free(d);
}
static void *a(void *u)
{
    append();
    return u;
}
static void *b(void *u)
{
    late();
    count = 3;
    return u;
}
int main()
{
    run2(a, b);
    return 0;
}
