/* found: a list is walked with a lock for each step. */
#include "two.h"
struct n {
    struct n *next;
    int v;
};
static pthread_mutex_t m = MUTEX;
static struct n n3 = {0, 3}, n2 = {&n3, 2}, n1 = {&n2, 1};
static struct n *head = &n1;
static int sum;
static struct n *first(void)
{
    LOCK(m);
    struct n *x = head;
    UNLOCK(m);
    return x;
}
static struct n *after(struct n *x)
{
    LOCK(m);
    struct n *y = x->next;
    sum += x->v;
    UNLOCK(m);
    return y;
}
static void walk(void)
{
    for (struct n *x = first(); x; x = after(x))
        ;
}
static void cut(void)
{
    LOCK(m);
    struct n *x = head;
    head = x->next;
    x->next = NULL;
    UNLOCK(m);
}
static void *a(void *u)
{
    walk();
    return u;
}
static void *b(void *u)
{
    late();
    cut();
    return u;
}
int main()
{
    return run2(a, b);
}
