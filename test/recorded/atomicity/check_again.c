/* nothing: a miss under the shared lock is looked up again under the exclusive one. */
#include "two.h"
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int has[16], values[16];
static int lookup(int key)
{
    pthread_rwlock_rdlock(&rw);
    if (has[key]) {
        int value = values[key];
        pthread_rwlock_unlock(&rw);
        return value;
    }
    pthread_rwlock_unlock(&rw);
    int made = key * key;
    pthread_rwlock_wrlock(&rw);
    if (!has[key]) {
        values[key] = made;
        has[key] = 1;
    }
    int value = values[key];
    pthread_rwlock_unlock(&rw);
    return value;
}
static int sum(void)
{
    int n = 0;
    for (int i = 0; i < 50; i++)
        n += lookup(i % 16);
    return n;
}
static void *a(void *u)
{
    return sum() < 0 ? NULL : u;
}
static void *b(void *u)
{
    late();
    for (int key = 0; key < 8; key++) {
        pthread_rwlock_wrlock(&rw);
        has[key] = 0;
        pthread_rwlock_unlock(&rw);
    }
    return sum() < 0 ? NULL : u;
}
int main()
{
    return run2(a, b);
}
