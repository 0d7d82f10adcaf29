/* nothing at -O0: one getter is called often, always under the lock of the writer. */
#include "two.h"
static int n = 1000, seen;
static pthread_mutex_t m = MUTEX;
__attribute__((noinline)) static int left(void)
{
    return n;
}
static void look(int count)
{
    LOCK(m);
    for (int i = 0; i < count; i++)
        seen += left();
    UNLOCK(m);
}
static void *a(void *u)
{
    late();
    for (int i = 0; i < 300; i++)
        look(i);
    return u;
}
static void *b(void *u)
{
    for (int i = 0; i < 300; i++) {
        LOCK(m);
        n = left() + 1;
        UNLOCK(m);
    }
    return u;
}
int main()
{
    return run2(a, b);
}
