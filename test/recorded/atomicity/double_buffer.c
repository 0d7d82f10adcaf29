/* nothing: the buffer that is filled is not the one that readers are told of. */
#include "two.h"
static pthread_mutex_t m = MUTEX;
static int buffers[2][8];
static int front;
static int fresh;
static void publish(int v)
{
    LOCK(m);
    int back = 1 - front;
    UNLOCK(m);
    for (int i = 0; i < 8; i++)
        buffers[back][i] = v;
    LOCK(m);
    front = back;
    fresh = 1;
    UNLOCK(m);
}
static int consume(void)
{
    LOCK(m);
    int s = 0;
    if (fresh) {
        for (int i = 0; i < 8; i++)
            s += buffers[front][i];
        fresh = 0;
    }
    UNLOCK(m);
    return s;
}
static void *a(void *u)
{
    for (int i = 0; i < 10; i++)
        publish(i);
    return u;
}
static void *b(void *u)
{
    late();
    int s = 0;
    for (int i = 0; i < 10; i++)
        s += consume();
    if (s < 0)
        abort();
    return u;
}
int main()
{
    return run2(a, b);
}
