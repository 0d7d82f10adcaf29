/* unknown at -O0: `n`, checked without a lock once a round, and one round of many acts. */
#include <semaphore.h>

#include "two.h"
static int n = 1000, seen;
static sem_t begun, shared;
static pthread_mutex_t m = MUTEX;
__attribute__((noinline)) static int left(void)
{
    return n;
}
__attribute__((noinline)) static void take(int v)
{
    n = v - 1;
}
static void use(int i)
{
    const int v = left();
    if (i == 290 && v > 0)
        take(v);
}
__attribute__((noinline)) static void look(void)
{
    LOCK(m);
    seen += left() > 0;
    UNLOCK(m);
}
static void *a(void *u)
{
    look();
    sem_post(&begun);
    sem_wait(&shared);
    for (int i = 0; i < 300; i++)
        use(i);
    return u;
}
static void *b(void *u)
{
    n = 6;
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
