/* found: reads without a lock, with sections of an unrelated lock between. */
#include "two.h"
static pthread_mutex_t m = MUTEX;
static int lines, size = 6;
static int sum;
static void note(void)
{
    LOCK(m);
    lines++;
    UNLOCK(m);
}
static void copy(void)
{
    int n = size;
    note();
    sum += n;
    note();
    if (size >= n)
        sum += 1;
    note();
    sum += size;
}
static void *a(void *u)
{
    copy();
    return u;
}
static void *b(void *u)
{
    late();
    size = 2;
    return u;
}
int main()
{
    run2(a, b);
    return sum == 0;
}
