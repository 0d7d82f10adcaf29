/* nothing: transfers that take both locks. */
#include "two.h"
struct acc {
    pthread_mutex_t m;
    long bal;
};
static struct acc A = {MUTEX, 100}, B = {MUTEX, 100};
static long seen;
static void move(struct acc *f, struct acc *t, long n)
{
    struct acc *x = f < t ? f : t, *y = f < t ? t : f;
    LOCK(x->m);
    LOCK(y->m);
    f->bal -= n;
    t->bal += n;
    UNLOCK(y->m);
    UNLOCK(x->m);
}
static long total(void)
{
    LOCK(A.m);
    LOCK(B.m);
    long s = A.bal + B.bal;
    UNLOCK(B.m);
    UNLOCK(A.m);
    return s;
}
static void *a(void *u)
{
    for (int i = 0; i < 3; i++) {
        move(&A, &B, 1);
        move(&B, &A, 2);
    }
    return u;
}
static void *b(void *u)
{
    late();
    for (int i = 0; i < 3; i++)
        seen += total();
    return u;
}
int main()
{
    return run2(a, b);
}
