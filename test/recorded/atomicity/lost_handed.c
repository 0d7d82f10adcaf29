/* nothing: what a does without a record comes before all that b does. */
#include "two.h"
#include <semaphore.h>
struct item {
    struct item *next;
    int n, sum;
};
static int seats[400], total[400];
static struct item *queue;
static pthread_mutex_t m = MUTEX;
static sem_t filled;
__attribute__((noinline)) static int get(const int *n)
{
    return *n;
}
__attribute__((noinline)) static void add(int *n, int i)
{
    *n = get(n) + *n + i;
}
static void push(int i)
{
    struct item *item = calloc(1, sizeof *item);
    add(&item->n, i);
    add(&item->sum, i);
    add(&item->sum, get(&item->n));
    LOCK(m);
    item->next = queue;
    queue = item;
    UNLOCK(m);
}
static struct item *pop(void)
{
    LOCK(m);
    struct item *item = queue;
    if (item)
        queue = item->next;
    UNLOCK(m);
    return item;
}
static void *a(void *u)
{
    for (int i = 0; i < 400; i++) {
        add(&seats[i], 1);
        add(&total[i], 1);
        push(i);
    }
    sem_post(&filled);
    return u;
}
static void *b(void *u)
{
    late();
    for (struct item *item; (item = pop());) {
        add(&item->sum, 1);
        free(item);
    }
    sem_wait(&filled);
    for (int i = 0; i < 400; i++)
        add(&seats[i], 1);
    return u;
}
int main()
{
    sem_init(&filled, 0, 0);
    run2(a, b);
    add(&total[1], 1);
    return 0;
}
