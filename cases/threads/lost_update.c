/* A counter with a lock in both of its functions, in C11's threads: what is read by the one is out
 * of date when the other writes it. */
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static int counter;

static int counter_get(void)
{
    (void)mtx_lock(&lock);
    const int value = counter;
    (void)mtx_unlock(&lock);
    return value;
}

static void counter_set(int value)
{
    (void)mtx_lock(&lock);
    counter = value;
    (void)mtx_unlock(&lock);
}

static int add(void *unused)
{
    (void)unused;
#ifdef FIXED
    (void)mtx_lock(&lock);
    counter++;
    (void)mtx_unlock(&lock);
#else
    counter_set(counter_get() + 1);
#endif
    return 0;
}

int main(void)
{
    thrd_t threads[2];
    (void)mtx_init(&lock, mtx_plain);
    counter_set(0);
    for (int i = 0; i < 2; i++) {
        assert(thrd_create(&threads[i], add, NULL) == thrd_success);
    }
    for (int i = 0; i < 2; i++) {
        (void)thrd_join(threads[i], NULL);
    }
    assert(counter_get() == 2);
    mtx_destroy(&lock);
    return 0;
}
