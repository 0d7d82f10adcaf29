/* found: `count`, looked at again, but not compared with the value that is used. */
#include "two.h"
static pthread_mutex_t m = MUTEX;
static int count, items[16];
static void append(int value)
{
    LOCK(m);
    const int last = count;
    UNLOCK(m);
    LOCK(m);
    if (count < 16) {
        items[last] = value;
        count = last + 1;
    }
    UNLOCK(m);
}
static void *a(void *u)
{
    append(1);
    return u;
}
static void *b(void *u)
{
    late();
    append(2);
    return u;
}
int main()
{
    return run2(a, b);
}
