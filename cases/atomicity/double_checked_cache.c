/* A double-checked cache of one entry: readers look at the key without the lock, and only if it is
 * another one, they take the lock, look again and compute. That is right for what is set once. Here
 * the entry is replaced: between a reader's check of the key and its use of the value, another
 * thread puts another key's value there.
 *
 * couple: key check, value use
 * couple: key recheck, value use
 * couple: value fill, value use */
#include "kernel.h"

#include <stdatomic.h>

static struct {
    pthread_mutex_t lock;
    atomic_long key;
    long value; /* of the key; under the lock */
} memo = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int wrong_values[2];

static long compute(long key)
{
    return key * key;
}

static void memo_fill(long key)
{
    if (atomic_load(&memo.key) != key) { /* recheck */
        memo.value = compute(key);       /* fill */
        atomic_store(&memo.key, key);
    }
}

static long memo_square(long key)
{
#ifdef FIXED
    pthread_mutex_lock(&memo.lock);
    memo_fill(key);
    const long value = memo.value;
    pthread_mutex_unlock(&memo.lock);
#else
    if (atomic_load(&memo.key) != key) { /* check */
        pthread_mutex_lock(&memo.lock);
        memo_fill(key);
        pthread_mutex_unlock(&memo.lock);
    }
    pthread_mutex_lock(&memo.lock);
    const long value = memo.value; /* use */
    pthread_mutex_unlock(&memo.lock);
#endif
    return value;
}

static void *first(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        wrong_values[0] += memo_square(7) != 49;
    }
    return unused;
}

static void *second(void *unused)
{
    kernel_late();
    for (int i = 0; i < ROUNDS; i++) {
        wrong_values[1] += memo_square(9) != 81;
    }
    return unused;
}

static int is_wrong(void)
{
    return wrong_values[0] != 0 || wrong_values[1] != 0;
}

int main(void)
{
    return kernel_run(first, second, is_wrong);
}
