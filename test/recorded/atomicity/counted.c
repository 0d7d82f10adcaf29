/* nothing: reference counting with locks; the last one frees. */
#include "two.h"
struct obj {
    pthread_mutex_t m;
    int refs;
    int data;
};
static struct obj *shared;
static pthread_mutex_t g = MUTEX;
static struct obj *obj_get(void)
{
    LOCK(g);
    struct obj *o = shared;
    if (o) {
        LOCK(o->m);
        o->refs++;
        UNLOCK(o->m);
    }
    UNLOCK(g);
    return o;
}
static void obj_put(struct obj *o)
{
    LOCK(o->m);
    int left = --o->refs;
    UNLOCK(o->m);
    if (left == 0) {
        pthread_mutex_destroy(&o->m);
        free(o);
    }
}
static void use(void)
{
    struct obj *o = obj_get();
    if (o) {
        LOCK(o->m);
        o->data++;
        UNLOCK(o->m);
        obj_put(o);
    }
}
static void *a(void *u)
{
    for (int i = 0; i < 3; i++)
        use();
    return u;
}
static void *b(void *u)
{
    late();
    for (int i = 0; i < 3; i++)
        use();
    LOCK(g);
    struct obj *o = shared;
    shared = NULL;
    UNLOCK(g);
    obj_put(o);
    return u;
}
int main()
{
    shared = calloc(1, sizeof *shared);
    pthread_mutex_init(&shared->m, 0);
    shared->refs = 1;
    return run2(a, b);
}
