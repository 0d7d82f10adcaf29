/* nothing: a flag hands data over. */
#include "two.h"
#include <stdatomic.h>
static atomic_int flag;
static int data, sum;
static void *a(void *u)
{
    for (int i = 0; i < 3; i++) {
        while (atomic_load(&flag))
            usleep(10);
        data = i;
        atomic_store(&flag, 1);
    }
    return u;
}
static void *b(void *u)
{
    for (int i = 0; i < 3; i++) {
        while (!atomic_load(&flag))
            usleep(10);
        sum += data;
        atomic_store(&flag, 0);
    }
    return u;
}
int main()
{
    return run2(a, b);
}
