/* SafeStack, a lock-free stack of array indices that D. Vyukov posted to the CHESS forum. A pop
 * marks the link of the top as taken, and puts it back when the top has changed meanwhile. With
 * three threads that takes at least five preemptions to go wrong: an index is popped twice. */
#include <stdatomic.h>

#include "threads.h"

enum { THREADS = 3, ROUNDS = 2, NONE = -1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int head;
static atomic_int count = THREADS;
static atomic_int next[THREADS] = {1, 2, NONE};
static atomic_int owner[THREADS];

static void enter(void)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
}

static void leave(void)
{
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
}

/* One try; NONE where it was without success. */
static int try_pop(void)
{
    int result = NONE;
    if (atomic_load(&count) > 1) {
        int first = atomic_load(&head);
        const int second = atomic_exchange(&next[first], NONE);
        if (second >= 0) {
            int expected = first;
            if (atomic_compare_exchange_strong(&head, &expected, second)) {
                atomic_fetch_sub(&count, 1);
                result = first;
            } else {
                atomic_exchange(&next[first], second);
            }
        }
    }
    return result;
}

static int pop(void)
{
    int index = NONE;
    while (index == NONE) {
        enter();
        index = try_pop();
        leave();
    }
    return index;
}

static void push(int index)
{
    enter();
    int first = atomic_load(&head);
    do {
        atomic_store(&next[index], first);
    } while (!atomic_compare_exchange_strong(&head, &first, index));
    atomic_fetch_add(&count, 1);
    leave();
}

static void *work(void *which)
{
    const int own = (int)(intptr_t)which;
    for (int i = 0; i < ROUNDS; i++) {
        const int index = pop();
        atomic_store(&owner[index], own);
        assert(atomic_load(&owner[index]) == own);
        push(index);
    }
    return NULL;
}

int main(void)
{
    (void)lock;
    RUN(work, work, work);
    return 0;
}
