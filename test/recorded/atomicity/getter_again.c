/* found at -O0: `n`, one getter is called twice without a lock, and was called often before. */
#include <semaphore.h>

#include "two.h"
static int n = 1000, seen;
static sem_t begun, shared;
static pthread_mutex_t m = MUTEX;
__attribute__((noinline)) static int get(void)
{
    return n;
}
__attribute__((noinline)) static void look(void)
{
    LOCK(m);
    seen += get() > 0;
    UNLOCK(m);
}
__attribute__((noinline)) static int many(void)
{
    int sum = 0;
    for (int i = 0; i < 300; i++)
        sum += get();
    return sum;
}
__attribute__((noinline)) static int differ(void)
{
    const int first = get();
    const int second = get();
    return first != second;
}
static void *a(void *u)
{
    look();
    sem_post(&begun);
    sem_wait(&shared);
    LOCK(m);
    seen += many() > 0;
    UNLOCK(m);
    if (differ())
        puts("changed");
    return u;
}
static void *b(void *u)
{
    LOCK(m);
    n = 6;
    UNLOCK(m);
    return u;
}
static void *c(void *u)
{
    pthread_t thread;
    sem_wait(&begun);
    look();
    sem_post(&shared);
    pthread_create(&thread, 0, b, 0);
    pthread_join(thread, 0);
    return u;
}
int main()
{
    sem_init(&begun, 0, 0);
    sem_init(&shared, 0, 0);
    return run2(a, c);
}
