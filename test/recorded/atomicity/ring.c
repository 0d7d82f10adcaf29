/* nothing: a ring with one producer and one consumer. */
#include "two.h"
#include <stdatomic.h>
static atomic_uint head, tail;
static int ring[4], sum;
static int push(int v)
{
    unsigned t = atomic_load(&tail);
    if (t - atomic_load(&head) == 4)
        return 0;
    ring[t % 4] = v;
    atomic_store(&tail, t + 1);
    return 1;
}
static int pop(int *v)
{
    unsigned h = atomic_load(&head);
    if (h == atomic_load(&tail))
        return 0;
    *v = ring[h % 4];
    atomic_store(&head, h + 1);
    return 1;
}
static void *a(void *u)
{
    for (int i = 0; i < 6;)
        i += push(i);
    return u;
}
static void *b(void *u)
{
    int v;
    for (int i = 0; i < 6;)
        if (pop(&v)) {
            sum += v;
            i++;
        } else
            usleep(10);
    return u;
}
int main()
{
    return run2(a, b);
}
