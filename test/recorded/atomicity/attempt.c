/* nothing: note writes a larger number, and does nothing with a smaller one. */
#include "two.h"
static int peak;
static pthread_mutex_t m = MUTEX;
static void note(int n)
{
    LOCK(m);
    if (n > peak)
        peak = n;
    UNLOCK(m);
}
static void work(int i)
{
    note(i);
    note(i / 2);
    note(2 * i);
}
static void *a(void *u)
{
    for (int i = 0; i < 10; i++)
        work(i);
    return u;
}
static void *b(void *u)
{
    late();
    for (int i = 5; i < 15; i++)
        work(i);
    return u;
}
int main()
{
    return run2(a, b);
}
