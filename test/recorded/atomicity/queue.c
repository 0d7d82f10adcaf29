/* nothing: blocks go through a queue, and are freed by the one who gets them. */
#include "two.h"
struct job {
    struct job *next;
    int in, out;
};
static pthread_mutex_t m = MUTEX;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static struct job *head, **tail = &head;
static int done, sum;
static void put(struct job *j)
{
    LOCK(m);
    j->next = NULL;
    *tail = j;
    tail = &j->next;
    pthread_cond_signal(&c);
    UNLOCK(m);
}
static struct job *get(void)
{
    LOCK(m);
    while (!head && !done)
        pthread_cond_wait(&c, &m);
    struct job *j = head;
    if (j) {
        head = j->next;
        if (!head)
            tail = &head;
    }
    UNLOCK(m);
    return j;
}
static void *prod(void *u)
{
    for (int i = 0; i < 4; i++) {
        struct job *j = malloc(sizeof *j);
        j->in = i;
        j->out = 0;
        put(j);
    }
    LOCK(m);
    done = 1;
    pthread_cond_broadcast(&c);
    UNLOCK(m);
    return u;
}
static void *cons(void *u)
{
    struct job *j;
    while ((j = get())) {
        j->out = j->in * 2;
        sum += j->out;
        free(j);
    }
    return u;
}
int main()
{
    return run2(prod, cons);
}
