/* nothing: phases between barriers. */
#include "two.h"
static pthread_barrier_t br;
static int cell[2], next_[2];
static void step(int i)
{
    next_[i] = cell[i] + cell[1 - i];
    pthread_barrier_wait(&br);
    cell[i] = next_[i];
    pthread_barrier_wait(&br);
}
static void *a(void *u)
{
    for (int r = 0; r < 3; r++)
        step(0);
    return u;
}
static void *b(void *u)
{
    for (int r = 0; r < 3; r++)
        step(1);
    return u;
}
int main()
{
    pthread_barrier_init(&br, 0, 2);
    cell[0] = 1;
    return run2(a, b);
}
