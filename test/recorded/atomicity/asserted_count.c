/* nothing: an update, and then a getter whose value is asserted alone. */
#include "two.h"
static pthread_mutex_t m = MUTEX;
static int count;
static int get(void)
{
    LOCK(m);
    const int value = count;
    UNLOCK(m);
    return value;
}
static void add(void)
{
    LOCK(m);
    count++;
    UNLOCK(m);
    assert(get() > 0);
}
static void *a(void *u)
{
    add();
    return u;
}
static void *b(void *u)
{
    late();
    add();
    return u;
}
int main()
{
    return run2(a, b);
}
