/* nothing: a table with a read-write lock. */
#include "two.h"
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int keys[4], vals[4], n, sum;
static void set(int k, int v)
{
    pthread_rwlock_wrlock(&l);
    int i;
    for (i = 0; i < n && keys[i] != k; i++)
        ;
    if (i == n)
        keys[n++] = k;
    vals[i] = v;
    pthread_rwlock_unlock(&l);
}
static int get(int k)
{
    int r = -1;
    pthread_rwlock_rdlock(&l);
    for (int i = 0; i < n; i++)
        if (keys[i] == k)
            r = vals[i];
    pthread_rwlock_unlock(&l);
    return r;
}
static void *a(void *u)
{
    for (int i = 0; i < 4; i++)
        set(i, i);
    return u;
}
static void *b(void *u)
{
    late();
    for (int i = 0; i < 4; i++)
        sum += get(i);
    set(2, 9);
    return u;
}
int main()
{
    return run2(a, b);
}
