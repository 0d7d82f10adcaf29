/* nothing: a queue with a flag that ends it, written behind the loop. */
#include "two.h"
static pthread_mutex_t m = MUTEX;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int q[8], qn, stop, active, sum;
static int take(int *j)
{
    LOCK(m);
    while (!qn && !stop)
        pthread_cond_wait(&c, &m);
    int ok = qn > 0;
    if (ok) {
        *j = q[--qn];
        active++;
    }
    UNLOCK(m);
    return ok;
}
static void finish(int j)
{
    LOCK(m);
    sum += j;
    active--;
    UNLOCK(m);
}
static void *worker(void *u)
{
    int j;
    while (take(&j))
        finish(j * j);
    return u;
}
static void *boss(void *u)
{
    for (int i = 0; i < 4; i++) {
        LOCK(m);
        q[qn++] = i;
        pthread_cond_signal(&c);
        UNLOCK(m);
    }
    LOCK(m);
    stop = 1;
    pthread_cond_broadcast(&c);
    UNLOCK(m);
    return u;
}
int main()
{
    return run2(worker, boss);
}
