/* nothing: reference counting with an atomic. */
#include "two.h"
#include <stdatomic.h>
struct obj {
    atomic_int refs;
    int data;
};
static struct obj *make(void)
{
    struct obj *o = malloc(sizeof *o);
    atomic_init(&o->refs, 2);
    o->data = 7;
    return o;
}
static struct obj *o;
static int sum[2];
static void put(struct obj *x)
{
    if (atomic_fetch_sub(&x->refs, 1) == 1)
        free(x);
}
static void use(int i)
{
    sum[i] += o->data;
    put(o);
}
static void *a(void *u)
{
    use(0);
    return u;
}
static void *b(void *u)
{
    late();
    use(1);
    return u;
}
int main()
{
    o = make();
    run2(a, b);
    return 0;
}
