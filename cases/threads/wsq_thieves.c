/* A work-stealing queue whose owner and two thieves meet at the last items, after the interlocked
 * queue of the CHESS programs. The owner takes the last item under the lock only when it saw the
 * queue empty before it lowered the tail; the test comes too early. The twin tests afterwards. */
#include <stdatomic.h>
#include <stdbool.h>

#include "threads.h"

enum { ITEMS = 4, NONE = -1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int head, tail;
static atomic_int items[ITEMS];
static atomic_int taken[ITEMS];

static void push(int item)
{
    const int own = atomic_load(&tail);
    atomic_store(&items[own], item);
    atomic_store(&tail, own + 1);
}

static int pop(void)
{
    const int own = atomic_load(&tail) - 1;
#ifdef FIXED
    atomic_store(&tail, own);
    const bool is_safe = atomic_load(&head) < own;
#else
    const bool is_safe = atomic_load(&head) < own;
    atomic_store(&tail, own);
#endif
    if (is_safe) {
        return atomic_load(&items[own]);
    }
    pthread_mutex_lock(&lock);
    const bool is_left = atomic_load(&head) <= own;
    const int item = is_left ? atomic_load(&items[own]) : NONE;
    if (!is_left) {
        atomic_store(&tail, own + 1);
    }
    pthread_mutex_unlock(&lock);
    return item;
}

static int steal(void)
{
    pthread_mutex_lock(&lock);
    const int first = atomic_load(&head);
    atomic_store(&head, first + 1);
    const bool is_left = first < atomic_load(&tail);
    const int item = is_left ? atomic_load(&items[first]) : NONE;
    if (!is_left) {
        atomic_store(&head, first);
    }
    pthread_mutex_unlock(&lock);
    return item;
}

static void take(int item)
{
    if (item != NONE) {
        assert(atomic_fetch_add(&taken[item], 1) == 0);
    }
}

static void *own(void *unused)
{
    push(0);
    push(1);
    take(pop());
    push(2);
    push(3);
    take(pop());
    take(pop());
    return unused;
}

static void *thief(void *unused)
{
    take(steal());
    take(steal());
    return unused;
}

int main(void)
{
    RUN(own, thief, thief);
    return 0;
}
