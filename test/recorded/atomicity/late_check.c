/* found: a version is checked in a section of its own in front of the write. */
#include "two.h"
static pthread_mutex_t m = MUTEX;
static int version, value;
static int ver(void)
{
    LOCK(m);
    int v = version;
    UNLOCK(m);
    return v;
}
static int read_(int *v)
{
    LOCK(m);
    *v = version;
    int x = value;
    UNLOCK(m);
    return x;
}
static void store(int x)
{
    LOCK(m);
    value = x;
    version++;
    UNLOCK(m);
}
static void update(int add)
{
    int v;
    int x = read_(&v) + add;
    if (ver() == v)
        store(x);
}
static void *a(void *u)
{
    for (int i = 0; i < 3; i++)
        update(1);
    return u;
}
static void *b(void *u)
{
    late();
    for (int i = 0; i < 3; i++)
        update(2);
    return u;
}
int main()
{
    return run2(a, b);
}
